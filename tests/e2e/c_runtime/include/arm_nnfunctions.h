/* Of our own, for tests. */
#pragma once
#include "arm_nn_types.h"
