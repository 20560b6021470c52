// Programs that are the same whatever things are called in them, and those that are not.
#include "analysis/fingerprint.h"

#include <gtest/gtest.h>

#include <string>

#include "mlf/tir/document.h"

namespace mlf::analysis {
namespace {

using Measure = std::uint64_t(tir::Node prim_func);

std::uint64_t whole_fingerprint(tir::Node prim_func) {
  return fingerprint(prim_func);
}

std::uint64_t fingerprint_of_six_digits(tir::Node prim_func) {
  return fingerprint(prim_func, Digits::six);
}

/// What `measure` says of the only function of a text in TVMScript.
std::uint64_t of_kernel(const std::string& name, const std::string& params, const std::string& body,
                        Measure* measure = whole_fingerprint) {
  const std::string text = "@T.prim_func\ndef " + name + "(" + params + "):\n" + body;
  const auto document = tir::read({.file = "kernel", .member = {}, .text = text});
  if (!document) {
    ADD_FAILURE() << to_string(document.error());
    return 0;
  }
  const auto functions = document->module.root().map(tir::f::IRModule::functions);
  return measure(functions.value(0));
}

const std::string kParams = "A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")";

std::uint64_t of_body(const std::string& body) {
  return of_kernel("scale", kParams, body);
}

const std::uint64_t kScale =
    of_body("    for i in range(4):\n        B[i] = A[i] * T.float32(2)\n");

TEST(Fingerprint, DoesNotDependOnNames) {
  EXPECT_EQ(of_kernel("other", "p0: T.Buffer((4,), \"float32\"), p1: T.Buffer((4,), \"float32\")",
                      "    for k in range(4):\n        p1[k] = p0[k] * T.float32(2)\n"),
            kScale);
}

TEST(Fingerprint, MayTakeFloatsAsLegacyTextHasThem) {
  const auto of = [](const std::string& number, Measure* measure) {
    return of_kernel("scale", kParams,
                     "    for i in range(4):\n        B[i] = A[i] * T.float32(" + number + ")\n",
                     measure);
  };
  EXPECT_EQ(of("-3.4028234663852886e+38", fingerprint_of_six_digits),
            of("-3.40282e+38", fingerprint_of_six_digits));
  EXPECT_NE(of("-3.4028234663852886e+38", whole_fingerprint),
            of("-3.40282e+38", whole_fingerprint));
  EXPECT_NE(of("1.00001", fingerprint_of_six_digits), of("1", fingerprint_of_six_digits));
}

TEST(Fingerprint, DoesNotDependOnAttributesOfTheFunction) {
  EXPECT_EQ(of_body("    T.func_attr({\"global_symbol\": \"x\"})\n"
                    "    for i in range(4):\n        B[i] = A[i] * T.float32(2)\n"),
            kScale);
}

TEST(Fingerprint, SeesEveryOtherProgram) {
  const std::string others[] = {
      "    for i in range(3):\n        B[i] = A[i] * T.float32(2)\n",
      "    for i in range(4):\n        B[i] = A[i] * T.float32(3)\n",
      "    for i in range(4):\n        B[i] = A[i] + T.float32(2)\n",
      "    for i in range(4):\n        A[i] = B[i] * T.float32(2)\n",
      "    for i in range(4):\n        B[i] = B[i] * T.float32(2)\n",
      "    for i in T.parallel(4):\n        B[i] = A[i] * T.float32(2)\n",
      "    for i in range(4):\n        B[3 - i] = A[i] * T.float32(2)\n",
  };
  for (const std::string& other : others) EXPECT_NE(of_body(other), kScale) << other;
}

TEST(Fingerprint, TellsParametersOfOtherTypesApart) {
  EXPECT_NE(of_kernel("scale", "A: T.Buffer((5,), \"float32\"), B: T.Buffer((4,), \"float32\")",
                      "    for i in range(4):\n        B[i] = A[i] * T.float32(2)\n"),
            kScale);
}

/// A kernel with a workspace of 16 bytes and a constant in pools.
std::uint64_t pooled(const std::string& size, const std::string& workspace,
                     const std::string& constant, const std::string& extent = "4") {
  return of_kernel("pooled",
                   "A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\"), "
                   "constants: T.Buffer((64,), \"uint8\"), pool: T.Buffer((" +
                       size + ",), \"uint8\")",
                   "    c_let: T.handle(\"float32\") = T.address_of(constants[" + constant +
                       "])\n    c = T.Buffer((4,), \"float32\", data=c_let)\n"
                       "    w_let: T.handle(\"float32\") = T.address_of(pool[" +
                       workspace +
                       "])\n    w = T.Buffer((4,), \"float32\", data=w_let)\n"
                       "    for i in range(" +
                       extent +
                       "):\n        w[i] = A[i] * c[i]\n"
                       "    for i in range(4):\n        B[i] = w[i]\n",
                   fingerprint_without_offsets);
}

TEST(Fingerprint, MayLeaveOutWhereWorkspacesAre) {
  EXPECT_EQ(pooled("128", "16", "0"), pooled("96", "48", "0"));
  EXPECT_NE(pooled("128", "16", "0"), pooled("128", "16", "16"));
  EXPECT_NE(pooled("128", "16", "0"), pooled("128", "16", "0", "3"));
}

std::uint64_t shape_of(const std::string& extent, const std::string& statements) {
  const std::string buffer = ": T.Buffer((" + extent + ",), \"float32\")";
  return of_kernel("scale", "A" + buffer + ", B" + buffer,
                   "    for i in range(" + extent + "):\n" + statements, arithmetic_shape);
}

const std::uint64_t kScaled = shape_of("4", "        B[i] = A[i] * T.float32(2)\n");

TEST(ArithmeticShape, DoesNotDependOnExtentsIndicesAndNumbers) {
  EXPECT_EQ(shape_of("64", "        B[i] = A[i] * T.float32(3)\n"), kScaled);
  EXPECT_EQ(shape_of("4", "        B[3 - i] = A[i // 2 * 2] * T.float32(2)\n"), kScaled);
}

TEST(ArithmeticShape, DoesNotDependOnTheSchedule) {
  // Unrolled, vectorized, and through a cache.
  EXPECT_EQ(
      shape_of("4", "        B[i] = A[i] * T.float32(2)\n        B[i] = A[i] * T.float32(2)\n"),
      kScaled);
  EXPECT_EQ(shape_of("4", "        B[0:4] = A[0:4] * T.Broadcast(T.float32(2), 4)\n"),
            shape_of("8", "        B[0:8] = A[0:8] * T.Broadcast(T.float32(2), 8)\n"));
  EXPECT_EQ(shape_of("4", "        B[i] = A[i]\n        B[i] = B[i] * T.float32(2)\n"), kScaled);
  EXPECT_EQ(shape_of("4", "        B[i] = T.if_then_else(1 <= i, A[i], T.float32(0))\n"),
            shape_of("9", "        B[i] = T.if_then_else(1 <= i and i < 8, A[i], T.float32(0))\n"));
}

TEST(ArithmeticShape, SeesWhatElseIsComputed) {
  EXPECT_NE(shape_of("4", "        B[i] = A[i] + T.float32(2)\n"), kScaled);
  EXPECT_NE(shape_of("4", "        B[i] = A[i] * A[i] * T.float32(2)\n"), kScaled);
  EXPECT_NE(shape_of("4", "        B[i] = T.float32(0)\n        B[i] = A[i] * T.float32(2)\n"),
            kScaled);
  EXPECT_NE(shape_of("4", "        B[i] = T.exp(A[i])\n"),
            shape_of("4", "        B[i] = T.sqrt(A[i])\n"));
}

TEST(ArithmeticShape, SeesWhichFunctionIsCalled) {
  const auto calling = [](const std::string& name) {
    return shape_of("4", "        T.call_extern(\"int32\", \"" + name + "\", A.data)\n");
  };
  EXPECT_EQ(calling("softmax"), calling("softmax"));
  EXPECT_NE(calling("softmax"), calling("max_pool"));
}

}  // namespace
}  // namespace mlf::analysis
