// SPDX-License-Identifier: Apache-2.0
// All of Bobbin's public C++ interface.
#pragma once

#include "bobbin/file.hpp"
#include "bobbin/memory.hpp"
#include "bobbin/query.hpp"
#include "bobbin/scan.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/strings.hpp"
#include "bobbin/table.hpp"
#include "bobbin/types.hpp"
#include "bobbin/version.hpp"
