// A trace in time: what is drawn, and what it says of bounds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "mlf/graph/write.h"
#include "mlf/profile.h"

namespace mlf {
namespace {

using Json = nlohmann::json;

constexpr const char* kArchive = MLF_SOURCE_DIR "/tests/data/archives/tvm-0.18-qnn_conv-aot-c.tar";

class Trace : public ::testing::Test {
 protected:
  Trace()
      : deployment_(Deployment::open(kArchive).value()),
        network_(deployment_.networks().value().found.front()) {
    profile_ = {.module = "default", .source = ProfileSource::emulated, .cpu = "cortex-m4"};
    for (const graph::Call& call : network_.topology.calls) {
      const std::size_t number = profile_.calls.size();
      profile_.calls.push_back({.call = number,
                                .kernel = network_.topology.kernel_of(call).symbol,
                                .numbers = {.instructions = 1000 + number}});
    }
  }

  Json trace() const {
    const auto times = trace_times(deployment_, network_, profile_);
    EXPECT_TRUE(times) << to_string(times.error());
    std::string text;
    const auto written = graph::write_trace_json(network_.topology, *times, JsonLayout::compact,
                                                 [&](std::string_view bytes) { text += bytes; });
    EXPECT_TRUE(written);
    return Json::parse(text);
  }

  /// Begin and duration of each call.
  static std::vector<std::pair<double, double>> calls_of(const Json& trace) {
    std::vector<std::pair<double, double>> calls;
    for (const Json& event : trace.at("traceEvents")) {
      if (event.at("ph") == "X") calls.emplace_back(event.at("ts"), event.at("dur"));
    }
    return calls;
  }

  void set_times(std::optional<std::uint64_t> median, std::optional<std::uint64_t> max) {
    for (ProfiledCall& call : profile_.calls) {
      call.numbers.nanoseconds = ProfileSpread{.min = 100, .median = median, .max = max};
    }
  }

  Deployment deployment_;
  Network network_;
  Profile profile_;
};

TEST_F(Trace, OfBoundsShowsUpperBounds) {
  set_times({}, 1500);
  const Json document = trace();
  EXPECT_EQ(document.at("otherData").at("time"), "upper bounds");
  EXPECT_EQ(document.at("traceEvents").at(1).at("args").at("name"), "main: upper bounds");
  EXPECT_EQ(calls_of(document),
            (std::vector<std::pair<double, double>>{{0, 1.5}, {1.5, 1.5}, {3, 1.5}, {4.5, 1.5}}));
  EXPECT_EQ(document.at("traceEvents").at(2).at("args").at("nanoseconds_min"), 100);
  EXPECT_EQ(document.at("traceEvents").at(2).at("args").at("nanoseconds_max"), 1500);
}

TEST_F(Trace, WithAnUnknownUpperBoundShowsLowerBoundsOfAllCalls) {
  set_times({}, 1500);
  profile_.calls[2].numbers.nanoseconds->max.reset();
  const Json document = trace();
  EXPECT_EQ(document.at("otherData").at("time"), "lower bounds");
  EXPECT_EQ(calls_of(document)[3], std::pair(0.3, 0.1));
  EXPECT_FALSE(document.at("traceEvents").at(4).at("args").contains("nanoseconds_max"));
}

TEST_F(Trace, OfRunsShowsMedians) {
  set_times(200, 1500);
  const Json document = trace();
  EXPECT_EQ(document.at("otherData").at("time"), "medians");
  EXPECT_EQ(calls_of(document)[1], std::pair(0.2, 0.2));
  EXPECT_NE(document.at("otherData").at("origin").get<std::string>().find("cortex-m4"),
            std::string::npos);
}

TEST_F(Trace, HasTensorsAndMemoryInTheSameTime) {
  set_times({}, 2500);
  const Json document = trace();
  double last = 0;
  for (const Json& event : document.at("traceEvents")) {
    last = std::max(last, event.at("ts").get<double>());
  }
  EXPECT_EQ(last, 10);
}

TEST_F(Trace, WithoutTimesIsAnError) {
  const auto times = trace_times(deployment_, network_, profile_);
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().kind, ErrorKind::usage);
  EXPECT_EQ(times.error().message, "the profile has no times: mlf profile --clock adds them");
}

TEST_F(Trace, OfAnotherBuildIsAnError) {
  set_times({}, 1500);
  profile_.code = std::string(64, '0');
  const auto times = trace_times(deployment_, network_, profile_);
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().kind, ErrorKind::usage);
  EXPECT_NE(times.error().message.find("of another build"), std::string::npos);
  profile_.code.clear();
  profile_.module = "second";
  EXPECT_FALSE(trace_times(deployment_, network_, profile_));
}

TEST_F(Trace, NeedsATimeForEachCall) {
  EXPECT_FALSE(graph::write_trace_json(network_.topology, {}, JsonLayout::compact, [](auto) {}));
}

}  // namespace
}  // namespace mlf
