/* What generated C needs of CMSIS-NN to compile. Declarations of our own. With MLF_WITHOUT_LIBRARY,
 * functions do nothing: programs that only measure memory link without the library. */
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
  int32_t input_offset, output_offset, ch_mult;
  cmsis_nn_tile stride, padding, dilation;
  cmsis_nn_activation activation;
} cmsis_nn_dw_conv_params;
typedef struct {
  int32_t input_offset, filter_offset, output_offset;
  cmsis_nn_activation activation;
} cmsis_nn_fc_params;
typedef struct {
  cmsis_nn_tile stride, padding;
  cmsis_nn_activation activation;
} cmsis_nn_pool_params;
typedef struct {
  int32_t *multiplier, *shift;
} cmsis_nn_per_channel_quant_params;
typedef struct {
  int32_t multiplier, shift;
} cmsis_nn_per_tensor_quant_params;

#ifdef MLF_WITHOUT_LIBRARY
static inline arm_status done(void) {
  return ARM_MATH_SUCCESS;
}
#define arm_convolve_wrapper_s8(...) done()
#define arm_convolve_wrapper_s16(...) done()
#define arm_depthwise_conv_wrapper_s8(...) done()
#define arm_depthwise_conv_wrapper_s16(...) done()
#define arm_fully_connected_s8(...) done()
#define arm_fully_connected_s16(...) done()
#define arm_max_pool_s8(...) done()
#define arm_max_pool_s16(...) done()
#define arm_avgpool_s8(...) done()
#define arm_avgpool_s16(...) done()
#define arm_softmax_s8(...) done()
#define arm_elementwise_add_s8(...) done()
#define arm_elementwise_add_s16(...) done()
#define arm_elementwise_mul_s8(...) done()
#define arm_elementwise_mul_s16(...) done()
#else
arm_status arm_convolve_wrapper_s8(const void* first, ...);
arm_status arm_convolve_wrapper_s16(const void* first, ...);
arm_status arm_depthwise_conv_wrapper_s8(const void* first, ...);
arm_status arm_depthwise_conv_wrapper_s16(const void* first, ...);
arm_status arm_fully_connected_s8(const void* first, ...);
arm_status arm_fully_connected_s16(const void* first, ...);
arm_status arm_max_pool_s8(const void* first, ...);
arm_status arm_max_pool_s16(const void* first, ...);
arm_status arm_avgpool_s8(const void* first, ...);
arm_status arm_avgpool_s16(const void* first, ...);
arm_status arm_softmax_s8(const void* first, ...);
arm_status arm_elementwise_add_s8(const void* first, ...);
arm_status arm_elementwise_add_s16(const void* first, ...);
arm_status arm_elementwise_mul_s8(const void* first, ...);
arm_status arm_elementwise_mul_s16(const void* first, ...);
#endif
