// Inputs that are large or nested as no compiler nests them.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace mlf::tir::text {

inline std::string repeated(std::string_view part, std::size_t times) {
  std::string text;
  text.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

/// Runs in a thread whose stack is as small as `ulimit -s 256` makes it.
template <class Body>
void with_small_stack(Body&& run) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
  pthread_t thread;
  const auto start = [](void* argument) -> void* {
    (*static_cast<std::remove_reference_t<Body>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &run), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

}  // namespace mlf::tir::text
