// The memory map: address by step, for every writable region. Rectangles have coordinates in steps
// and bytes, and the view box scales them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

#include "page/parts.h"

namespace mlf::page {
namespace {

/// Colours of the style sheet; neighbours in time have different ones.
constexpr std::size_t kColours = 6;

std::string call_list(const PageModule& data) {
  std::string list;
  for (const auto& call : data.calls) {
    if (!list.empty()) list += ' ';
    list += call ? std::to_string(index(*call)) : "-";
  }
  return list;
}

/// Steps with at most three decimals: a tensor may be live for only a part of a step.
std::string steps_text(double steps) {
  constexpr double kParts = 1000;
  return fmt::format("{}", std::round(steps * kParts) / kParts);
}

/// The number of bytes, for the script, if the height of a rectangle is not it.
HtmlWriter::Attribute bytes_attribute(const std::string& bytes, const std::string& height) {
  return {bytes == height ? "" : "data-bytes", bytes};
}

/// `height` is that of the drawing, in bytes.
void rectangle(HtmlWriter& html, std::uint64_t height, const MapTensor& tensor,
               const std::string& look) {
  const std::uint64_t end = tensor.offset + tensor.bytes;
  const std::string bytes = std::to_string(tensor.bytes);
  const std::string its_height = drawn_length(tensor.bytes, height);
  html.open("rect", {{"class", look},
                     {"x", steps_text(tensor.begin)},
                     // The start of the pool is at the bottom.
                     {"y", drawn_length(height > end ? height - end : 0, height)},
                     {"width", steps_text(tensor.end - tensor.begin)},
                     {"height", its_height},
                     bytes_attribute(bytes, its_height),
                     {"data-offset", std::to_string(tensor.offset)}});
  // The script takes the name from the title.
  html.element("title", fmt::format("{}: {} bytes at {}, steps {} to {}{}", tensor.name,
                                    number_text(tensor.bytes), number_text(tensor.offset),
                                    std::floor(tensor.begin), std::ceil(tensor.end) - 1,
                                    tensor.is_scratch ? ", scratch" : ""));
  html.close("rect");
}

/// If a step has more tensors, gives only their number: a step is a line of text, not a table.
constexpr std::size_t kMostNames = 40;

/// Calls `write` for each run of steps with the same tensors and the same number of bytes in use.
/// Tensors are live in whole steps.
template <class Write>
void for_each_run(const MemoryMap& map, std::uint64_t steps, const Write& write) {
  std::vector<const MapTensor*> by_first;
  std::set<std::uint64_t> changes{steps};
  for (const MapTensor& tensor : map.tensors) {
    by_first.push_back(&tensor);
    changes.insert(static_cast<std::uint64_t>(tensor.begin));
    changes.insert(static_cast<std::uint64_t>(tensor.end));
  }
  for (const graph::LiveBytes& live : map.live) changes.insert(live.position);
  std::ranges::stable_sort(by_first, {}, &MapTensor::begin);
  std::vector<const MapTensor*> alive;
  std::size_t next = 0;
  std::size_t live = 0;
  for (auto at = changes.begin(); *at < steps; ++at) {
    const auto step = static_cast<double>(*at);
    std::erase_if(alive, [&](const MapTensor* tensor) { return tensor->end <= step; });
    for (; next < by_first.size() && by_first[next]->begin <= step; ++next) {
      alive.push_back(by_first[next]);
    }
    while (live < map.live.size() && map.live[live].position <= *at) ++live;
    write(*at, *std::next(at), live == 0 ? 0 : map.live[live - 1].bytes, alive);
  }
}

/// "sid_5: 512 bytes", a line each.
std::string names_of(const std::vector<const MapTensor*>& alive) {
  std::string names;
  for (std::size_t i = 0; i < std::min(alive.size(), kMostNames); ++i) {
    names += fmt::format("\n{}: {} bytes", alive[i]->name, number_text(alive[i]->bytes));
  }
  if (alive.size() > kMostNames) names += fmt::format("\nand {} more", alive.size() - kMostNames);
  return names;
}

/// Bytes in use, step by step, if offsets are unknown.
void amounts(HtmlWriter& html, const PageModule& data, const MemoryMap& map, std::uint64_t height) {
  for_each_run(map, data.steps,
               [&](std::uint64_t first, std::uint64_t next, std::uint64_t bytes,
                   const std::vector<const MapTensor*>& alive) {
                 if (bytes == 0) return;
                 const std::string number = std::to_string(bytes);
                 const std::string its_height = drawn_length(bytes, height);
                 html.open("rect", {{"class", "use"},
                                    {"x", std::to_string(first)},
                                    {"y", drawn_length(height - std::min(height, bytes), height)},
                                    {"width", std::to_string(next - first)},
                                    {"height", its_height},
                                    bytes_attribute(number, its_height)});
                 // The script shows the lines after the first one.
                 html.element("title",
                              fmt::format("{} bytes in use, steps {} to {}{}", number_text(bytes),
                                          first, next - 1, names_of(alive)));
                 html.close("rect");
               });
}

/// A line at the call with the most memory in use. Letters do not follow the scale of a drawing.
void mark_peak(HtmlWriter& html, const PageModule& data, graph::CallId peak) {
  const auto step = std::ranges::find(data.calls, std::optional(peak)) - data.calls.begin();
  const double x = 100 * (static_cast<double>(step) + 0.5) / data.steps;
  const std::string at = fmt::format("{:.2f}%", x);
  html.open("svg", {{"class", "marks"}, {"aria-hidden", "true"}});
  html.open("line", {{"x1", at}, {"x2", at}, {"y2", "100%"}});
  html.close("line");
  html.element("text", {{"class", x < 50 ? "right" : "left"}, {"x", at}, {"y", "0"}, {"dy", "-4"}},
               fmt::format("peak: call {}", index(peak)));
  html.close("svg");
}

/// The frame of a drawing of this many bytes: caption, scale, and the ends of the axes.
template <class Draw>
void write_plot(HtmlWriter& html, const PageModule& data, std::uint64_t height,
                const std::string& label, bool is_pool, std::optional<graph::CallId> peak,
                Draw draw) {
  html.element("figcaption", label);
  html.open("div", {{"class", "plot"}});
  html.element("span", {{"class", "top"}}, number_text(height));
  html.element("span", {{"class", "bottom"}}, "0");
  html.open("svg", {{"viewBox", fmt::format("0 0 {} {}", data.steps, drawn_length(height, height))},
                    {"preserveAspectRatio", "none"},
                    {"role", "img"},
                    {"aria-label", label + ", address by step"},
                    {"class", is_pool ? "places" : "amounts"}});
  draw();
  html.close("svg");
  if (peak) mark_peak(html, data, *peak);
  html.element("span", {{"class", "first"}}, "step 0");
  html.element("span", {{"class", "last"}}, fmt::format("step {}", data.steps - 1));
  html.close("div");
}

/// The bytes that two tensors have at one time, as a tensor of both names.
std::vector<MapTensor> shared_by(const std::vector<MapTensor>& tensors) {
  std::vector<const MapTensor*> by_first;
  for (const MapTensor& tensor : tensors) by_first.push_back(&tensor);
  std::ranges::stable_sort(by_first, {}, &MapTensor::begin);
  std::vector<const MapTensor*> alive;
  std::vector<MapTensor> shared;
  for (const MapTensor* one : by_first) {
    std::erase_if(alive, [&](const MapTensor* other) { return other->end <= one->begin; });
    for (const MapTensor* other : alive) {
      const std::uint64_t first = std::max(one->offset, other->offset);
      const std::uint64_t last = std::min(one->offset + one->bytes, other->offset + other->bytes);
      if (first >= last) continue;
      shared.push_back({fmt::format("{} and {} share", other->name, one->name), first, last - first,
                        one->begin, std::min(one->end, other->end)});
    }
    alive.push_back(one);
  }
  return shared;
}

void rectangles(HtmlWriter& html, std::uint64_t height, const std::vector<MapTensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    rectangle(html, height, tensors[i],
              tensors[i].is_scratch ? "scratch" : fmt::format("tensor t{}", i % kColours));
  }
  for (const MapTensor& one : shared_by(tensors)) rectangle(html, height, one, "shared");
}

/// How a map is shown.
struct MapView {
  std::string when{};        ///< before the name of the region
  std::uint64_t height = 0;  ///< bytes that the drawing shows
  std::string calls{};       ///< the calls to which the script links, by step
  std::string id{};          ///< of the figure; empty: none
  std::optional<graph::CallId> peak{};
};

void write_map(HtmlWriter& html, const PageModule& data, const MemoryMap& map,
               const MapView& view) {
  const bool is_pool = map.kind == graph::MemoryKind::pool;
  html.open("figure",
            {{view.id.empty() ? "" : "id", view.id}, {"class", "map"}, {"data-calls", view.calls}});
  write_plot(html, data, view.height,
             fmt::format("{}{}{}, {} bytes", view.when, is_pool ? "pool " : "", map.name,
                         number_text(map.bytes)),
             is_pool, view.peak, [&] {
               is_pool ? rectangles(html, view.height, map.tensors)
                       : amounts(html, data, map, view.height);
             });
  if (is_pool && !shared_by(map.tensors).empty()) {
    html.element("p", {{"class", "note"}},
                 "Dashed: bytes that two tensors have in one call. A kernel may write its result "
                 "over what it has read before.");
  }
  reasons(html, map.uncertain);
  if (!map.left_out.empty()) {
    std::string names;
    for (const std::string& name : map.left_out) names += (names.empty() ? "" : ", ") + name;
    html.element("p", {{"class", "note"}},
                 fmt::format("Not shown, because their {} is unknown: {}",
                             is_pool ? "offset" : "size", names));
  }
  html.close("figure");
}

/// Uses the scale of the present pool: the empty space at the top is the gain.
void write_planned(HtmlWriter& html, const PageModule& data, const MemoryMap& map,
                   std::optional<graph::CallId> peak) {
  html.open("figure", {{"class", "map planned"}, {"data-calls", call_list(data)}});
  write_plot(
      html, data, map.bytes,
      fmt::format("planned pool {}, {} bytes: {} fewer", map.name, number_text(map.planned->bytes),
                  number_text(map.bytes - map.planned->bytes)),
      true, peak, [&] { rectangles(html, map.bytes, map.planned->tensors); });
  html.element(
      "p", {{"class", "note"}},
      "To write an archive with these offsets, run mlf optimize --only ram -o NEW.tar ARCHIVE.");
  html.close("figure");
}

/// A region of no bytes has nothing to see.
bool is_shown(const MemoryMap& map) {
  return map.bytes > 0;
}

}  // namespace

