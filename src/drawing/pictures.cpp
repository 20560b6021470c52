#include <array>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

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

/// What cgraph reads a graph with. Its own `AgIdDisc` takes addresses of names as ids, and
/// subgraphs are in the order of their ids: pictures of equal graphs would differ. These ids count.
class GraphText {
 public:
  explicit GraphText(std::string_view text) : text_(text) {}

  /// Must not outlive this object. Null if the text is not a graph.
  Owned<Agraph_t> read() { return Owned<Agraph_t>(graphviz().agread(this, &discipline_)); }

 private:
  /// The state of the ids: this object, whose first member `discipline` is.
  static void* open_ids(Agraph_t*, Agdisc_t* discipline) {
    return reinterpret_cast<GraphText*>(discipline);
  }
  /// Leaves names of nodes and edges to cgraph's own table, which asks again for an id without a
  /// name. It would never free its entry for the whole graph, so graphs have a table here.
  static long map_id(void* state, int type, char* name, IDTYPE* id, int create) {
    GraphText& text = *static_cast<GraphText*>(state);
    if (type == AGRAPH && name != nullptr) return text.map_graph(name, *id, create != 0);
    if (name != nullptr || create == 0) return 0;
    *id = ++text.last_id_;
    return 1;
  }
  /// Without memory, cgraph's own table serves.
  long map_graph(const char* name, IDTYPE& id, bool create) try {
    auto found = graphs_.find(name);
    if (found == graphs_.end()) {
      if (!create) return 0;
      found = graphs_.emplace(name, ++last_id_).first;
    }
    id = found->second;
    return 1;
  } catch (const std::bad_alloc&) {
    return 0;
  }
  static char* name_of(void* state, int type, IDTYPE id) {
    if (type != AGRAPH) return nullptr;
    for (const auto& [name, one] : static_cast<GraphText*>(state)->graphs_) {
      // cgraph does not change names.
      if (one == id) return const_cast<char*>(name.c_str());
    }
    return nullptr;
  }
  static long refuse_id(void*, int, IDTYPE) { return 0; }
  static void free_id(void*, int, IDTYPE) {}
  static void close_ids(void*) {}
  static void register_id(void*, int, void*) {}

  static int read_some(void* channel, char* buffer, int size) {
    std::string_view& rest = static_cast<GraphText*>(channel)->text_;
    const std::size_t count = rest.copy(buffer, static_cast<std::size_t>(size));
    rest.remove_prefix(count);
    return static_cast<int>(count);
  }

  Agdisc_t discipline_{nullptr, &ids_, &io_};
  Agiddisc_t ids_{open_ids, map_id, refuse_id, free_id, name_of, close_ids, register_id};
  Agiodisc_t io_{read_some, nullptr, nullptr};
  std::string_view text_;
  IDTYPE last_id_ = 0;
  std::map<std::string, IDTYPE, std::less<>> graphs_;
};

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
  GraphText text(dot);
  const Owned<Agraph_t> graph = text.read();
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
