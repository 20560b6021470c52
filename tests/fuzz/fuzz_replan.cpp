// Generated C whose pools get another plan: it is refused, or every buffer goes where it should,
// and back again to the same bytes.
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "support/written_moves.h"

namespace {

using mlf::Deployment;
using mlf::optimize::PoolMove;

constexpr std::string_view kCode = "codegen/host/src/default_lib1.c";

struct Member {
  std::string name;
  std::string content;
};

/// A tar of files, ustar.
std::string tar_of(const std::vector<Member>& members) {
  std::string tar;
  for (const Member& member : members) {
    std::array<char, 512> header{};
    const auto put = [&](std::size_t at, const std::string& text) {
      std::memcpy(header.data() + at, text.data(), text.size());
    };
    const auto octal = [](std::size_t value, int digits) {
      std::array<char, 16> text{};
      std::snprintf(text.data(), text.size(), "%0*zo", digits, value);
      return std::string(text.data());
    };
    put(0, member.name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, octal(member.content.size(), 11));
    put(136, "00000000000");
    put(148, "        ");
    put(156, "0");
    put(257, std::string("ustar\0"
                         "00",
                         8));
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(148, octal(sum, 6) + std::string("\0 ", 2));
    tar.append(header.data(), header.size()).append(member.content);
    tar.append((512 - member.content.size() % 512) % 512, '\0');
  }
  return tar.append(1024, '\0');
}

/// A real archive with pools, without its captured TIR: its C is all there is.
const std::vector<Member>& members_of_archive() {
  static const std::vector<Member> members = [] {
    std::vector<Member> found;
    const auto archive = mlf::archive::Archive::open(MLF_FUZZ_ARCHIVE);
    if (!archive) std::abort();
    for (const mlf::archive::Member& member : archive->members()) {
      if (member.type != mlf::archive::MemberType::file) continue;
      if (member.name.starts_with("src/tir")) continue;
      found.push_back({member.name, std::string(archive->read(member).value())});
    }
    return found;
  }();
  return members;
}

/// Every buffer of workspace pools `by` bytes further on. Empty where places are not known.
std::vector<PoolMove> shifted(const Deployment& deployment, std::uint64_t by) {
  std::vector<PoolMove> moves;
  const auto networks = deployment.networks();
  if (!networks) return moves;
  for (const mlf::Network& network : networks->found) {
    const mlf::graph::Topology& topology = network.topology;
    for (std::size_t i = 0; i < topology.pools.size(); ++i) {
      const mlf::graph::Pool& pool = topology.pools[i];
      if (pool.kind != mlf::graph::PoolKind::workspace || !pool.bytes) continue;
      PoolMove move{network.module, pool.name, *pool.bytes, {}, {{}, *pool.bytes + by}};
      const auto add = [&](const auto& buffer, const std::string& source,
                           const std::string& function) {
        const bool is_here = buffer.pool && mlf::graph::index(*buffer.pool) == i;
        if (!is_here || !buffer.offset) return;
        move.buffers.push_back({.source = source,
                                .function = function,
                                .variable = buffer.name,
                                .offset = *buffer.offset});
        move.after.offsets.push_back(*buffer.offset + by);
      };
      for (const auto& storage : topology.storages) {
        add(storage, topology.provenance.source, topology.provenance.function);
      }
      for (const auto& kernel : topology.kernels) {
        for (const auto& buffer : kernel.workspaces) add(buffer, kernel.source, kernel.function);
      }
      moves.push_back(std::move(move));
    }
  }
  return moves;
}

std::string code_in(const Deployment& deployment) {
  const auto* member = deployment.archive().find(kCode);
  return std::string(deployment.archive().read(*member).value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path directory = std::filesystem::temp_directory_path();
  static const std::string there = directory / ("mlf-there-" + std::to_string(getpid()) + ".tar");
  static const std::string back = directory / ("mlf-back-" + std::to_string(getpid()) + ".tar");
  std::vector<Member> members = members_of_archive();
  for (Member& member : members) {
    if (member.name == kCode) member.content.assign(reinterpret_cast<const char*>(data), size);
  }
  auto archive = mlf::archive::Archive::from_bytes(tar_of(members), "fuzz");
  if (!archive) std::abort();
  const auto before = Deployment::open(*std::move(archive));
  if (!before) return 0;
  const std::vector<PoolMove> moves = shifted(*before, 1024);
  if (moves.empty() || !mlf::test::write_moves(*before, moves, there)) return 0;
  const auto after = Deployment::open(there);
  if (!after) std::abort();
  std::vector<PoolMove> returns = moves;
  for (PoolMove& move : returns) {
    std::swap(move.old_size, move.after.size);
    for (std::size_t i = 0; i < move.buffers.size(); ++i) {
      std::swap(move.buffers[i].offset, move.after.offsets[i]);
    }
  }
  if (!mlf::test::write_moves(*after, returns, back)) std::abort();
  const auto returned = Deployment::open(back);
  if (!returned || code_in(*returned) != code_in(*before)) std::abort();
  return 0;
}
