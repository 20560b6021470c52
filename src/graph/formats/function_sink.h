// The public kind of sink as the kind that the emitter writes to.
#pragma once

#include "mlf/tir/write.h"
#include "support/byte_sink.h"

namespace mlf::graph {

class FunctionSink final : public support::ByteSink {
 public:
  explicit FunctionSink(const tir::Sink& sink) : sink_(sink) {}
  void write(std::string_view bytes) override { sink_(bytes); }

 private:
  const tir::Sink& sink_;
};

}  // namespace mlf::graph
