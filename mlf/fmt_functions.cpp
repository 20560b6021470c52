// The functions of fmt that are not inline, for a program that loads no libfmt.so: that would load
// the shared libstdc++ too, beside the static one of the program. fmt's headers define them; a
// library with FMT_HEADER_ONLY would have them too, but in each of its objects.
#include <fmt/format-inl.h>

template auto fmt::detail::dragonbox::to_decimal(float) noexcept -> decimal_fp<float>;
template auto fmt::detail::dragonbox::to_decimal(double) noexcept -> decimal_fp<double>;
template auto fmt::detail::decimal_point_impl(locale_ref) -> char;
template auto fmt::detail::thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
