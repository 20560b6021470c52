// What TVM's registry of target kinds says about names.
#include <algorithm>
#include <array>

#include "mlf/target.h"
#include "target/readers.h"

namespace mlf {
namespace {

// DLDeviceType of dlpack.h and TVM's extensions of it (runtime/c_runtime_api.h).
constexpr std::int32_t kCpu = 1;
constexpr std::int32_t kCuda = 2;
constexpr std::int32_t kOpenCl = 4;
constexpr std::int32_t kVulkan = 7;
constexpr std::int32_t kMetal = 8;
constexpr std::int32_t kRocm = 10;
constexpr std::int32_t kExtDev = 12;
constexpr std::int32_t kWebGpu = 15;
constexpr std::int32_t kHexagon = 16;
constexpr std::int32_t kAocl = 32;

struct KindRow {
  std::string_view kind;
  std::int32_t device_type;
};

// TVM_REGISTER_TARGET_KIND of v0.8 to v0.18, sorted by name. BYOC targets (cmsis-nn, ethos-u) run
// where their host runs, so that their device is the CPU.
constexpr std::array kKinds = {
    KindRow{"aocl", kAocl},      KindRow{"aocl_sw_emu", kAocl},
    KindRow{"c", kCpu},          KindRow{"ccompiler", kCpu},
    KindRow{"cmsis-nn", kCpu},   KindRow{"composite", kCpu},
    KindRow{"cuda", kCuda},      KindRow{"cutlass", kCuda},
    KindRow{"ethos-u", kCpu},    KindRow{"example_target_hook", kCpu},
    KindRow{"ext_dev", kExtDev}, KindRow{"hexagon", kHexagon},
    KindRow{"hybrid", kCpu},     KindRow{"llvm", kCpu},
    KindRow{"metal", kMetal},    KindRow{"mrvl", kCpu},
    KindRow{"nvptx", kCuda},     KindRow{"opencl", kOpenCl},
    KindRow{"rocm", kRocm},      KindRow{"sdaccel", kOpenCl},
    KindRow{"stackvm", kCpu},    KindRow{"tensorrt", kCuda},
    KindRow{"test", kCpu},       KindRow{"vulkan", kVulkan},
    KindRow{"webgpu", kWebGpu},
};

}  // namespace

/// A vendor's own kind is unknown here, which is different from being the CPU.
std::optional<std::int32_t> default_device_type(std::string_view kind) noexcept {
  const auto row = std::find_if(kKinds.begin(), kKinds.end(),
                                [kind](const KindRow& entry) { return entry.kind == kind; });
  if (row == kKinds.end()) return std::nullopt;
  return row->device_type;
}

namespace targets {
namespace {

struct AttrRow {
  std::string_view name;
  AttrType type;
};

// `.add_attr_option` of all kinds together: a name has one type wherever it is registered. What is
// registered as a boolean may be written as a number, and a list as one string with commas.
constexpr std::array kAttrs = {
    AttrRow{"accelerator_config", AttrType::string},
    AttrRow{"arch", AttrType::string},
    AttrRow{"cl-opt", AttrType::list},
    AttrRow{"device", AttrType::string},
    AttrRow{"executor", AttrType::string},
    AttrRow{"interface-api", AttrType::string},
    AttrRow{"libs", AttrType::list},
    AttrRow{"link-params", AttrType::boolean},
    AttrRow{"llvm-options", AttrType::list},
    AttrRow{"mabi", AttrType::string},
    AttrRow{"march", AttrType::string},
    AttrRow{"mattr", AttrType::list},
    AttrRow{"mcpu", AttrType::string},
    AttrRow{"mfloat-abi", AttrType::string},
    AttrRow{"model", AttrType::string},
    AttrRow{"mtriple", AttrType::string},
    AttrRow{"runtime", AttrType::string},
    AttrRow{"system-lib", AttrType::boolean},
    AttrRow{"unpacked-api", AttrType::boolean},
};

}  // namespace

AttrType attr_type(std::string_view name) noexcept {
  const auto row = std::find_if(kAttrs.begin(), kAttrs.end(),
                                [name](const AttrRow& entry) { return entry.name == name; });
  if (row != kAttrs.end()) return row->type;
  // Vulkan's capabilities: supports_float16, supports_int64, …
  return name.starts_with("supports_") ? AttrType::boolean : AttrType::unknown;
}

}  // namespace targets
}  // namespace mlf
