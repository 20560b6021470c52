/* Preloaded by tests/faults: makes the n-th allocation fail, and transfers fewer bytes than asked.
 *   FAULT_ALLOCATION=n   the n-th request for memory from main() on returns NULL
 *   FAULT_WHERE=file     ... and the library that asked for it is written there
 *   FAULT_COUNT=file     when main() returns, writes how many requests there were
 *   FAULT_SHORT=n        read, write and their like transfer at most n bytes a call */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static atomic_long requests;
static long failing = -1;
static size_t most = 0;
static Dl_info own;

typedef int (*Main)(int, char**, char**);
static Main program;

static void write_to(const char* name, const char* text) {
  if (!name) return;
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file >= 0 && write(file, text, strlen(text)) >= 0) close(file);
}

static void write_count(void) {
  char text[32];
  snprintf(text, sizeof text, "%ld", atomic_load(&requests));
  write_to(getenv("FAULT_COUNT"), text);
}

static int counted_main(int argc, char** argv, char** environment) {
  const char* allocation = getenv("FAULT_ALLOCATION");
  const char* bytes = getenv("FAULT_SHORT");
  if (bytes) most = strtoul(bytes, NULL, 10);
  /* The first backtrace loads a library. */
  void* frame;
  backtrace(&frame, 1);
  dladdr((void*)&counted_main, &own);
  atomic_store(&requests, 0);
  if (allocation) failing = strtol(allocation, NULL, 10);
  const int code = program(argc, argv, environment);
  failing = -1; /* what frees memory at exit may ask for some */
  write_count();
  return code;
}

/* Static initialization is over when main() begins: an error before could not be caught. */
int __libc_start_main(Main main, int argc, char** argv, Main init, void (*fini)(void),
                      void (*unload)(void), void* stack) {
  __typeof__(&__libc_start_main) next =
      (__typeof__(&__libc_start_main))dlsym(RTLD_NEXT, "__libc_start_main");
  program = main;
  return next(counted_main, argc, argv, init, fini, unload, stack);
}

/* The first one up the stack that is not the C or the C++ library. */
static const char* library_that_asks(void) {
  static void* frames[32];
  static Dl_info library;
  const int count = backtrace(frames, 32);
  for (int i = 0; i < count; ++i) {
    if (dladdr(frames[i], &library) == 0 || library.dli_fbase == own.dli_fbase) continue;
    const char* name = library.dli_fname;
    if (!strstr(name, "/libc.so") && !strstr(name, "/libstdc++.so")) return name;
  }
  return "unknown";
}

static int fails(void) {
  const long number = atomic_fetch_add(&requests, 1) + 1;
  if (number != failing) return 0;
  const char* where = getenv("FAULT_WHERE");
  if (where) write_to(where, library_that_asks());
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}

static size_t shorter(size_t size) { return most && size > most ? most : size; }

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t read(int file, void* bytes, size_t size) { return NEXT(read)(file, bytes, shorter(size)); }
ssize_t write(int file, const void* bytes, size_t size) {
  return NEXT(write)(file, bytes, shorter(size));
}
ssize_t pread(int file, void* bytes, size_t size, off_t at) {
  return NEXT(pread)(file, bytes, shorter(size), at);
}
ssize_t pread64(int file, void* bytes, size_t size, off64_t at) {
  return NEXT(pread64)(file, bytes, shorter(size), at);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return NEXT(pwrite)(file, bytes, shorter(size), at);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  return NEXT(pwrite64)(file, bytes, shorter(size), at);
}
ssize_t copy_file_range(int from, off64_t* in, int to, off64_t* out, size_t size,
                        unsigned int flags) {
  return NEXT(copy_file_range)(from, in, to, out, shorter(size), flags);
}
