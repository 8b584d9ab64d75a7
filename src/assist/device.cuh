// SPDX-License-Identifier: Apache-2.0
// What authors of kernels on compressed arrays include, installed as bobbin/device/assist/device.cuh: views,
// writers, streams with and without assist warps, and the executor that launches kernels. A source that nvcc
// compiles runs on the GPU; one that another compiler compiles, in the emulator.
#pragma once

#include "assist/packed.hpp"
#include "assist/parts.hpp"
#include "assist/stream.hpp"
#include "assist/views.hpp"
#include "assist/writers.hpp"
#include "simt/executor.cuh"
