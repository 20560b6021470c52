// What each call takes for a multiply-accumulate, over the bytes that it loads and stores for one:
// on logarithmic scales, as a circle with the area of its share. Places are percentages, so that
// circles and letters keep their form at any width.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "page/parts.h"

namespace mlf::page {
namespace {

using analysis::Count;

/// Calls that are at the same place.
struct Spot {
  std::vector<graph::CallId> calls;
  Ratio bytes;  ///< for each multiply-accumulate, of all of them
  Ratio cost;   ///< the same
  Ratio share;  ///< that the calls have together of what all calls take, 0 to 1
};

/// The number that a circle is at: the upper bound, else the lower bound.
double place_of(const Ratio& ratio) {
  return ratio.max.value_or(ratio.min);
}

std::optional<Spot> spot_of(const ModuleReport& module, const CallReport& call) {
  const auto cost = per_mac(module, call);
  const Count bytes = call[CallMeasure::loaded] + call[CallMeasure::stored];
  if (!cost || cost->min <= 0 || bytes.min == 0) return std::nullopt;
  const double part = 1 / static_cast<double>(call[CallMeasure::mac].min);
  Ratio of_bytes{.min = static_cast<double>(bytes.min) * part};
  if (bytes.max) of_bytes.max = static_cast<double>(*bytes.max) * part;
  return Spot{{call.call}, of_bytes, *cost, {}};
}

/// Within two percent.
bool is_near(double a, double b) {
  constexpr double kNear = 1.02;
  return a <= b * kNear && b <= a * kNear;
}

bool are_near(const Ratio& a, const Ratio& b) {
  return a.max.has_value() == b.max.has_value() && is_near(a.min, b.min) &&
         is_near(place_of(a), place_of(b));
}

Ratio both(const Ratio& a, const Ratio& b) {
  Ratio all{.min = std::min(a.min, b.min)};
  if (a.max && b.max) all.max = std::max(*a.max, *b.max);
  return all;
}

struct Spots {
  std::vector<Spot> shown{};  ///< in the order of the network
  /// Calls that have no place: with no multiply-accumulate, and with no exact number of them.
  std::vector<graph::CallId> without{};
  std::vector<graph::CallId> inexact{};
};

Spots spots_of(const ModuleReport& module) {
  Spots all;
  std::vector<Spot>& spots = all.shown;
  for (const CallReport& call : module.calls) {
    auto spot = spot_of(module, call);
    if (!spot) {
      (call[CallMeasure::mac] == Count(0) ? all.without : all.inexact).push_back(call.call);
      continue;
    }
    const auto same = std::ranges::find_if(spots, [&](const Spot& one) {
      return are_near(one.bytes, spot->bytes) && are_near(one.cost, spot->cost);
    });
    if (same == spots.end()) {
      spots.push_back(*std::move(spot));
    } else {
      same->calls.push_back(call.call);
      same->bytes = both(same->bytes, spot->bytes);
      same->cost = both(same->cost, spot->cost);
    }
  }
  for (Spot& spot : spots) spot.share = share_of(module, spot.calls).value_or(Ratio{});
  return all;
}

/// From a number to percent of the drawing.
class Scale {
 public:
  /// Contains both bounds of each ratio, with space on both sides.
  explicit Scale(const std::vector<Ratio>& ratios) {
    constexpr double kSpace = 1.6;
    double least = ratios.front().min;
    double most = least;
    for (const Ratio& ratio : ratios) {
      least = std::min(least, ratio.min);
      most = std::max(most, place_of(ratio));
    }
    first_ = std::log10(least / kSpace);
    last_ = std::log10(most * kSpace);
  }

  double percent(double number) const {
    constexpr double kWhole = 100;
    return kWhole * (std::log10(number) - first_) / (last_ - first_);
  }

