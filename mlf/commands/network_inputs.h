// Values of a network's inputs, as people name them on the command line.
#pragma once

#include <string>
#include <vector>

#include "mlf/run.h"

namespace mlf::program {

/// Adds those of "x=x.npy", or of a file with names. Throws `Error`: `usage`, those of the file.
void add_inputs(const std::string& argument, std::vector<Tensor>& inputs);

}  // namespace mlf::program
