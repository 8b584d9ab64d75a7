/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the C interface share. */
#ifndef BOBBIN_TESTS_CAPI_CHECK_H
#define BOBBIN_TESTS_CAPI_CHECK_H

#include <stdio.h>
#include <string.h>

#include "bobbin/bobbin.h"

static int failures = 0;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);          \
      printf("  the last error of this thread: '%s'\n", bobbin_last_error()); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The call under test fails with `code`, and its message contains `words`. */
static void check_error(const char* file, int line, bobbin_status got, bobbin_status code,
                        const char* words) {
  if (got != code || strstr(bobbin_last_error(), words) == NULL) {
    printf("%s:%d: status %u and '%s', expected %u and '%s'\n", file, line, (unsigned)got,
           bobbin_last_error(), (unsigned)code, words);
    ++failures;
  }
}
#define FAILS(call, code, words) check_error(__FILE__, __LINE__, (call), (code), (words))
#define INVALID(call, words) FAILS(call, BOBBIN_ERROR_INVALID_ARGUMENT, words)

#endif /* BOBBIN_TESTS_CAPI_CHECK_H */
