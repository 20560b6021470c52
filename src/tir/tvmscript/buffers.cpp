#include "tir/tvmscript/buffers.h"

#include <fmt/core.h>

#include "tir/tvmscript/conversions.h"

namespace mlf::tir::tvmscript {
namespace {

using text::BufferSpec;

/// The keywords are those of all versions; the scope and the type have two spellings.
class BufferDeclaration {
 public:
  BufferDeclaration(Context& context, std::string_view name, const Arguments& args,
                    std::size_t shape)
      : c_(context), args_(args), shape_(shape) {
    spec_.name = name;
    spec_.dtype = DType::Float(32);
  }

  NodeId make() {
    args_.expect_keywords({"shape", "dtype", "data", "strides", "elem_offset", "scope",
                           "storage_scope", "align", "offset_factor", "buffer_type",
                           "axis_separators", "logical_shape", "layout", "type"});
    spec_.shape = as_exprs(c_, args_.get(shape_, "shape"));
    if (const auto dtype = args_.find(shape_ + 1, "dtype")) spec_.dtype = as_dtype(c_, *dtype);
    read_layout();
    read_data();
    read_offset();
    if (has_defaults_) c_.lose(LossCode::buffer_defaults);
    const NodeId buffer = c_.make.buffer(spec_);
    if (!states_alignment_) c_.default_aligned.push_back(buffer);
    return buffer;
  }

 private:
  /// What the parser assumes where nothing is said: no strides, alignment by the version.
  void read_layout() {
    if (const auto strides = present("strides", 3)) {
      for (const Value& stride : c_.values.elements(*strides)) {
        spec_.strides.push_back(read_stride(stride));
      }
    }
    if (const auto align = present("align", 6)) {
      states_alignment_ = true;
      if (as_integer(c_, *align) > 0) spec_.data_alignment = as_integer(c_, *align);
    } else {
      has_defaults_ = true;
    }
    auto type = present("buffer_type", 8);
    if (!type) type = args_.keyword("type");
    if (type && as_string(c_, *type) == "auto") spec_.type = BufferType::auto_broadcast;
    if (const auto separators = present("axis_separators", 9)) {
      spec_.axis_separators = as_exprs(c_, *separators);
    }
  }

  /// A string names a stride that nothing else defines. TVM's parser gives it the dtype of the
  /// first extent (script/ir_builder/tir/ir.py).
  NodeId read_stride(const Value& stride) {
    if (stride.kind != ValueKind::string) return as_expr(c_, stride);
    return c_.make.var(as_string(c_, stride), c_.make.prim_type(index_dtype()));
  }

  DType index_dtype() const {
    return spec_.shape.empty() ? DType::Int(32) : c_.make.dtype_of(spec_.shape.front());
  }

  /// Without data= the pointer comes along with the buffer and has no name of its own.
  void read_data() {
    if (const auto data = present("data", 2)) {
      spec_.data = as_var(c_, *data);
      return;
    }
    auto scope = present("scope", 5);
    if (!scope) scope = args_.keyword("storage_scope");
    c_.lose(LossCode::data_var, spec_.name);
    const NodeId type = c_.make.pointer_type(c_.make.prim_type(stored_dtype(spec_.dtype)),
                                             scope ? as_string(c_, *scope) : "global");
    spec_.data = c_.make.var(spec_.name, type);
  }

  /// A printed factor without an offset: the offset is a variable of its own.
  void read_offset() {
    const auto factor = present("offset_factor", 7);
    if (factor) spec_.offset_factor = as_integer(c_, *factor);
    if (const auto offset = present("elem_offset", 4)) {
      spec_.elem_offset = as_expr(c_, *offset);
    } else if (factor && spec_.offset_factor != 0) {
      spec_.elem_offset =
          c_.make.var(fmt::format("{}_elem_offset", spec_.name), c_.make.prim_type(index_dtype()));
    } else {
      has_defaults_ = true;
    }
    if (spec_.offset_factor == 0) spec_.offset_factor = 1;
  }

  /// An argument by position behind the shape or by name; None is as good as not there.
  std::optional<Value> present(std::string_view name, std::size_t behind_shape) const {
    const auto value = args_.find(shape_ + behind_shape, name);
    return value && value->kind != ValueKind::none ? value : std::nullopt;
  }

  Context& c_;
  const Arguments& args_;
  std::size_t shape_;
  bool has_defaults_ = false;
  bool states_alignment_ = false;
  BufferSpec spec_{};
};

}  // namespace

DType stored_dtype(DType dtype) {
  return dtype.is_bool() ? DType::Int(8).with_lanes(dtype.lanes) : dtype;
}

NodeId declare_buffer(Context& c, std::string_view name, const Arguments& args, std::size_t shape) {
  return BufferDeclaration(c, name, args, shape).make();
}

}  // namespace mlf::tir::tvmscript
