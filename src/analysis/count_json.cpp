#include "analysis/count_json.h"

namespace mlf::analysis {
namespace {

void write_bound(json::Writer& out, const std::optional<std::uint64_t>& bound) {
  if (!bound) return out.null();
  out.integer(static_cast<std::int64_t>(*bound));
}

}  // namespace

void write_json(json::Writer& out, const Count& count) {
  if (count.is_exact()) return write_bound(out, count.min);
  if (count.min == 0 && !count.max) return out.null();
  out.begin_object();
  out.key("min");
  write_bound(out, count.min);
  out.key("max");
  write_bound(out, count.max);
  out.end_object();
}

}  // namespace mlf::analysis