  /// 1, 2 and 5 times powers of ten; in a range of more than two decades, powers alone.
  std::vector<double> ticks() const {
    std::vector<double> numbers;
    const bool is_long = last_ - first_ > 2;
    for (double decade = std::floor(first_); decade <= last_; ++decade) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        if (is_long && digit != 1) continue;
        const double number = digit * std::pow(10.0, decade);
        if (std::log10(number) > first_ && std::log10(number) < last_) numbers.push_back(number);
      }
    }
    return numbers;
  }

 private:
  double first_ = 0;
  double last_ = 0;
};

std::string percent_text(double percent) {
  return fmt::format("{:.2f}%", percent);
}

/// "3, 5, 7 and 4 more"
std::string numbers_of(const std::vector<graph::CallId>& calls) {
  constexpr std::size_t kMost = 4;
  const std::size_t shown = calls.size() <= kMost ? calls.size() : kMost - 1;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", index(calls[i]));
  }
  if (shown < calls.size()) text += fmt::format(" and {} more", calls.size() - shown);
  return text;
}

/// The end of a layer's path, or the beginning of a kernel's name.
std::string shortened(const std::string& name) {
  constexpr std::size_t kMost = 32;
  if (name.size() <= kMost) return name;
  return name.find('/') == name.npos ? name.substr(0, kMost) + "\u2026"
                                     : "\u2026" + name.substr(name.size() - kMost);
}

class Roofline {
 public:
  Roofline(HtmlWriter& html, const ModuleView& module, Spots spots)
      : html_(html),
        module_(module),
        all_(std::move(spots)),
        spots_(all_.shown),
        across_(ratios(&Spot::bytes)),
        up_(ratios(&Spot::cost)),
        unit_(call_measures()[static_cast<std::size_t>(counted_measure(module.report))].unit) {
    // Small circles are in front of large ones.
    std::ranges::stable_sort(spots_, std::greater(),
                             [](const Spot& spot) { return place_of(spot.share); });
  }

  void write() {
    const std::string title = fmt::format("For each multiply-accumulate: {} and bytes", unit_);
    html_.open("figure", {{"class", "roofline"}});
    html_.element("figcaption", title);
    html_.open("svg", {{"role", "group"}, {"aria-label", title}});
    grid();
    for (const Spot& spot : spots_) circle(spot);
    html_.close("svg");
    note();
    html_.close("figure");
  }

 private:
  std::vector<Ratio> ratios(Ratio Spot::*ratio) const {
    std::vector<Ratio> all;
    for (const Spot& spot : spots_) all.push_back(spot.*ratio);
    return all;
  }
  double x(double number) const { return across_.percent(number); }
  /// The top is 0.
  double y(double number) const { return 100 - up_.percent(number); }

  void line(std::string_view css_class, double x1, double y1, double x2, double y2) {
    html_.open("line", {{"class", css_class},
                        {"x1", percent_text(x1)},
                        {"y1", percent_text(y1)},
                        {"x2", percent_text(x2)},
                        {"y2", percent_text(y2)}});
    html_.close("line");
  }

  void grid() {
    for (const double tick : across_.ticks()) {
      line("grid", x(tick), 0, x(tick), 100);
      html_.element("text",
                    {{"x", percent_text(x(tick))}, {"y", "100%"}, {"dx", "3"}, {"dy", "-4"}},
                    fmt::format("{:g}", tick));
    }
    for (const double tick : up_.ticks()) {
      line("grid", 0, y(tick), 100, y(tick));
      html_.element("text", {{"x", "0"}, {"y", percent_text(y(tick))}, {"dx", "3"}, {"dy", "-3"}},
                    fmt::format("{:g}", tick));
    }
    html_.element("text", {{"x", "0"}, {"y", "0"}, {"dy", "-6"}},
                  fmt::format("\u2191 {} for each multiply-accumulate, logarithmic", unit_));
    html_.element("text", {{"class", "left"}, {"x", "100%"}, {"y", "100%"}, {"dy", "16"}},
                  "bytes loaded and stored for each multiply-accumulate, logarithmic \u2192");
  }

