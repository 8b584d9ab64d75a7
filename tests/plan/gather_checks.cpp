// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>

#include "plan/gather.hpp"
#include "tests/plan/checks.hpp"
#include "tests/plan/query_case.hpp"

namespace bobbin::testing {
namespace {

using plan::QueryPath;

// None, few, many or all rows.
array::Bitmap draw_rows(const Array& array, Random& random) {
  array::Bitmap rows{.words = {}, .first = array.offset, .length = array.length};
  rows.words.resize((array.offset + array.length + 1023) / 1024 * 32);
  const uint64_t every = uint64_t{1} << random.below(10);
  const uint64_t vectors_in = 1 + random.below(3);
  for (uint64_t bit = array.offset; bit < array.offset + array.length; ++bit) {
    const bool set = bit / 1024 % vectors_in == 0 && random.below(every) == 0;
    rows.words[bit / 32] |= static_cast<uint32_t>(set) << (bit % 32);
  }
  return rows;
}

std::vector<uint64_t> selected(const array::Bitmap& rows) {
  std::vector<uint64_t> indices;
  for (uint64_t i = 0; i < rows.length; ++i) {
    if (rows.at(i)) {
      indices.push_back(i);
    }
  }
  return indices;
}

std::string check_values(const PlainColumn& column, std::string_view what, const std::vector<std::byte>& got,
                         const std::vector<uint64_t>& rows) {
  const size_t size = size_bytes(column.array.type);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (std::memcmp(got.data() + i * size, column.bytes.data() + rows[i] * size, size) != 0) {
      return fmt::format("{}: value {} of {}, row {}", what, i, rows.size(), rows[i]);
    }
  }
  return {};
}

Result<std::string> gather_on_cpu(const PlainColumn& column, const array::Bitmap& rows,
                                  const std::vector<uint64_t>& indices) {
  const size_t size = size_bytes(column.array.type);
  std::vector<std::byte> out(indices.size() * size);
  BOBBIN_TRY(array::take(column.array, indices, out));
  if (std::string problem = check_values(column, "take", out, indices); !problem.empty()) {
    return problem;
  }
  out.resize(rows.count() * size);
  BOBBIN_TRY(array::filter(column.array, rows, out));
  return check_values(column, "filter", out, selected(rows));
}

Result<std::string> gather_on(const PlainColumn& column, Backend backend, QueryPath path,
                              const array::Bitmap& rows, const std::vector<uint64_t>& indices) {
  BOBBIN_ASSIGN(const Stream owner, Stream::create(backend));
  const StreamView stream = owner.view();
  const size_t size = size_bytes(column.array.type);
  BOBBIN_ASSIGN(const array::OnDevice there, array::to_device(column.array, stream));
  const auto upload = [&]<class T>(const std::vector<T>& from) -> Result<DeviceBuffer> {
    BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(from.size() * sizeof(T), stream));
    BOBBIN_TRY(copy_async(buffer.data(), from.data(), from.size() * sizeof(T), stream));
    return buffer;
  };
  const auto download = [&](const DeviceBuffer& buffer, size_t bytes) -> Result<std::vector<std::byte>> {
    std::vector<std::byte> out(bytes);
    BOBBIN_TRY(copy_async(out.data(), buffer.data(), bytes, stream));
    BOBBIN_TRY(stream.synchronize());
    return out;
  };
  BOBBIN_ASSIGN(const DeviceBuffer asked, upload(indices));
  BOBBIN_ASSIGN(const DeviceBuffer fault, upload(std::vector<uint32_t>{0}));
  BOBBIN_ASSIGN(const DeviceBuffer taken, DeviceBuffer::create(indices.size() * size, stream));
  BOBBIN_TRY(plan::take_on_device(there.array, asked.as<uint64_t>(), indices.size(), taken.data(),
                                  fault.as<uint32_t>(), stream, path));
  BOBBIN_ASSIGN(const auto values, download(taken, indices.size() * size));
  if (std::string problem = check_values(column, "take", values, indices); !problem.empty()) {
    return problem;
  }
  BOBBIN_ASSIGN(const DeviceBuffer bitmap, upload(rows.words));
  BOBBIN_ASSIGN(const auto selection, plan::Selection::create(bitmap.as<uint32_t>(), column.array.offset,
                                                              column.array.length, stream));
  BOBBIN_ASSIGN(const uint64_t count, selection.count(stream));
  if (count != rows.count()) {
    return fmt::format("{} rows selected instead of {}", count, rows.count());
  }
  BOBBIN_ASSIGN(const DeviceBuffer filtered, DeviceBuffer::create(count * size, stream));
  BOBBIN_TRY(plan::filter_on_device(there.array, selection, filtered.data(), count, stream, path));
  BOBBIN_ASSIGN(const auto kept, download(filtered, count * size));
  return check_values(column, "filter", kept, selected(rows));
}

}  // namespace

std::string check_gather(Backend backend, Random& random) {
  const QueryCase c = draw_case(random);
  const PlainColumn& column = c.columns[0];
  const array::Bitmap rows = draw_rows(column.array, random);
  std::vector<uint64_t> indices(c.length() == 0 ? 0 : random.below(300));
  for (uint64_t& index : indices) {
    index = random.below(c.length());
  }
  if (backend == Backend::cpu) {
    return report(c, "cpu", gather_on_cpu(column, rows, indices));
  }
  for (const QueryPath path : {QueryPath::automatic, QueryPath::interpreted, QueryPath::decoded}) {
    const auto result = gather_on(column, backend, path, rows, indices);
    if (!result.has_value() && result.error().code() == StatusCode::unsupported &&
        path != QueryPath::automatic) {
      continue;
    }
    if (std::string problem = report(c, name_of_path(path), result); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

}  // namespace bobbin::testing
