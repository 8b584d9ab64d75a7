// SPDX-License-Identifier: Apache-2.0
// The functions of the fmt library, compiled from its headers: its shared library needs the shared library of
// C++, which takes longer to link at each start than most commands run.
#include <fmt/format-inl.h>

template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(
    fmt::detail::locale_ref);
