// The table of measures and what is made of it.
#include "mlf/report.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace mlf {
namespace {

using analysis::Count;
using Json = nlohmann::json;

Json schema_definitions() {
  std::ifstream file(MLF_SOURCE_DIR "/schemas/report.schema.json");
  return Json::parse(file).at("$defs");
}

std::string words_of(const Json& object, std::string_view name) {
  return object.at("properties").at(std::string(name)).at("description");
}

TEST(Measures, TheSchemaHasTheWordsOfEveryOne) {
  const Json definitions = schema_definitions();
  for (const CallMeasureInfo& one : call_measures()) {
    EXPECT_EQ(words_of(definitions.at("call"), one.name), one.words);
  }
  for (const ModuleMeasureInfo& one : module_measures()) {
    if (!one.is_in_documents()) continue;
    const std::string group = one.group().empty() ? "module" : std::string(one.group());
    EXPECT_EQ(words_of(definitions.at(group), one.name()), one.words) << one.key;
  }
}

TEST(Measures, TheSpecificationNamesEveryOne) {
  std::ifstream file(MLF_SOURCE_DIR "/schemas/report.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto is_named = [&](std::string_view name) {
    return text.find("`" + std::string(name) + "`") != std::string::npos;
  };
  for (const CallMeasureInfo& one : call_measures()) EXPECT_TRUE(is_named(one.name)) << one.name;
  for (const ModuleMeasureInfo& one : module_measures()) {
    EXPECT_TRUE(!one.is_in_documents() || is_named(one.name())) << one.key;
  }
}

TEST(Measures, OfAProfileAreThreeNumbersOfCalls) {
  std::string names;
  for (const CallMeasureInfo& one : call_measures()) {
    if (is_of_profile(one.measure)) names += std::string(one.name) + " ";
  }
  EXPECT_EQ(names, "instructions cycles nanoseconds ");
}

TEST(Measures, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const CallMeasureInfo& one : call_measures()) EXPECT_TRUE(names.insert(one.name).second);
  std::set<std::string_view> keys;
  for (const ModuleMeasureInfo& one : module_measures()) EXPECT_TRUE(keys.insert(one.key).second);
}

/// "mac_min" and so on: the columns of numbers that may not be exact.
std::vector<std::string> minima_of(RowKind kind) {
  std::vector<std::string> names;
  for (const RowColumn& column : columns_of(kind)) {
    if (column.name.ends_with("_min"))
      names.emplace_back(column.name.substr(0, column.name.size() - 4));
  }
  return names;
}

TEST(Measures, AreTheColumnsOfTables) {
  std::vector<std::string> of_calls;
  for (const CallMeasureInfo& one : call_measures()) of_calls.emplace_back(one.name);
  EXPECT_EQ(minima_of(RowKind::call), of_calls);
  std::vector<std::string> of_modules;
  for (const ModuleMeasureInfo& one : module_measures()) {
    if (!one.column.empty()) of_modules.emplace_back(one.column);
  }
  EXPECT_EQ(minima_of(RowKind::archive), of_modules);
}

// Readers of CSV may count columns: new ones come at the end.
std::string column_names(RowKind rows) {
  std::string names;
  for (const RowColumn& column : columns_of(rows)) names += std::string(column.name) + " ";
  return names;
}

// New ones come last: programs read columns by their position.
TEST(Measures, KeepTheOrderOfColumns) {
  EXPECT_EQ(column_names(RowKind::call),
            "module call kernel dtype shape mac_min mac_max loaded_min loaded_max stored_min "
            "stored_max parameters_min parameters_max scratch_min scratch_max live_min "
            "live_max c_file c_first_line c_last_line tir_file tir_first_line tir_last_line "
            "layer relay_line instructions_min instructions_max cycles_min cycles_max "
            "nanoseconds_min nanoseconds_max scale zero_point ");
  EXPECT_EQ(
      column_names(RowKind::archive),
      "module no_network calls kernels mac_min mac_max pools_min pools_max io_min io_max "
      "executor_min executor_max heap_min heap_max stack_min stack_max buffers_min buffers_max "
      "constants_min constants_max copies_min copies_max peak_call peak_min peak_max used_min "
      "used_max lower_bound_min lower_bound_max exported targets arguments_min "
      "arguments_max contradictions frames_min frames_max code_min code_max ");
}

CallReport call_with(Count mac, Count live) {
  CallReport call;
  call.numbers[static_cast<std::size_t>(CallMeasure::mac)] = mac;
  call.numbers[static_cast<std::size_t>(CallMeasure::live)] = live;
  return call;
}

TEST(Measures, OfSeveralCallsAreAddedOrTheLargest) {
  const std::vector<CallReport> calls{call_with(2, 100), call_with(Count(3, 5), Count(40, 120))};
  EXPECT_EQ(total(calls, CallMeasure::mac), Count(5, 7));
  EXPECT_EQ(total(calls, CallMeasure::live), Count(100, 120));
  const std::vector<CallReport> more{calls[0], call_with(Count(0, std::nullopt), 0)};
  EXPECT_EQ(total(more, CallMeasure::mac), Count(2, std::nullopt));
}

TEST(Measures, OfAKernelWithoutTirAreUnknown) {
  for (const CallMeasureInfo& one : call_measures()) {
    EXPECT_EQ(number_of(KernelReport{}, one.measure), Count(0, std::nullopt)) << one.name;
  }
}

}  // namespace
}  // namespace mlf
