// The readers behind `parse_target`, one per text form. They throw `support::Error`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "mlf/target.h"
#include "support/source_text.h"

namespace mlf::targets {

/// Hosts around hosts; TVM has one, or none.
inline constexpr std::size_t kMaxHosts = 8;
inline constexpr const char* kTooManyHosts = "more than 8 hosts around a target";

/// Any of the three forms; `hosts_around` counts the targets whose host this is.
Target read_target(std::string_view text, TargetIntegers integers, std::size_t hosts_around = 0);

Target read_command_line_target(const support::SourceText& source, std::size_t hosts_around);
Target read_json_target(const support::SourceText& source, std::size_t hosts_around);
/// Hosts are part of the same text.
Target read_printed_target(const support::SourceText& source, TargetIntegers integers);

std::optional<std::int32_t> infer_device_type(const Target& target);

/// Which type TVM registers for an attribute of this name; `unknown` for names it does not.
enum class AttrType : std::uint8_t { unknown, boolean, string, list };
AttrType attr_type(std::string_view name) noexcept;

}  // namespace mlf::targets
