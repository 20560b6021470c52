// tvm target: c -keys=cpu 
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include "tvm/runtime/c_backend_api.h"
#include <math.h>
#include <stdbool.h>
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_m_fused_floor_mod(int32_t* p0, int32_t* p1, int32_t* T_floor_mod);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_m___tvm_main__(int32_t* x_buffer_var, int32_t* y_buffer_var, int32_t* output_buffer_var);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_m_fused_floor_mod(int32_t* p0, int32_t* p1, int32_t* T_floor_mod) {
  for (int32_t ax0 = 0; ax0 < 5; ++ax0) {
    for (int32_t ax1_inner = 0; ax1_inner < 7; ++ax1_inner) {
      int32_t cse_var_1 = ((ax0 * 7) + ax1_inner);
      T_floor_mod[cse_var_1] = ((((p1[cse_var_1] >= 0) && ((p0[cse_var_1] % p1[cse_var_1]) >= 0)) || ((p1[cse_var_1] < 0) && ((p0[cse_var_1] % p1[cse_var_1]) <= 0))) ? (p0[cse_var_1] % p1[cse_var_1]) : ((p0[cse_var_1] % p1[cse_var_1]) + p1[cse_var_1]));
    }
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_m___tvm_main__(int32_t* x_buffer_var, int32_t* y_buffer_var, int32_t* output_buffer_var) {
  if (tvmgen_m_fused_floor_mod(x_buffer_var, y_buffer_var, output_buffer_var) != 0 ) return -1;
  return 0;
}

