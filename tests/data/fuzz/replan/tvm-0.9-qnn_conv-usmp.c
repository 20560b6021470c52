// tvm target: c -keys=cpu -link-params=0
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include "tvm/runtime/c_backend_api.h"
#include <math.h>
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_cast_subtract(int8_t* placeholder, int16_t* T_subtract, uint8_t* global_const_workspace_2_var, uint8_t* global_workspace_3_var) {
  for (int32_t ax0_ax1_fused = 0; ax0_ax1_fused < 8; ++ax0_ax1_fused) {
    for (int32_t ax2 = 0; ax2 < 8; ++ax2) {
      for (int32_t ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
        int32_t cse_var_1 = (((ax0_ax1_fused * 32) + (ax2 * 4)) + ax3_inner);
        T_subtract[cse_var_1] = (((int16_t)placeholder[cse_var_1]) - (int16_t)3);
      }
    }
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_nn_avg_pool2d_cast(int32_t* placeholder, int8_t* T_cast, uint8_t* global_const_workspace_8_var, uint8_t* global_workspace_9_var) {
  void* tensor_let = (&(global_workspace_9_var[512]));
  for (int32_t ax3_init = 0; ax3_init < 8; ++ax3_init) {
    ((int32_t*)tensor_let)[ax3_init] = 0;
  }
  for (int32_t rv0_rv1_fused = 0; rv0_rv1_fused < 16; ++rv0_rv1_fused) {
    for (int32_t ax3 = 0; ax3 < 8; ++ax3) {
      ((int32_t*)tensor_let)[ax3] = (((int32_t*)tensor_let)[ax3] + placeholder[((rv0_rv1_fused * 8) + ax3)]);
    }
  }
  for (int32_t ax31 = 0; ax31 < 8; ++ax31) {
    T_cast[ax31] = ((int8_t)(((int32_t*)tensor_let)[ax31] / 16));
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_nn_conv2d_add_fixed_point_multiply_add_clip_cast_clip(int16_t* placeholder, int8_t* compute, uint8_t* global_const_workspace_4_var, uint8_t* global_workspace_5_var) {
  void* fused_nn_conv2d_constant_45_let = (&(global_const_workspace_4_var[576]));
  void* fused_constant_44_let = (&(global_const_workspace_4_var[0]));
  void* pad_temp_let = (&(global_workspace_5_var[0]));
  for (int32_t i0_i1_fused = 0; i0_i1_fused < 10; ++i0_i1_fused) {
    for (int32_t i2 = 0; i2 < 10; ++i2) {
      for (int32_t i3 = 0; i3 < 4; ++i3) {
        int32_t cse_var_1 = (i2 * 4);
        ((int16_t*)pad_temp_let)[(((i0_i1_fused * 40) + cse_var_1) + i3)] = (((((1 <= i0_i1_fused) && (i0_i1_fused < 9)) && (1 <= i2)) && (i2 < 9)) ? placeholder[((((i0_i1_fused * 32) + cse_var_1) + i3) - 36)] : (int16_t)0);
      }
    }
  }
  for (int32_t i0_i1_fused_i2_fused = 0; i0_i1_fused_i2_fused < 64; ++i0_i1_fused_i2_fused) {
    void* conv2d_nhwc_let = (&(global_workspace_5_var[1312]));
    for (int32_t i31 = 0; i31 < 8; ++i31) {
      ((int32_t*)conv2d_nhwc_let)[0] = 0;
      for (int32_t ry = 0; ry < 3; ++ry) {
        for (int32_t rx = 0; rx < 3; ++rx) {
          for (int32_t rc = 0; rc < 4; ++rc) {
            ((int32_t*)conv2d_nhwc_let)[0] = (((int32_t*)conv2d_nhwc_let)[0] + (((int32_t)((int16_t*)pad_temp_let)[((((((i0_i1_fused_i2_fused >> 3) * 40) + (ry * 40)) + (rx * 4)) + ((i0_i1_fused_i2_fused & 7) * 4)) + rc)]) * ((int32_t)((int16_t*)fused_constant_44_let)[((((ry * 96) + (rx * 32)) + (rc * 8)) + i31)])));
          }
        }
      }
      int32_t _1 = ((int32_t)(((((0 != 0) ? (((int64_t)(((int32_t*)conv2d_nhwc_let)[0] + ((int32_t*)fused_nn_conv2d_constant_45_let)[i31])) << ((int64_t)0)) : ((int64_t)(((int32_t*)conv2d_nhwc_let)[0] + ((int32_t*)fused_nn_conv2d_constant_45_let)[i31]))) * (int64_t)1099511584) + ((int64_t)1 << ((int64_t)((7 + 31) - 1)))) >> ((int64_t)(7 + 31)))) - 5;
      int32_t _2 = (_1) < (127) ? (_1) : (127);
      int8_t _3 = (int8_t)((_2) > (-128) ? (_2) : (-128));
      int8_t _4 = (int8_t)127;
      int8_t _5 = (_3) < (_4) ? (_3) : (_4);
      int8_t _6 = (int8_t)-128;
      compute[((i0_i1_fused_i2_fused * 8) + i31)] = ((_5) > (_6) ? (_5) : (_6));
    }
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_nn_max_pool2d_cast(int8_t* placeholder, int32_t* T_cast, uint8_t* global_const_workspace_6_var, uint8_t* global_workspace_7_var) {
  void* tensor_let = (&(global_workspace_7_var[1312]));
  for (int32_t ax0_ax1_fused = 0; ax0_ax1_fused < 4; ++ax0_ax1_fused) {
    for (int32_t ax2 = 0; ax2 < 4; ++ax2) {
      for (int32_t ax3_init = 0; ax3_init < 8; ++ax3_init) {
        ((int8_t*)tensor_let)[(((ax0_ax1_fused * 32) + (ax2 * 8)) + ax3_init)] = (int8_t)-128;
      }
      for (int32_t rv0_rv1_fused = 0; rv0_rv1_fused < 4; ++rv0_rv1_fused) {
        for (int32_t ax3 = 0; ax3 < 8; ++ax3) {
          int32_t cse_var_1 = (((ax0_ax1_fused * 32) + (ax2 * 8)) + ax3);
          int8_t _1 = ((int8_t*)tensor_let)[cse_var_1];
          int8_t _2 = placeholder[(((((ax0_ax1_fused * 128) + ((rv0_rv1_fused >> 1) * 64)) + (ax2 * 16)) + ((rv0_rv1_fused & 1) * 8)) + ax3)];
          ((int8_t*)tensor_let)[cse_var_1] = ((_1) > (_2) ? (_1) : (_2));
        }
      }
    }
  }
  for (int32_t ax0_ax1_fused1 = 0; ax0_ax1_fused1 < 4; ++ax0_ax1_fused1) {
    for (int32_t ax21 = 0; ax21 < 4; ++ax21) {
      for (int32_t ax31 = 0; ax31 < 8; ++ax31) {
        int32_t cse_var_2 = (((ax0_ax1_fused1 * 32) + (ax21 * 8)) + ax31);
        T_cast[cse_var_2] = ((int32_t)((int8_t*)tensor_let)[cse_var_2]);
      }
    }
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default___tvm_main__(int8_t* x_buffer_var, int8_t* output_buffer_var, uint8_t* global_const_workspace_0_var, uint8_t* global_workspace_1_var) {
  void* sid_1_let = (&(global_workspace_1_var[800]));
  void* sid_2_let = (&(global_workspace_1_var[800]));
  void* sid_3_let = (&(global_workspace_1_var[0]));
  if (tvmgen_default_fused_cast_subtract(x_buffer_var, sid_1_let, global_const_workspace_0_var, global_workspace_1_var) != 0 ) return -1;
  if (tvmgen_default_fused_nn_conv2d_add_fixed_point_multiply_add_clip_cast_clip(sid_1_let, sid_2_let, global_const_workspace_0_var, global_workspace_1_var) != 0 ) return -1;
  if (tvmgen_default_fused_nn_max_pool2d_cast(sid_2_let, sid_3_let, global_const_workspace_0_var, global_workspace_1_var) != 0 ) return -1;
  if (tvmgen_default_fused_nn_avg_pool2d_cast(sid_3_let, output_buffer_var, global_const_workspace_0_var, global_workspace_1_var) != 0 ) return -1;
  return 0;
}

