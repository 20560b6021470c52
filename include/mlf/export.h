// Marks what the shared library exports; everything else stays hidden.
#pragma once

#if defined(_WIN32)
#define MLF_API
#else
#define MLF_API __attribute__((visibility("default")))
#endif
