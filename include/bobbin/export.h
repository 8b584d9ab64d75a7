/* SPDX-License-Identifier: Apache-2.0 */
/* BOBBIN_API marks what a shared library exports; everything else in it is hidden. */
#ifndef BOBBIN_EXPORT_H
#define BOBBIN_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define BOBBIN_API __attribute__((visibility("default")))
#else
#define BOBBIN_API
#endif

#endif /* BOBBIN_EXPORT_H */
