// A compilation target as TVM writes it into metadata, attributes and printed TIR.
//
//     const auto target = mlf::parse_target("c -keys=arm_cpu,cpu -mcpu=cortex-m4");
//     if (target) print(target->kind);  // c
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"

namespace mlf {

/// An attribute value of no kind TVM's targets have (an object, null, a fraction), as JSON text.
struct JsonText {
  std::string text;

  friend bool operator==(const JsonText&, const JsonText&) = default;
};

/// The value of one target attribute.
///
/// The command line does not say which type an attribute has. Names TVM registers as string, list
/// or boolean get that type (`-mcpu=7` is a string, `-link-params=0` a boolean); any other value
/// is an integer if it is spelled like a 64-bit one, else a string.
struct TargetValue {
  std::variant<bool, std::int64_t, std::string, std::vector<TargetValue>, JsonText> value;

  friend bool operator==(const TargetValue&, const TargetValue&) = default;
};

struct TargetAttr {
  std::string name;  ///< without leading dashes: "mcpu", "link-params"
  TargetValue value;

  friend bool operator==(const TargetAttr&, const TargetAttr&) = default;
};

struct Target {
  std::string text;  ///< exactly what was parsed
  std::string kind;  ///< "c", "llvm", "cmsis-nn", …; any name, known or not
  std::string tag;   ///< mostly empty
  std::vector<std::string> keys;
  std::vector<TargetAttr> attrs;       ///< in the order of the text; without keys, tag and host
  std::shared_ptr<const Target> host;  ///< null if none is written; its own text is its part

  /// DLDeviceType: the attribute `target_device_type` if there is one (TVM v0.13+), else
  /// `default_device_type(kind)`.
  std::optional<std::int32_t> device_type;

  /// The attribute's value, or null.
  MLF_API const TargetValue* find(std::string_view name) const noexcept;
};

/// The DLDeviceType TVM registers for a target kind: 1 for c, llvm, cmsis-nn, ethos-u and every
/// other kind that runs on the CPU, 2 for cuda, 4 for opencl, 7 for vulkan, 8 for metal, 10 for
/// rocm, 12 for ext_dev, 15 for webgpu, … Nothing for a kind TVM v0.8–v0.18 does not register.
///
/// Two numbers changed with DLPack: hexagon 14 → 16 and aocl 5 → 32. Returns the newer one. If an
/// archive states the number itself (metadata up to version 5), use that.
MLF_API std::optional<std::int32_t> default_device_type(std::string_view kind) noexcept;

/// How the integers of a printed `Target(…)` are written. The legacy text printer of TVM
/// v0.10–v0.11 leaves its stream in hexadecimal after the leading `id=`.
enum class TargetIntegers : std::uint8_t { decimal, hexadecimal };

/// Reads every text form of a target. The beginning of the text decides the form:
/// - `c -keys=arm_cpu,cpu -link-params=0 -host='llvm -mcpu=x'`, TVM's command line. Quotes are
///   single quotes, around a value (v0.12+) or a whole argument (`'-mcpu=a b'`, up to v0.11); a
///   flag without value means 1.
/// - `{"kind": "c", "keys": ["cpu"], "link-params": 0, "host": …}`, TVM's JSON configuration.
/// - `Target(kind='c', keys={'cpu'}, attrs={'link-params': (bool)0}, host=Target(…))`, the debug
///   form of printed TIR, with v0.8's mismatched quotes (`"link-params': `) and v0.10+'s `id=`.
///
/// Errors: `invalid_input` with line and column inside `text`.
MLF_API Result<Target> parse_target(std::string_view text,
                                    TargetIntegers integers = TargetIntegers::decimal);

}  // namespace mlf
