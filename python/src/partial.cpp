// SPDX-License-Identifier: Apache-2.0
// Partial aggregates: of a scan, merged, finished, and as bytes.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "array_types.hpp"
#include "bobbin/bobbin.hpp"
#include "errors.hpp"
#include "file.hpp"
#include "modules.hpp"

namespace bobbin::python {
namespace {

using query::AggregateSpec;
using query::Partial;
using Run = std::pair<size_t, size_t>;  // row groups first .. second-1

std::vector<Run> runs_of(const Reader& reader, const std::optional<std::vector<size_t>>& groups) {
  if (!groups.has_value()) {
    return {{0, reader.num_row_groups()}};
  }
  std::vector<Run> runs;
  for (const size_t group : *groups) {
    if (runs.empty() || runs.back().second != group) {
      runs.emplace_back(group, group);
    }
    ++runs.back().second;
  }
  return runs.empty() ? std::vector<Run>{{0, 0}} : runs;
}

Result<Partial> partial_of(const Reader& reader, const arrow::TableScanOptions& options,
                           const std::vector<std::string>& keys, const std::vector<AggregateSpec>& wanted,
                           uint64_t max_groups, uint64_t* read) {
  std::optional<Partial> all;
  for (const auto& [begin, end] : runs_of(reader, options.row_groups)) {
    query::QueryStats stats;
    BOBBIN_ASSIGN(Partial part,
                  query_of(reader, options).row_groups(begin, end).partial(keys, wanted, max_groups, &stats));
    *read += stats.read;
    if (all.has_value()) {
      BOBBIN_TRY(all->merge(part, max_groups));
    } else {
      all = std::move(part);
    }
  }
  return *std::move(all);
}

// Without the GIL several threads may use one.
struct Held {
  Partial partial;
  mutable std::shared_mutex mutex;

  explicit Held(Partial made) : partial(std::move(made)) {}
};

// And the aggregates that an order names besides.
std::vector<AggregateSpec> with_order(std::vector<AggregateSpec> wanted,
                                      const std::vector<query::OrderTerm>& order) {
  for (const query::OrderTerm& term : order) {
    if (term.aggregate.has_value() && std::ranges::find(wanted, *term.aggregate) == wanted.end()) {
      wanted.push_back(*term.aggregate);
    }
  }
  return wanted;
}

std::unique_ptr<Held> make_partial(const File& file, const Spec& spec, const std::vector<std::string>& keys,
                                   const Aggregates& aggregates, const std::vector<std::string>& titles,
                                   const std::string& order, uint64_t max_groups, const nb::object& beat) {
  if (spec.is_range()) {
    raise({StatusCode::unsupported, "aggregates are not supported for scans with rows= or limit="});
  }
  const auto given = aggregates_from(aggregates);
  const auto work = [=, wanted = with_order(given, order_from(order, titles, given)), reader = file.reader,
                     options = spec.options, counter = spec.groups_read] {
    uint64_t read = 0;
    auto made = partial_of(*reader, options, keys, wanted, max_groups, &read);
    *counter = read;
    return made;
  };
  return std::make_unique<Held>(take(interruptible(work, [&] {
    if (!beat.is_none()) {
      beat();
    }
  })));
}

std::vector<size_t> candidates(const File& file, const Spec& spec) {
  std::vector<size_t> found = take(query_of(*file.reader, spec.options).candidates());
  if (const auto& wanted = spec.options.row_groups; wanted.has_value()) {
    std::erase_if(found, [&](size_t group) { return !std::ranges::binary_search(*wanted, group); });
  }
  return found;
}

// Calls work() with the partial aggregate, which does not change meanwhile.
template <class F>
auto reading(const Held& held, F&& work) {
  return without_gil([&] {
    const std::shared_lock lock(held.mutex);
    return work(held.partial);
  });
}

std::unique_ptr<Held> copy_of(const Held& held) {
  return reading(held, [](const Partial& partial) { return std::make_unique<Held>(partial); });
}

void merge(Held& into, const Held& more, uint64_t max_groups) {
  if (&into == &more) {
    return merge(into, *copy_of(more), max_groups);
  }
  check(without_gil([&] {
    std::unique_lock own(into.mutex, std::defer_lock);
    std::shared_lock other(more.mutex, std::defer_lock);
    std::lock(own, other);  // others may merge the two the other way round
    return into.partial.merge(more.partial, max_groups);
  }));
}

uint64_t num_groups(const Held& held) {
  return reading(held, [](const Partial& partial) { return partial.num_groups(); });
}

nb::list finish(const Held& held, const std::vector<std::string>& titles, const std::string& order,
                std::optional<uint64_t> limit, uint64_t max_groups) {
  const std::vector<AggregateSpec> aggregates =
      reading(held, [](const Partial& partial) { return partial.aggregates(); });
  if (titles.size() > aggregates.size()) {
    raise({StatusCode::invalid_argument, "more titles than aggregates"});
  }
  const query::ResultOptions options{.order = order_from(order, titles, aggregates),
                                     .limit = limit.value_or(UINT64_MAX),
                                     .max_groups = max_groups};
  return rows_from(take(reading(held, [&](const Partial& partial) { return partial.finish(options); })));
}

nb::bytes to_bytes(const Held& held) {
  const std::vector<std::byte> bytes =
      reading(held, [](const Partial& partial) { return partial.to_bytes(); });
  return nb::bytes(bytes.data(), bytes.size());
}

std::unique_ptr<Held> from_bytes(const Bytes& bytes) {
  const auto span = std::as_bytes(std::span(bytes.data(), bytes.size()));
  return std::make_unique<Held>(take(without_gil([&] { return Partial::from_bytes(span); })));
}

}  // namespace

void add_partials(nb::module_& module) {
  nb::class_<Held>(module, "Partial")
      .def_prop_ro("num_groups", num_groups)
      .def("merge", merge)
      .def("copy", copy_of)
      .def("finish", finish, nb::arg("titles"), nb::arg("order"), nb::arg("limit").none(),
           nb::arg("max_groups"))
      .def("to_bytes", to_bytes)
      .def_static("from_bytes", from_bytes);
  module.def("partial", make_partial, nb::arg("file"), nb::arg("spec"), nb::arg("keys"),
             nb::arg("aggregates"), nb::arg("titles"), nb::arg("order"), nb::arg("max_groups"),
             nb::arg("beat").none());
  module.def("candidates", candidates);
}

}  // namespace bobbin::python
