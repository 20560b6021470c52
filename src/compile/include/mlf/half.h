// float16, which TVM's C calls half, by the name that the compiler has for it.
#ifndef half
#if defined __ARM_FP16_FORMAT_IEEE || (defined __clang__ && !defined __FLT16_MAX__)
#define half __fp16
#elif defined __FLT16_MAX__
#define half _Float16
#else
#error \
    "C and this compiler have no type half (half-in-c): -mfp16-format=ieee for Arm, or -Dhalf=TYPE"
#define half short
#endif
#endif
