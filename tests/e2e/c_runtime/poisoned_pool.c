/* Around every kernel: bytes of the pools that the plan calls dead are overwritten, and those that
 * have to live through the call must be the same behind it.
 *
 * Included by a program that defines, of the plan,
 *   struct region { unsigned char *pool; size_t offset, bytes; };
 *   struct step { void (*kernel)(void); before, through, after: lists of regions; };
 *   static struct step steps[]; static const int step_count;
 *   static struct { unsigned char *memory; size_t bytes; } pools[]; static const int pool_count;
 * gcc -finstrument-functions calls the two hooks; this file itself is compiled without. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int next_step;
static unsigned char *kept; /* the regions of `through`, one behind the other */
static uint32_t noise_state = 1;

static unsigned char noise(void) {
  noise_state ^= noise_state << 13;
  noise_state ^= noise_state >> 17;
  noise_state ^= noise_state << 5;
  return (unsigned char)(noise_state >> 24);
}

/* Every second time 0xA5, which is no expected number, else noise. */
static void poison(const struct regions *alive) {
  static unsigned times;
  const int fixed = (++times & 1) != 0;
  for (int p = 0; p < pool_count; ++p) {
    unsigned char *is_alive = calloc(pools[p].bytes + 1, 1);
    if (is_alive == NULL) abort();
    for (int i = 0; i < alive->count; ++i) {
      const struct region *one = &alive->list[i];
      if (one->pool == p) memset(is_alive + one->offset, 1, one->bytes);
    }
    for (size_t i = 0; i < pools[p].bytes; ++i) {
      if (!is_alive[i]) pools[p].memory[i] = fixed ? 0xA5 : noise();
    }
    free(is_alive);
  }
}

static size_t size_of(const struct regions *regions) {
  size_t bytes = 0;
  for (int i = 0; i < regions->count; ++i) bytes += regions->list[i].bytes;
  return bytes;
}

void __cyg_profile_func_enter(void *function, void *caller) {
  (void)caller;
  if (next_step >= step_count || function != (void *)steps[next_step].kernel) return;
  const struct step *step = &steps[next_step];
  poison(&step->before);
  kept = malloc(size_of(&step->through) + 1);
  if (kept == NULL) abort();
  size_t at = 0;
  for (int i = 0; i < step->through.count; ++i) {
    const struct region *one = &step->through.list[i];
    memcpy(kept + at, pools[one->pool].memory + one->offset, one->bytes);
    at += one->bytes;
  }
}

void __cyg_profile_func_exit(void *function, void *caller) {
  (void)caller;
  if (next_step >= step_count || function != (void *)steps[next_step].kernel) return;
  const struct step *step = &steps[next_step];
  size_t at = 0;
  for (int i = 0; i < step->through.count; ++i) {
    const struct region *one = &step->through.list[i];
    if (memcmp(kept + at, pools[one->pool].memory + one->offset, one->bytes) != 0) {
      fprintf(stderr, "call %d changes %zu bytes at %zu, which are used after it\n", next_step,
              one->bytes, one->offset);
      exit(3);
    }
    at += one->bytes;
  }
  free(kept);
  poison(&step->after);
  ++next_step;
}

/* Before each run of the network. */
static void begin_run(void) {
  next_step = 0;
}

static void end_run(void) {
  if (next_step != step_count) {
    fprintf(stderr, "%d of %d calls were seen\n", next_step, step_count);
    exit(4);
  }
}
