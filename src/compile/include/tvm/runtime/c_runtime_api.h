/* What generated C needs of TVM's runtime interface to compile, in the layout that DLPack and TVM's
 * C ABI document. Declarations of our own. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define TVM_DLL

typedef enum { kDLCPU = 1 } DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2 } DLDataTypeCode;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;

typedef union {
  int64_t v_int64;
  double v_float64;
  void* v_handle;
  const char* v_str;
} TVMValue;

enum { kTVMOpaqueHandle = 3, kTVMDLTensorHandle = 7 };

typedef int (*TVMBackendPackedCFunc)(TVMValue*, int*, int, TVMValue*, int*, void*);
