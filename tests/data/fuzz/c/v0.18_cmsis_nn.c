// tvm target: cmsis-nn 
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include "tvm/runtime/c_backend_api.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <dlpack/dlpack.h>
#include <arm_nnfunctions.h>
#include <arm_nn_types.h>
#include <arm_nn_math_types.h>
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_cmsis_nn_main_0(int8_t* input_, int8_t* filter_, int32_t* multiplier_, int32_t* bias_, int32_t* shift_, int8_t* output_);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_cmsis_nn_main_1(int8_t* input_, int8_t* output_);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_cmsis_nn_main_2(int8_t* input_, int8_t* output_);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_cmsis_nn_main_0(int8_t* input_, int8_t* filter_, int32_t* multiplier_, int32_t* bias_, int32_t* shift_, int8_t* output_) {
  void* context_buffer_0 = TVMBackendAllocWorkspace(1, 0, (uint64_t)144, 0, 8);
  if (context_buffer_0 == NULL) {
    return -1;
  }
  cmsis_nn_context context= {context_buffer_0,144};
  cmsis_nn_tile stride = {1,1};
  cmsis_nn_tile padding = {1,1};
  cmsis_nn_tile dilation = {1,1};
  cmsis_nn_activation activation = {-128,127};
  cmsis_nn_conv_params conv_params = {-3, -5, stride, padding, dilation, activation};
  cmsis_nn_per_channel_quant_params quant_params = {multiplier_, shift_};
  cmsis_nn_dims input_dims = {1,8,8,4};
  cmsis_nn_dims filter_dims = {8,3,3,4};
  cmsis_nn_dims bias_dims = {1,1,1,8};
  cmsis_nn_dims output_dims = {1,8,8,8};
  arm_cmsis_nn_status status = arm_convolve_wrapper_s8(&context, &conv_params, &quant_params, &input_dims, input_, &filter_dims, filter_, &bias_dims, bias_, &output_dims, output_);
  switch (!status) {
  case ARM_CMSIS_NN_SUCCESS: break;
  case ARM_CMSIS_NN_ARG_ERROR: return -1;
  case ARM_CMSIS_NN_NO_IMPL_ERROR: return -1;
  }
  if (TVMBackendFreeWorkspace(1, 0, context_buffer_0) != 0) {
    return -1;
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_cmsis_nn_main_1(int8_t* input_, int8_t* output_) {
  cmsis_nn_context context= {NULL,0};
  cmsis_nn_tile stride = {2,2};
  cmsis_nn_tile padding = {0,0};
  cmsis_nn_activation activation = {-128,127};
  cmsis_nn_pool_params pool_params = {stride, padding, activation};
  cmsis_nn_dims input_dims = {1,8,8,8};
  cmsis_nn_dims filter_dims = {1,2,2,1};
  cmsis_nn_dims output_dims = {1,4,4,8};
  arm_cmsis_nn_status status = arm_max_pool_s8(&context, &pool_params, &input_dims, input_, &filter_dims, &output_dims, output_);
  switch (!status) {
  case ARM_CMSIS_NN_SUCCESS: break;
  case ARM_CMSIS_NN_ARG_ERROR: return -1;
  case ARM_CMSIS_NN_NO_IMPL_ERROR: return -1;
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_cmsis_nn_main_2(int8_t* input_, int8_t* output_) {
  cmsis_nn_context context= {NULL,0};
  cmsis_nn_tile stride = {1,1};
  cmsis_nn_tile padding = {0,0};
  cmsis_nn_activation activation = {-128,127};
  cmsis_nn_pool_params pool_params = {stride, padding, activation};
  cmsis_nn_dims input_dims = {1,4,4,8};
  cmsis_nn_dims filter_dims = {1,4,4,1};
  cmsis_nn_dims output_dims = {1,1,1,8};
  arm_cmsis_nn_status status = arm_avgpool_s8(&context, &pool_params, &input_dims, input_, &filter_dims, &output_dims, output_);
  switch (!status) {
  case ARM_CMSIS_NN_SUCCESS: break;
  case ARM_CMSIS_NN_ARG_ERROR: return -1;
  case ARM_CMSIS_NN_NO_IMPL_ERROR: return -1;
  }
  return 0;
}

