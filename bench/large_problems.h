// Problems of allocation of any size, made from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>

#include "mlf/plan/problem.h"

namespace mlf::bench {

/// Lifetime and size of the buffer that is number `place` of `count`. The other members stay empty.
using BufferMaker = plan::Buffer (*)(std::mt19937& random, std::int64_t place, std::int64_t count);

struct Family {
  std::string_view name;
  BufferMaker make;
};

/// How the buffers of large problems can live.
std::span<const Family> families();

/// The same on every machine.
plan::Problem make_problem(const Family& family, std::size_t buffers, std::uint32_t seed);

}  // namespace mlf::bench
