#include "deployment/tir_name.h"

#include <gtest/gtest.h>

namespace mlf::deployment {
namespace {

TEST(TirNameTest, TextAndTwinOfOneModuleHaveOneStem) {
  const auto text = parse_tir_name("tir-1-cmsis-nn.txt");
  const auto twin = parse_tir_name("tir-1-cmsis-nn.tvm.json");
  ASSERT_TRUE(text && twin);
  EXPECT_EQ(text->stem, "tir-1-cmsis-nn");
  EXPECT_EQ(text->form, TirForm::text);
  EXPECT_EQ(twin->stem, text->stem);
  EXPECT_EQ(twin->form, TirForm::twin);
}

TEST(TirNameTest, WhatFollowsTheFirstDotIsTheStage) {
  EXPECT_EQ(stage_of_stem("tir-1"), "lowered");
  EXPECT_EQ(stage_of_stem("tir-1.unplanned"), "unplanned");
  EXPECT_EQ(stage_of_stem("tir-1.tir.StorageRewrite"), "tir.StorageRewrite");
}

TEST(TirNameTest, OtherMembersAreNotTir) {
  for (const char* name : {"tir-1.json", "tir-.txt", "tir-1", "relay.txt", "tir-1/a.txt",
                           "tir-1.constants/c0.npy", "mytir-1.txt", ".txt"}) {
    EXPECT_FALSE(parse_tir_name(name)) << name;
  }
}

TEST(TirNameTest, AStemNamesDeviceTypeAndKind) {
  const auto plain = target_of_stem("tir-1.unplanned");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->device_type, 1);
  EXPECT_EQ(plain->kind, "");
  const auto kind = target_of_stem("tir-13-ethos-u-2");
  ASSERT_TRUE(kind);
  EXPECT_EQ(kind->device_type, 13);
  EXPECT_TRUE(names_kind(kind->kind, "ethos-u"));
}

TEST(TirNameTest, StemsOfOtherFormsNameNoTarget) {
  for (const char* stem : {"tir-main", "tir-0", "tir--1", "tir-1x", "tir-99999999999"}) {
    EXPECT_FALSE(target_of_stem(stem)) << stem;
  }
}

TEST(TirNameTest, AKindMayBeFollowedByANumberOnly) {
  EXPECT_TRUE(names_kind("c", "c"));
  EXPECT_TRUE(names_kind("c-2", "c"));
  EXPECT_FALSE(names_kind("cmsis-nn", "c"));
  EXPECT_FALSE(names_kind("ethos-u", "ethos"));
}

}  // namespace
}  // namespace mlf::deployment
