/* What generated C needs of CMSIS-NN to compile. Declarations of our own. Where the program is not to
 * be run (MLF_RUN), functions do nothing, since memory is all that is asked of them. */
#pragma once
#include <stdint.h>

typedef enum {
  ARM_MATH_SUCCESS = 0,
  ARM_CMSIS_NN_SUCCESS = 0,
  ARM_CMSIS_NN_ARG_ERROR = -1,
  ARM_CMSIS_NN_NO_IMPL_ERROR = -2
} arm_status;
typedef arm_status arm_cmsis_nn_status;

typedef struct {
  void* buf;
  int32_t size;
} cmsis_nn_context;
typedef struct {
  int32_t w, h;
} cmsis_nn_tile;
typedef struct {
  int32_t min, max;
} cmsis_nn_activation;
typedef struct {
  int32_t n, h, w, c;
} cmsis_nn_dims;
typedef struct {
  int32_t input_offset, output_offset;
  cmsis_nn_tile stride, padding, dilation;
  cmsis_nn_activation activation;
} cmsis_nn_conv_params;
typedef struct {
  cmsis_nn_tile stride, padding;
  cmsis_nn_activation activation;
} cmsis_nn_pool_params;
typedef struct {
  int32_t *multiplier, *shift;
} cmsis_nn_per_channel_quant_params;

#ifdef MLF_RUN
arm_status arm_convolve_wrapper_s8(const cmsis_nn_context* context, ...);
arm_status arm_max_pool_s8(const cmsis_nn_context* context, ...);
arm_status arm_avgpool_s8(const cmsis_nn_context* context, ...);
#else
static inline arm_status done(void) {
  return ARM_MATH_SUCCESS;
}
#define arm_convolve_wrapper_s8(...) done()
#define arm_max_pool_s8(...) done()
#define arm_avgpool_s8(...) done()
#endif
