/* Of our own: see c_runtime_api.h. The numbers are TVM's: a category in bits 8 to 15, and a code. */
#pragma once

typedef enum {
  kTvmErrorNoError = 0,
  kTvmErrorFunctionCallNumArguments = 0x800,
  kTvmErrorFunctionCallWrongArgType = 0x801,
  kTvmErrorFunctionCallNotImplemented = 0x802,
  kTvmErrorFunctionCallInvalidArg = 0x803,
} tvm_crt_error_t;
