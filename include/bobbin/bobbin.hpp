// SPDX-License-Identifier: Apache-2.0
// All of Bobbin's public C++ interface. Each header says what threads may share.
#pragma once

#include "bobbin/arrow.hpp"
#include "bobbin/csv.hpp"
#include "bobbin/encoded_array.hpp"
#include "bobbin/encoding.hpp"
#include "bobbin/file.hpp"
#include "bobbin/io.hpp"
#include "bobbin/memory.hpp"
#include "bobbin/query.hpp"
#include "bobbin/scan.hpp"
#include "bobbin/schema.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/strings.hpp"
#include "bobbin/table.hpp"
#include "bobbin/text.hpp"
#include "bobbin/types.hpp"
#include "bobbin/version.hpp"
#include "bobbin/zstd.hpp"
