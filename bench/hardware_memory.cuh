// SPDX-License-Identifier: Apache-2.0
// Device memory that the GPU itself compresses (CU_MEM_ALLOCATION_COMP_GENERIC), to compare with.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <string>

#include "bobbin/memory.hpp"
#include "core/bits.hpp"
#include "device/cuda_status.hpp"

namespace bobbin::bench {

// The driver's functions are looked up at run time: the program links with the runtime only. Allocations wait
// for nothing, and releases wait for the whole device.
class HardwareMemory final : public MemoryResource {
 public:
  [[nodiscard]] Result<void*> allocate(size_t bytes, StreamView /*stream*/) override {
    BOBBIN_TRY(look_up());
    CUmemAllocationProp wanted{};
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    wanted.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    size_t unit = 0;
    BOBBIN_TRY(check(granularity_(&unit, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM), "granularity"));
    const size_t size = round_up<size_t>(bytes, unit);
    CUmemGenericAllocationHandle handle = 0;
    BOBBIN_TRY(check(create_(&handle, size, &wanted, 0), "cuMemCreate"));
    CUmemAllocationProp granted{};
    BOBBIN_TRY(check(properties_(&granted, handle), "properties"));
    BOBBIN_RETURN_IF(granted.allocFlags.compressionType != CU_MEM_ALLOCATION_COMP_GENERIC,
                     StatusCode::unavailable, "the driver did not grant compressible memory");
    CUdeviceptr address = 0;
    BOBBIN_TRY(check(reserve_(&address, size, 0, 0, 0), "cuMemAddressReserve"));
    BOBBIN_TRY(check(map_(address, size, 0, handle, 0), "cuMemMap"));
    CUmemAccessDesc access{};
    access.location = wanted.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    BOBBIN_TRY(check(set_access_(address, size, &access, 1), "cuMemSetAccess"));
    blocks_[address] = {handle, size};
    return reinterpret_cast<void*>(address);
  }

  void deallocate(void* data, size_t /*bytes*/, StreamView /*stream*/) noexcept override {
    const auto block = blocks_.find(reinterpret_cast<CUdeviceptr>(data));
    if (block == blocks_.end()) {
      return;
    }
    cudaDeviceSynchronize();
    unmap_(block->first, block->second.size);
    release_(block->second.handle);
    free_(block->first, block->second.size);
    blocks_.erase(block);
  }

 private:
  struct Block {
    CUmemGenericAllocationHandle handle;
    size_t size;
  };

  static Status check(CUresult result, const std::string& what) {
    BOBBIN_RETURN_IF(result != CUDA_SUCCESS, StatusCode::device,
                     what + " returned " + std::to_string(static_cast<int>(result)));
    return {};
  }

  template <class F>
  static Status find(const char* name, F*& function) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    BOBBIN_TRY(
        BOBBIN_CUDA(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result)));
    BOBBIN_RETURN_IF(found == nullptr || result != cudaDriverEntryPointSuccess, StatusCode::unavailable,
                     std::string("the driver has no ") + name);
    function = reinterpret_cast<F*>(found);
    return {};
  }

  Status look_up() {
    BOBBIN_TRY(find("cuMemGetAllocationGranularity", granularity_));
    BOBBIN_TRY(find("cuMemCreate", create_));
    BOBBIN_TRY(find("cuMemGetAllocationPropertiesFromHandle", properties_));
    BOBBIN_TRY(find("cuMemAddressReserve", reserve_));
    BOBBIN_TRY(find("cuMemMap", map_));
    BOBBIN_TRY(find("cuMemSetAccess", set_access_));
    BOBBIN_TRY(find("cuMemUnmap", unmap_));
    BOBBIN_TRY(find("cuMemRelease", release_));
    return find("cuMemAddressFree", free_);
  }

  decltype(cuMemGetAllocationGranularity)* granularity_ = nullptr;
  decltype(cuMemCreate)* create_ = nullptr;
  decltype(cuMemGetAllocationPropertiesFromHandle)* properties_ = nullptr;
  decltype(cuMemAddressReserve)* reserve_ = nullptr;
  decltype(cuMemMap)* map_ = nullptr;
  decltype(cuMemSetAccess)* set_access_ = nullptr;
  decltype(cuMemUnmap)* unmap_ = nullptr;
  decltype(cuMemRelease)* release_ = nullptr;
  decltype(cuMemAddressFree)* free_ = nullptr;
  std::map<CUdeviceptr, Block> blocks_;
};

}  // namespace bobbin::bench
