#include <array>
#include <memory>
#include <stdexcept>

#include "drawing/graphviz.h"
#include "mlf/drawing.h"

namespace mlf::drawing {
namespace {

struct Release {
  void operator()(GVC_t* context) const { graphviz().gvFreeContext(context); }
  void operator()(Agraph_t* graph) const { graphviz().agclose(graph); }
  void operator()(char* data) const { graphviz().gvFreeRenderData(data); }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

/// Graphviz by itself takes every plugin of the machine, Pango among them: the widths of text, and
/// with them the whole picture, would be those of the fonts that are installed. Without Pango they
/// are those of tables inside Graphviz, the same everywhere.
Owned<GVC_t> own_context() {
  const Plugins plugins = find_plugins();
  if (plugins.core == nullptr || plugins.dot_layout == nullptr) {
    return Owned<GVC_t>(graphviz().gvContext());
  }
  const std::array<lt_symlist_t, 3> builtins{
      {{"gvplugin_dot_layout_LTX_library", plugins.dot_layout},
       {"gvplugin_core_LTX_library", plugins.core},
       {nullptr, nullptr}}};
  constexpr int kNoOthers = 0;
  return Owned<GVC_t>(graphviz().gvContextPlugins(builtins.data(), kNoOthers));
}

/// A layout belongs to its graph and context, and goes before them.
struct Layout {
  GVC_t* context;
  Agraph_t* graph;
  ~Layout() { graphviz().gvFreeLayout(context, graph); }
};

tl::unexpected<Diagnostic> fail(ErrorKind kind, std::string message) {
  if (const char* reason = graphviz().aglasterr()) message += std::string(": ") + reason;
  while (message.ends_with('\n')) message.pop_back();
  return tl::make_unexpected(Diagnostic{kind, std::move(message), {}});
}

/// The picture in a format of Graphviz, laid out by the plugins of the context.
Result<std::string> draw(GVC_t* context, const std::string& dot, const char* format) {
  const Owned<Agraph_t> graph(graphviz().agmemread(dot.c_str()));
  if (!graph) return fail(ErrorKind::invalid_input, "Graphviz cannot read the graph");
  if (graphviz().gvLayout(context, graph.get(), "dot") != 0) {
    return fail(ErrorKind::internal, "Graphviz cannot lay out the graph");
  }
  const Layout layout{context, graph.get()};
  char* data = nullptr;
  unsigned size = 0;
  if (graphviz().gvRenderData(context, graph.get(), format, &data, &size) != 0) {
    return fail(ErrorKind::internal, std::string("Graphviz cannot draw the graph as ") + format);
  }
  const Owned<char> owned(data);
  return std::string(data, size);
}

template <class Draw>
Result<std::string> with_graphviz(Draw draw_picture) {
  try {
    graphviz().agseterr(AGMAX);  // errors are asked for, not printed
    return draw_picture();
  } catch (const std::runtime_error& error) {
    const std::string message = std::string("Graphviz cannot be loaded: ") + error.what();
    return tl::make_unexpected(Diagnostic{ErrorKind::io, message, {}});
  }
}

}  // namespace

Result<std::string> svg_from_dot(const std::string& dot) {
  return with_graphviz([&] {
    const Owned<GVC_t> context = own_context();
    return draw(context.get(), dot, "svg");
  });
}

// Letters become pixels here: a renderer with fonts is needed, and the layout has to be for them.
Result<std::string> png_from_dot(const std::string& dot) {
  return with_graphviz([&] {
    const Owned<GVC_t> context(graphviz().gvContext());
    return draw(context.get(), dot, "png");
  });
}

}  // namespace mlf::drawing
