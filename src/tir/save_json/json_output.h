// JSON in the layout of TVM's own writer: indented by two, a blank behind commas, escapes only for
// what it escapes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "mlf/tir/write.h"
#include "support/byte_sink.h"

namespace mlf::tir::save_json {

/// Collects output and hands it on in blocks. `finish` must be called at the end.
class JsonOutput final : public support::ByteSink {
 public:
  explicit JsonOutput(const Sink& sink) : sink_(sink) {}

  void write(std::string_view bytes) override;
  void write_quoted(std::string_view text);
  void write_number(std::uint64_t number);
  /// An array of numbers: on one line up to ten, beyond that a line each, indented by `indent`.
  void write_numbers(std::span<const std::uint32_t> numbers, std::size_t indent);
  void finish();

 private:
  const Sink& sink_;
  std::string buffer_;
};

}  // namespace mlf::tir::save_json
