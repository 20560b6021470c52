// Writes memory over the steps of a run, or over its time, as a trace of events, for Perfetto and
// Chrome.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "graph/formats/type_json.h"
#include "graph/network/memory_use.h"
#include "json/write_document.h"
#include "mlf/graph/write.h"
#include "support/error.h"

namespace mlf::graph {
namespace {

/// Each event begins with the common fields: phase, name, time in microseconds, process and thread.
/// Perfetto orders events by time, except the end of one slice and the beginning of another at the
/// same time; these are on separate tracks here.
class TraceJson {
 public:
  TraceJson(json::Writer& out, const Topology& topology, const TraceTimes* times)
      : out_(out), topology_(topology), times_(times) {
    std::vector<double> durations(topology.steps(), times == nullptr ? kNanosecondsOfStep : 0);
    for (std::size_t i = 0; times != nullptr && i < topology.calls.size(); ++i) {
      const auto step = static_cast<std::size_t>(topology.calls[i].position);
      durations[step] = static_cast<double>(times->calls[i].shown);
    }
    for (const double duration : durations) begins_.push_back(begins_.back() + duration);
  }

  void write() {
    out_.array("traceEvents", [&] {
      name_of("process_name", topology_.module.empty() ? "network" : topology_.module);
      name_of("thread_name", times_ == nullptr ? "main" : "main: " + times_->shown);
      calls();
      values();
      for (const MemoryUse& use : topology_.memory) counters(use);
    });
    if (times_ != nullptr) {
      out_.member("displayTimeUnit", "ns");
      out_.object("otherData", [&] {
        out_.member("time", times_->shown);
        out_.member("origin", times_->origin);
      });
    }
  }

 private:
  /// In nanoseconds.
  double begin_of(std::int64_t step) const { return begins_[static_cast<std::size_t>(step)]; }

  /// Whole microseconds as an integer.
  void microseconds(std::string_view key, double nanoseconds) {
    constexpr double kMicrosecond = 1000;
    const double time = nanoseconds / kMicrosecond;
    out_.key(key);
    const bool is_whole = time == std::floor(time) && time < kMostExact;
    is_whole ? out_.integer(static_cast<std::int64_t>(time)) : out_.real(time);
  }

  void begin_event(std::string_view phase, std::string_view name, std::int64_t step) {
    out_.begin_object();
    out_.member("ph", phase);
    out_.member("name", name);
    microseconds("ts", begin_of(step));
    out_.member("pid", 1);
    out_.member("tid", 1);
  }

  // Metadata events name processes and threads.
  void name_of(std::string_view what, std::string_view name) {
    begin_event("M", what, 0);
    out_.object("args", [&] { out_.member("name", name); });
    out_.end_object();
  }

  void step(std::string_view name, Position position) {
    begin_event("X", name, position);
    microseconds("dur", begin_of(position + std::int64_t{1}) - begin_of(position));
  }

  void bounds(std::size_t call) {
    if (times_ == nullptr) return;
    const CallDuration& duration = times_->calls[call];
    out_.member("nanoseconds_min", duration.min);
    // Arguments of an event cannot be null.
    if (duration.max) out_.member("nanoseconds_max", *duration.max);
  }

  void calls() {
    for (std::size_t i = 0; i < topology_.calls.size(); ++i) {
      const Call& call = topology_.calls[i];
      step(call.name, call.position);
      out_.object("args", [&] {
        out_.member("call", i);
        out_.member("kernel", topology_.kernel_of(call).symbol);
        bounds(i);
      });
      out_.end_object();
    }
    for (std::size_t i = 0; i < topology_.copies.size(); ++i) {
      step("copy " + std::to_string(i), topology_.copies[i].position);
      out_.end_object();
    }
    for (const Hook& hook : topology_.hooks) {
      step(hook.symbol, hook.position);
      out_.end_object();
    }
  }

  // Slices of one thread must nest, but lifetimes do not, so they are asynchronous events, each
  // with an id.
  void value(ValueId id, Lifetime life) {
    const Value& value = topology_[id];
    const std::int64_t first = std::max<std::int64_t>(life.from, 0);
    const std::int64_t last = std::min(life.to, end() - 1);
    if (last < first) return;
    for (const bool is_begin : {true, false}) {
      begin_event(is_begin ? "b" : "e", value.name, is_begin ? first : last + 1);
      out_.member("cat", "tensor");
      out_.member("id", id);
      if (is_begin) {
        const Storage& storage = topology_[value.storage];
        out_.object("args", [&] {
          // Leaves out unknown bytes and places: arguments of an event cannot be null.
          if (value.bytes) out_.member("bytes", *value.bytes);
          out_.member("storage", storage.name);
          if (storage.pool) out_.member("pool", topology_[*storage.pool].name);
          if (storage.offset) out_.member("offset", *storage.offset);
        });
      }
      out_.end_object();
    }
  }

  void values() {
    const Lifetimes lifetimes(topology_);
    for (std::size_t i = 0; i < topology_.values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      // Constants always exist and take no memory that a run could release.
      if (topology_[id].kind != ValueKind::constant) value(id, lifetimes.of(id));
    }
  }

  void counters(const MemoryUse& use) {
    const std::string_view name = use.pool ? topology_[*use.pool].name : to_string(use.kind);
    const auto counter = [&](std::int64_t step, std::uint64_t bytes) {
      begin_event("C", name, step);
      out_.object("args", [&] { out_.member("bytes", bytes); });
      out_.end_object();
    };
    for (const LiveBytes& live : use.live) counter(live.position, live.bytes);
    // A counter keeps its value to the end of the trace; this event ends the last step.
    if (!use.live.empty()) counter(end(), use.live.back().bytes);
  }

  std::int64_t end() const { return static_cast<std::int64_t>(topology_.steps()); }

  static constexpr double kMostExact = 9007199254740992;  // 2^53
  static constexpr double kNanosecondsOfStep = 1000;      // without durations of calls

  json::Writer& out_;
  const Topology& topology_;
  const TraceTimes* times_;        // null: none
  std::vector<double> begins_{0};  // by step, in nanoseconds; then the end
};

void write_trace(const Topology& topology, const TraceTimes* times, JsonLayout layout,
                 const Sink& sink) {
  support::FunctionSink bytes(sink);
  json::write_object(bytes, layout,
                     [&](json::Writer& out) { TraceJson(out, topology, times).write(); });
}

}  // namespace

Result<void> write_trace_json(const Topology& topology, JsonLayout layout, const Sink& sink) {
  return support::to_result([&] { write_trace(topology, nullptr, layout, sink); });
}

Result<void> write_trace_json(const Topology& topology, const TraceTimes& times, JsonLayout layout,
                              const Sink& sink) {
  return support::to_result([&] {
    if (times.calls.size() != topology.calls.size()) {
      throw support::Error(
          ErrorKind::usage,
          fmt::format("{} times for {} calls", times.calls.size(), topology.calls.size()));
    }
    write_trace(topology, &times, layout, sink);
  });
}

}  // namespace mlf::graph
