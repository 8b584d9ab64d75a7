// SPDX-License-Identifier: Apache-2.0
// Standard zstd frames: see spec.md. What others use of this folder is public.
#pragma once

#include "bobbin/zstd.hpp"
