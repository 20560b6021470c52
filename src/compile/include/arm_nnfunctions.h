/* Of our own. */
#pragma once
#include "arm_nn_types.h"
