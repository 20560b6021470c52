// A pipe between processes.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "support/file.h"

namespace mlf::compile {

/// The two ends of a pipe, both closed when a program is executed.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) support::fail_io("pipe", "a program", errno);
    read = support::File(ends[0], "a pipe");
    write = support::File(ends[1], "a pipe");
  }
  support::File read;
  support::File write;
};

}  // namespace mlf::compile
