#include "compile/direct_calls.h"

#include <cstring>
#include <optional>

namespace mlf::compile {
namespace {

/// The lowest `bits` of `value` as a signed number.
std::int64_t signed_bits(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const std::uint64_t low = value & ((sign << 1) - 1);
  return static_cast<std::int64_t>(low ^ sign) - static_cast<std::int64_t>(sign);
}

std::uint32_t bits(std::uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & ((1U << (high - low + 1)) - 1);
}

/// An instruction, and its target relative to its first byte.
struct Instruction {
  std::size_t bytes = 1;
  std::optional<std::int64_t> distance{};
  bool returns = false;      ///< it keeps the address behind it
  std::size_t step = bytes;  ///< to the next one that is looked at
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> code) : code_(code) {}

  Instruction at(std::size_t offset, InstructionSet set) const {
    switch (set) {
      case InstructionSet::x86_64:
        return x86_64(offset);
      case InstructionSet::thumb:
        return thumb(offset);
      case InstructionSet::arm:
        return arm(offset);
      case InstructionSet::aarch64:
        return aarch64(offset);
      case InstructionSet::riscv32:
      case InstructionSet::riscv64:
        return riscv(offset, set);
    }
    return {};
  }

 private:
  /// Bytes after the end read as 0, which begins no call.
  template <class Number>
  Number read(std::size_t offset) const {
    Number value = 0;
    if (offset + sizeof value <= code_.size()) {
      std::memcpy(&value, code_.data() + offset, sizeof value);
    }
    return value;
  }

  /// CALL rel32, JMP rel32.
  Instruction x86_64(std::size_t offset) const {
    const auto opcode = read<std::uint8_t>(offset);
    const bool is_whole = offset + 5 <= code_.size();
    if (!is_whole || (opcode != 0xe8 && opcode != 0xe9)) return {1};
    return {5, 5 + signed_bits(read<std::uint32_t>(offset + 1), 32), opcode == 0xe8, 1};
  }

  /// BL (T1), B (T2), B.W (T4): Arm v7-M Architecture Reference Manual, A7.7.18 and A7.7.12.
  Instruction thumb(std::size_t offset) const {
    const std::uint32_t first = read<std::uint16_t>(offset);
    if (bits(first, 15, 11) == 0x1c) return {2, 4 + signed_bits(first << 1, 12)};
    if (bits(first, 15, 11) < 0x1d) return {2};
    const std::uint32_t second = read<std::uint16_t>(offset + 2);
    const bool is_branch =
        bits(first, 15, 11) == 0x1e && bits(second, 15, 15) == 1 && bits(second, 12, 12) == 1;
    if (!is_branch) return {4};
    const std::uint32_t sign = bits(first, 10, 10);
    const std::uint32_t i1 = 1 ^ bits(second, 13, 13) ^ sign;
    const std::uint32_t i2 = 1 ^ bits(second, 11, 11) ^ sign;
    const std::uint32_t value =
        sign << 24 | i1 << 23 | i2 << 22 | bits(first, 9, 0) << 12 | bits(second, 10, 0) << 1;
    return {4, 4 + signed_bits(value, 25), bits(second, 14, 14) == 1};
  }

  /// BL, B.
  Instruction arm(std::size_t offset) const {
    const auto word = read<std::uint32_t>(offset);
    if (bits(word, 27, 25) != 5) return {4};
    return {4, 8 + 4 * signed_bits(word, 24), bits(word, 24, 24) == 1};
  }

  /// BL, B.
  Instruction aarch64(std::size_t offset) const {
    const auto word = read<std::uint32_t>(offset);
    if (bits(word, 30, 26) != 5) return {4};
    return {4, 4 * signed_bits(word, 26), bits(word, 31, 31) == 1};
  }

  /// JAL; AUIPC followed by JALR; C.JAL and C.J.
  Instruction riscv(std::size_t offset, InstructionSet set) const {
    const std::uint32_t half = read<std::uint16_t>(offset);
    if (bits(half, 1, 0) != 3) return compressed(half, set);
    const auto word = read<std::uint32_t>(offset);
    constexpr std::uint32_t kJal = 0x6f;
    constexpr std::uint32_t kAuipc = 0x17;
    constexpr std::uint32_t kJalr = 0x67;
    if (bits(word, 6, 0) == kJal) {
      const std::uint32_t value = bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 |
                                  bits(word, 20, 20) << 11 | bits(word, 30, 21) << 1;
      return {4, signed_bits(value, 21), bits(word, 11, 7) != 0};
    }
    const auto next = read<std::uint32_t>(offset + 4);
    const bool is_pair = bits(word, 6, 0) == kAuipc && bits(next, 6, 0) == kJalr &&
                         bits(word, 11, 7) == bits(next, 19, 15);
    if (!is_pair) return {4};
    return {8, signed_bits(word & 0xfffff000U, 32) + signed_bits(bits(next, 31, 20), 12),
            bits(next, 11, 7) != 0};
  }

  static Instruction compressed(std::uint32_t word, InstructionSet set) {
    const std::uint32_t function = bits(word, 15, 13);
    const bool is_call = function == 1 && set == InstructionSet::riscv32;
    if (bits(word, 1, 0) != 1 || (!is_call && function != 5)) return {2};
    const std::uint32_t value = bits(word, 12, 12) << 11 | bits(word, 8, 8) << 10 |
                                bits(word, 10, 9) << 8 | bits(word, 6, 6) << 7 |
                                bits(word, 7, 7) << 6 | bits(word, 2, 2) << 5 |
                                bits(word, 11, 11) << 4 | bits(word, 5, 3) << 1;
    return {2, signed_bits(value, 12), is_call};
  }

  std::span<const std::byte> code_;
};

/// Whether a relocation is among the bytes of an instruction.
bool has_relocation(const std::set<std::uint64_t>& relocated, std::uint64_t offset,
                    const Instruction& one) {
  const auto next = relocated.lower_bound(offset);
  return next != relocated.end() && *next < offset + one.bytes;
}

}  // namespace

std::vector<DirectCall> direct_calls(std::span<const std::byte> code, std::uint64_t begin,
                                     InstructionSet set, const std::set<std::uint64_t>& relocated) {
  const Decoder decoder(code);
  std::vector<DirectCall> calls;
  for (std::size_t at = 0; at < code.size();) {
    const Instruction one = decoder.at(at, set);
    const std::uint64_t offset = begin + at;
    if (one.distance && !has_relocation(relocated, offset, one)) {
      calls.push_back({offset, offset + static_cast<std::uint64_t>(*one.distance), one.returns});
    }
    at += one.step;
  }
  return calls;
}

}  // namespace mlf::compile