  /// A link to the row of the first call. Bounds are lines through the circle.
  void circle(const Spot& spot) {
    constexpr double kLargest = 60;  // pixels of the radius of all calls together
    constexpr double kSmallest = 4;
    const double radius = std::max(kSmallest, kLargest * std::sqrt(place_of(spot.share)));
    const double at_x = x(place_of(spot.bytes));
    const double at_y = y(place_of(spot.cost));
    html_.open("a", {{"href", "#" + fragment(module_.call_id(index(spot.calls.front())))},
                     {"class", "call"}});
    html_.element("title", title_of(spot));
    // Without an upper bound, to the edge.
    if (!spot.cost.max || !is_near(spot.cost.min, *spot.cost.max)) {
      line("bounds", at_x, y(spot.cost.min), at_x, spot.cost.max ? at_y : 0);
    }
    if (!spot.bytes.max || !is_near(spot.bytes.min, *spot.bytes.max)) {
      line("bounds", x(spot.bytes.min), at_y, spot.bytes.max ? at_x : 100, at_y);
    }
    html_.open("circle", {{"cx", percent_text(at_x)},
                          {"cy", percent_text(at_y)},
                          {"r", fmt::format("{:.1f}", radius)}});
    html_.close("circle");
    label(spot, at_x, at_y, radius);
    html_.close("a");
  }

  /// Beside the circle, where there is more space. A call that takes hardly anything has none.
  void label(const Spot& spot, double x, double y, double radius) {
    constexpr double kLeast = 0.005;
    constexpr double kMiddle = 50;
    constexpr double kSpace = 4;
    if (place_of(spot.share) < kLeast) return;
    const CallReport& first = module_.report.calls[index(spot.calls.front())];
    const bool is_right = x < kMiddle;
    html_.element(
        "text",
        {{"class", is_right ? "right" : "left"},
         {"x", percent_text(x)},
         {"y", percent_text(y)},
         {"dx", fmt::format("{:.1f}", is_right ? radius + kSpace : -radius - kSpace)}},
        fmt::format("{} {}", numbers_of(spot.calls), shortened(call_name(module_.report, first))));
  }

  std::string title_of(const Spot& spot) const {
    const CallReport& first = module_.report.calls[index(spot.calls.front())];
    return fmt::format(
        "call{} {}, {}: {} {} and {} bytes for each multiply-accumulate, {} % of all {}",
        spot.calls.size() > 1 ? "s" : "", numbers_of(spot.calls),
        module_.report.kernels[first.kernel].short_name, to_string(spot.cost), unit_,
        to_string(spot.bytes), to_string(spot.share * 100), unit_);
  }

  /// What the drawing lacks, with its share.
  void note() {
    std::string text = fmt::format(
        "The area of a circle is the share of its calls in all {}; beside it are their numbers and "
        "the name of the first.",
        unit_);
    const auto add = [&](const std::vector<graph::CallId>& calls, std::string_view what) {
      const auto share = share_of(module_.report, calls);
      if (calls.empty() || !share) return;
      text += fmt::format(" Not shown: {} call{} {}, {} % of all {}.", calls.size(),
                          calls.size() == 1 ? "" : "s", what, to_string(*share * 100), unit_);
    };
    add(all_.without, "without a multiply-accumulate");
    add(all_.inexact, "without an exact number of multiply-accumulates or bytes");
    html_.element("p", {{"class", "note"}}, text);
  }

  HtmlWriter& html_;
  const ModuleView& module_;
  Spots all_;
  std::vector<Spot>& spots_;
  Scale across_;
  Scale up_;
  std::string_view unit_;
};

}  // namespace

void write_roofline(HtmlWriter& html, const ModuleView& module) {
  Spots spots = spots_of(module.report);
  if (!spots.shown.empty()) Roofline(html, module, std::move(spots)).write();
}

}  // namespace mlf::page
