// tvm target: c -keys=cpu 
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include "tvm/runtime/c_backend_api.h"
#include <math.h>
#include <stdbool.h>
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t main(void* args, int32_t* arg_type_ids, int32_t num_args, void* out_ret_value, int32_t* out_ret_tcode, void* resource_handle);
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t main(void* args, int32_t* arg_type_ids, int32_t num_args, void* out_ret_value, int32_t* out_ret_tcode, void* resource_handle) {
  int32_t A_code = arg_type_ids[0];
  void* A = (((TVMValue*)args)[0].v_handle);
  void* A_1 = (((DLTensor*)A)[0].data);
  void* main_A_shape = (((DLTensor*)A)[0].shape);
  void* main_A_strides = (((DLTensor*)A)[0].strides);
  int32_t dev_id = (((DLTensor*)A)[0].device.device_id);
  if (!(main_A_strides == NULL)) {
  }
  int32_t k[1];
  k[0] = 0;
  while (1) {
    if (!((k[0] < 10))) { break; }
    ((float*)A_1)[k[0]] = (((float*)A_1)[k[0]] + 1.000000e+00f);
    k[0] = (k[0] + 1);
  }
  return 0;
}

// CodegenC: NOTE: Auto-generated entry function
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t __tvm_main__(void* args, int* arg_type_ids, int num_args, void* out_ret_value, int* out_ret_tcode, void* resource_handle) {
  return main(args, arg_type_ids, num_args, out_ret_value, out_ret_tcode, resource_handle);
}
