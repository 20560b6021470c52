// tvm target: c -keys=cpu 
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include "tvm/runtime/c_backend_api.h"
#include <math.h>
#include <stdbool.h>
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_argmax(float* p0, int32_t* p0_red);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_cast(float* p0, half* T_cast);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_cumsum(float* p0, float* cumsum_generic);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_erf(float* p0, float* T_erf);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_greater_exp_tanh_where_take(float* p0, int32_t* p1, float* T_take);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_multiply_add_power(float* p0, float* T_power);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default___tvm_main__(float* x_buffer_var, int32_t* i_buffer_var, half* output_buffer_var, int32_t* output2_buffer_var, float* output3_buffer_var);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL float erff(float);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL float expf(float);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL float tanhf(float);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL float powf(float, float);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_argmax(float* p0, int32_t* p0_red) {
  int32_t p0_red_temp_v0[2];
  float p0_red_temp_v1[2];
  for (int32_t ax0 = 0; ax0 < 2; ++ax0) {
    p0_red_temp_v0[ax0] = -1;
    p0_red_temp_v1[ax0] = -3.402823e+38f;
    for (int32_t k1 = 0; k1 < 3; ++k1) {
      int32_t cse_var_1 = ((ax0 * 3) + k1);
      int32_t condval;
      if (((p0[cse_var_1] < p0_red_temp_v1[ax0]) || ((p0_red_temp_v1[ax0] == p0[cse_var_1]) && (p0_red_temp_v0[ax0] < k1)))) {
        condval = p0_red_temp_v0[ax0];
      } else {
        condval = k1;
      }
      p0_red_temp_v0[ax0] = condval;
      float condval_1;
      if ((p0[cse_var_1] < p0_red_temp_v1[ax0])) {
        condval_1 = p0_red_temp_v1[ax0];
      } else {
        condval_1 = p0[cse_var_1];
      }
      p0_red_temp_v1[ax0] = condval_1;
    }
  }
  for (int32_t ax0_1 = 0; ax0_1 < 2; ++ax0_1) {
    p0_red[ax0_1] = p0_red_temp_v0[ax0_1];
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_cast(float* p0, half* T_cast) {
  for (int32_t ax0 = 0; ax0 < 2; ++ax0) {
    for (int32_t ax1_inner = 0; ax1_inner < 3; ++ax1_inner) {
      int32_t cse_var_1 = ((ax0 * 3) + ax1_inner);
      T_cast[cse_var_1] = ((half)p0[cse_var_1]);
    }
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_cumsum(float* p0, float* cumsum_generic) {
  for (int32_t fused = 0; fused < 2; ++fused) {
    int32_t cse_var_1 = (fused * 3);
    cumsum_generic[cse_var_1] = p0[cse_var_1];
    for (int32_t _k = 0; _k < 2; ++_k) {
      int32_t cse_var_3 = (cse_var_1 + _k);
      int32_t cse_var_2 = (cse_var_3 + 1);
      cumsum_generic[cse_var_2] = (cumsum_generic[cse_var_3] + p0[cse_var_2]);
    }
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_erf(float* p0, float* T_erf) {
  for (int32_t ax0 = 0; ax0 < 2; ++ax0) {
    for (int32_t ax1_inner = 0; ax1_inner < 3; ++ax1_inner) {
      int32_t cse_var_1 = ((ax0 * 3) + ax1_inner);
      T_erf[cse_var_1] = erff(p0[cse_var_1]);
    }
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_greater_exp_tanh_where_take(float* p0, int32_t* p1, float* T_take) {
  for (int32_t ax0 = 0; ax0 < 2; ++ax0) {
    for (int32_t ax1_inner = 0; ax1_inner < 3; ++ax1_inner) {
      int32_t cse_var_1 = (ax0 * 6);
      int32_t v_ = p1[ax1_inner];
      int32_t v__1 = (0) > (v_) ? (0) : (v_);
      float condval;
      if ((0 < ((int32_t)(0.000000e+00f < p0[(cse_var_1 + ((v__1) < (5) ? (v__1) : (5)))])))) {
        condval = expf(p0[(cse_var_1 + ((v__1) < (5) ? (v__1) : (5)))]);
      } else {
        condval = tanhf(p0[(cse_var_1 + ((v__1) < (5) ? (v__1) : (5)))]);
      }
      T_take[((ax0 * 3) + ax1_inner)] = condval;
    }
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_fused_multiply_add_power(float* p0, float* T_power) {
  for (int32_t ax0 = 0; ax0 < 2; ++ax0) {
    for (int32_t ax1_inner = 0; ax1_inner < 3; ++ax1_inner) {
      int32_t cse_var_1 = ((ax0 * 3) + ax1_inner);
      T_power[cse_var_1] = powf(((p0[cse_var_1] * p0[cse_var_1]) + 1.000000e-01f), 1.500000e+00f);
    }
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default___tvm_main__(float* x_buffer_var, int32_t* i_buffer_var, half* output_buffer_var, int32_t* output2_buffer_var, float* output3_buffer_var) {
  void* sid_2 = TVMBackendAllocWorkspace(1, 0, (uint64_t)24, 0, 8);
  if (sid_2 == NULL) {
    return -1;
  }
  void* sid_3 = TVMBackendAllocWorkspace(1, 0, (uint64_t)24, 0, 8);
  if (sid_3 == NULL) {
    return -1;
  }
  void* sid_4 = TVMBackendAllocWorkspace(1, 0, (uint64_t)24, 0, 8);
  if (sid_4 == NULL) {
    return -1;
  }
  if (tvmgen_default_fused_greater_exp_tanh_where_take(x_buffer_var, i_buffer_var, sid_2) != 0 ) return -1;
  if (tvmgen_default_fused_cumsum(sid_2, sid_3) != 0 ) return -1;
  if (tvmgen_default_fused_multiply_add_power(sid_3, sid_4) != 0 ) return -1;
  if (tvmgen_default_fused_cast(sid_4, output_buffer_var) != 0 ) return -1;
  if (tvmgen_default_fused_argmax(sid_2, output2_buffer_var) != 0 ) return -1;
  if (tvmgen_default_fused_erf(sid_4, output3_buffer_var) != 0 ) return -1;
  if (TVMBackendFreeWorkspace(1, 0, sid_4) != 0) {
    return -1;
  }
  if (TVMBackendFreeWorkspace(1, 0, sid_3) != 0) {
    return -1;
  }
  if (TVMBackendFreeWorkspace(1, 0, sid_2) != 0) {
    return -1;
  }
  return 0;
}

