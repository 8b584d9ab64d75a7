// SPDX-License-Identifier: Apache-2.0
#include "bobbin/kernel_column.hpp"

#include <utility>
#include <vector>

#include "array/array.hpp"
#include "codecs/alp/alp.hpp"
#include "file/encoded_array_impl.hpp"
#include "plan/column_plan.hpp"
#include "plan/dictionaries.hpp"
#include "plan/expand.hpp"
#include "plan/query_input.hpp"

namespace bobbin {
namespace {

const char* name_of(plan::Op op) {
  constexpr const char* kNames[] = {"unpack", "load", "patch",   "scale",  "sum_up", "keep",
                                    "join",   "turn", "look_up", "expand", "place"};
  return kNames[static_cast<size_t>(op)];
}

Result<plan::ColumnPlan> make_column(const Array& array, std::vector<DeviceBuffer>& kept, StreamView stream) {
  plan::ColumnPlan column;
  std::vector<plan::Dictionary> dictionaries;
  if (plan::make_column(array, plan::QueryPath::interpreted, column, dictionaries)) {
    BOBBIN_TRY(plan::decode_dictionaries(dictionaries, column, kept, stream));
    return column;
  }
  if (plan::expands(array)) {
    return plan::expand_column(array, kept, stream);
  }
  BOBBIN_ASSIGN(DeviceBuffer values, DeviceBuffer::create(array.length * size_bytes(array.type), stream));
  BOBBIN_TRY(array::decode_on_device(array, values.data(), stream));
  column = plan::plain_column(array.type, array.length, values.data());
  kept.push_back(std::move(values));
  return column;
}

}  // namespace

struct KernelColumn::Impl {
  EncodedArray array;
  plan::QueryInput input{};
  std::vector<DeviceBuffer> kept{};
};

KernelColumn::KernelColumn(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<KernelColumn> KernelColumn::create(const EncodedArray& array, StreamView stream) {
  BOBBIN_RETURN_IF(array.impl_->device != stream.backend(), StatusCode::invalid_argument,
                   "a column of a kernel is in the memory of the stream's device");
  auto made = std::make_shared<Impl>(Impl{array});
  const Array& encoded = array.impl_->array;
  BOBBIN_ASSIGN(made->input.columns[0], make_column(encoded, made->kept, stream));
  made->input.begin = encoded.offset;
  made->input.end = encoded.offset + encoded.length;
  made->input.powers = {codec::alp::kPowers<float>, codec::alp::kPowers<double>};
  return KernelColumn(std::move(made));
}

DType KernelColumn::type() const {
  return impl_->array.type();
}

uint64_t KernelColumn::length() const {
  return impl_->array.length();
}

std::string KernelColumn::stages() const {
  const plan::ColumnPlan& column = impl_->input.columns[0];
  std::string names;
  for (uint32_t n = 0; n < column.num_nodes; ++n) {
    names += (n == 0 ? "" : ", ") + std::string(name_of(column.nodes[n].op));
  }
  return names;
}

const void* KernelColumn::input() const {
  return &impl_->input;
}

}  // namespace bobbin
