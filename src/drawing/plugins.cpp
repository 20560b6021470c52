#include "drawing/plugins.h"

#ifdef MLF_GRAPHVIZ_PLUGINS_LINKED

extern "C" {
extern char gvplugin_core_LTX_library[];
extern char gvplugin_dot_layout_LTX_library[];
}

namespace mlf::drawing {

// A program that carries its libraries along, such as that of the Python wheel.
Plugins find_plugins() {
  return {gvplugin_core_LTX_library, gvplugin_dot_layout_LTX_library};
}

}  // namespace mlf::drawing

#else

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace mlf::drawing {
namespace {

/// Never closed: Graphviz keeps pointers into it. Null where this Graphviz is elsewhere.
void* exported(const char* library, const char* name) {
  if (::access(library, F_OK) != 0 && errno == ENOENT) return nullptr;
  if (void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL)) return ::dlsym(handle, name);
  throw std::runtime_error(::dlerror());
}

}  // namespace

// Their folder belongs to Graphviz; Debian's packages may not have it in a search path of theirs.
Plugins find_plugins() {
  return {exported(MLF_GRAPHVIZ_CORE, "gvplugin_core_LTX_library"),
          exported(MLF_GRAPHVIZ_DOT_LAYOUT, "gvplugin_dot_layout_LTX_library")};
}

}  // namespace mlf::drawing

#endif
