// Destinations of streamed output: a string, a file, a new archive member.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "mlf/formats.h"

namespace mlf::support {

/// Takes bytes in order. Writers pass blocks of some kilobytes; a sink that writes to the system
/// has its own buffer. A sink that fails throws `Error`.
class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;

  virtual void write(std::string_view bytes) = 0;
};

/// Collects everything in memory.
class StringSink final : public ByteSink {
 public:
  void write(std::string_view bytes) override { text_ += bytes; }

  const std::string& text() const noexcept { return text_; }
  std::string take() noexcept { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

/// Passes everything to a function, which must outlive the sink.
class FunctionSink final : public ByteSink {
 public:
  explicit FunctionSink(const Sink& sink) : sink_(sink) {}
  void write(std::string_view bytes) override { sink_(bytes); }

 private:
  const Sink& sink_;
};

}  // namespace mlf::support