bool has_memory(const ModuleView& module) {
  return module.data.steps > 0 && std::ranges::any_of(module.data.maps, is_shown);
}

void write_memory(HtmlWriter& html, const ModuleView& module) {
  if (!has_memory(module)) return;
  html.element("h3", {{"id", module.id("memory")}}, "Memory by step");
  html.element("p", {{"class", "note"}},
               "Left to right: the steps of a run. Bottom to top: the addresses of a pool, with "
               "workspaces in yellow; elsewhere, the bytes in use.");
  html.open("div", {{"class", "maps"}});
  for (const MemoryMap& map : module.data.maps) {
    if (!is_shown(map)) continue;
    write_map(html, module.data, map,
              {"", map.bytes, call_list(module.data), module.id("memory=" + map.name),
               module.report.peak.call});
    if (map.planned) write_planned(html, module.data, map, module.report.peak.call);
  }
  html.close("div");
}

void write_memory_of_two(HtmlWriter& html, const PageModule& before, const PageModule& after) {
  const auto same_in = [](const PageModule& data, const MemoryMap& map) -> const MemoryMap* {
    const auto found = std::ranges::find_if(data.maps, [&](const MemoryMap& one) {
      return one.kind == map.kind && one.name == map.name && is_shown(one);
    });
    return found == data.maps.end() ? nullptr : &*found;
  };
  html.open("div", {{"class", "maps"}});
  for (const MemoryMap& map : before.maps) {
    if (!is_shown(map)) continue;
    const MemoryMap* other = same_in(after, map);
    const std::uint64_t height = std::max(map.bytes, other == nullptr ? 0 : other->bytes);
    write_map(html, before, map, {"Before: ", height, ""});
    if (other != nullptr) write_map(html, after, *other, {"After: ", height, ""});
  }
  for (const MemoryMap& map : after.maps) {
    if (!is_shown(map) || same_in(before, map) != nullptr) continue;
    write_map(html, after, map, {"After: ", map.bytes, ""});
  }
  html.close("div");
}

}  // namespace mlf::page
