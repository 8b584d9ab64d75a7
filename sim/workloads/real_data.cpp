// SPDX-License-Identifier: Apache-2.0
// Inputs from files: a graph and documents from a text, points from a table. The programs are those of the
// proxies; only the data is real.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>

#include "sim/workloads/inputs.hpp"

namespace bobbin::sim {
namespace {

constexpr uint32_t kQuickNodes = 32'768;
constexpr uint32_t kNodes = 65'536;
constexpr uint32_t kDocumentWords = 64;
constexpr uint32_t kQuickDocuments = 2560;
constexpr uint32_t kQuickPoints = 46'080;

// Letters, and bytes of letters beyond ASCII; capitals as small letters.
[[nodiscard]] bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<uint8_t>(c) & 0x80) != 0;
}

// The words of a text as numbers, in the order in which they first appear.
[[nodiscard]] std::vector<uint32_t> word_numbers(const std::string& text) {
  std::unordered_map<std::string, uint32_t> numbers;
  std::vector<uint32_t> out;
  std::string word;
  for (const char c : text + ' ') {
    if (is_letter(c)) {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!word.empty()) {
      out.push_back(numbers.emplace(word, static_cast<uint32_t>(numbers.size())).first->second);
      word.clear();
    }
  }
  return out;
}

// A node per word, an edge from each word to every different one that follows it somewhere.
[[nodiscard]] Graph word_graph(const std::vector<uint32_t>& words, uint32_t most_nodes) {
  const uint32_t all = words.empty() ? 0 : *std::ranges::max_element(words) + 1;
  const uint32_t nodes = std::min(all, most_nodes) / kBlockThreads * kBlockThreads;
  std::vector<std::vector<uint32_t>> next(nodes);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] < nodes && words[i + 1] < nodes) {
      next[words[i]].push_back(words[i + 1]);
    }
  }
  Graph graph{{0}, {}, {}};
  for (std::vector<uint32_t>& targets : next) {
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    graph.target.insert(graph.target.end(), targets.begin(), targets.end());
    graph.first.push_back(static_cast<uint32_t>(graph.target.size()));
  }
  return graph;
}

// How often each of the commonest words occurs in each piece of kDocumentWords words.
[[nodiscard]] std::vector<uint32_t> word_counts(const std::vector<uint32_t>& words, size_t most_documents) {
  std::vector<uint32_t> total(words.empty() ? 0 : *std::ranges::max_element(words) + 1);
  for (const uint32_t word : words) {
    ++total[word];
  }
  std::vector<uint32_t> order(total.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return total[a] > total[b]; });
  std::vector<uint32_t> rank(total.size(), kVocabulary);
  for (uint32_t i = 0; i < std::min<size_t>(order.size(), kVocabulary); ++i) {
    rank[order[i]] = i;
  }
  constexpr size_t kPerBlock = kBlockThreads / kLanes;
  const size_t documents = std::min(words.size() / kDocumentWords, most_documents) / kPerBlock * kPerBlock;
  std::vector<uint32_t> counts(documents * kVocabulary);
  for (size_t i = 0; i < documents * kDocumentWords; ++i) {
    if (rank[words[i]] < kVocabulary) {
      ++counts[i / kDocumentWords * kVocabulary + rank[words[i]]];
    }
  }
  return counts;
}

// Four whole numbers of each line: station, month, and two temperatures. Fields that are not numbers are 0.
[[nodiscard]] std::vector<int32_t> weather_points(const std::string& text, size_t most_points) {
  constexpr std::array<uint32_t, kPointDimensions> kColumns = {0, 2, 4, 5};
  constexpr int32_t kLargest = (1 << 14) - 1;
  std::vector<int32_t> points;
  size_t at = 0;
  for (size_t end = text.find('\n');
       end != std::string::npos && points.size() < most_points * kColumns.size(); end = text.find('\n', at)) {
    std::array<int32_t, kPointDimensions> point{};
    for (uint32_t column = 0; at <= end; ++column) {
      const size_t stop = std::min(text.find('|', at), end);
      const auto* const found = std::ranges::find(kColumns, column);
      if (found != kColumns.end()) {
        int32_t value = 0;
        std::from_chars(text.data() + at, text.data() + stop, value);
        point[static_cast<size_t>(found - kColumns.begin())] = std::clamp(value, -kLargest, kLargest);
      }
      at = stop + 1;
    }
    points.insert(points.end(), point.begin(), point.end());
  }
  const size_t count = points.size() / kPointDimensions / kBlockThreads * kBlockThreads;
  points.resize(count * kPointDimensions);
  return points;
}

using Start = WorkloadRun (*)(Memory& memory, const std::string& text, bool quick);

struct DataSource {
  std::string_view workload;
  std::string_view name;  // of the workload with this data
  std::string_view file;
  std::string_view description;
  Start start;
};

constexpr DataSource kSources[] = {
    {"KM", "KM-data", "tables/weather.csv", "KM on stations, months and temperatures of a weather table",
     [](Memory& memory, const std::string& text, bool quick) {
       return run_km(memory, weather_points(text, quick ? kQuickPoints : text.size()));
     }},
    {"SS", "SS-data", "strings/wikipedia.txt", "SS on counts of the 96 commonest words in pieces of 64 words",
     [](Memory& memory, const std::string& text, bool quick) {
       return run_ss(memory, word_counts(word_numbers(text), quick ? kQuickDocuments : text.size()));
     }},
    {"bfs", "bfs-data", "strings/wikipedia.txt", "bfs on the graph of words that follow each other in a text",
     [](Memory& memory, const std::string& text, bool quick) {
       return run_bfs(memory, word_graph(word_numbers(text), quick ? kQuickNodes : kNodes));
     }},
};

constexpr size_t kLeastBytes = 1 << 18;  // less fills no block of some workload

}  // namespace

std::vector<std::string_view> workloads_with_data() {
  std::vector<std::string_view> names;
  for (const DataSource& source : kSources) {
    names.push_back(source.workload);
  }
  return names;
}

bobbin::Result<Workload> with_data(const Workload& workload, const std::string& folder) {
  const DataSource* source = std::ranges::find(kSources, workload.name, &DataSource::workload);
  if (source == std::end(kSources)) {
    return Status(
        StatusCode::invalid_argument,
        fmt::format("workload {} has no form with data from files; KM, SS and bfs have", workload.name));
  }
  const std::string path = folder + "/" + std::string(source->file);
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Status(StatusCode::io, fmt::format("{}: cannot be opened", path));
  }
  const auto text = std::make_shared<const std::string>(std::istreambuf_iterator<char>(file),
                                                        std::istreambuf_iterator<char>());
  if (text->size() < kLeastBytes) {
    return Status(StatusCode::corrupt,
                  fmt::format("{}: {} bytes, expected at least {}", path, text->size(), kLeastBytes));
  }
  Workload out = workload;
  out.name = source->name;
  out.description = source->description;
  out.setup = [text, source](Memory& memory, uint64_t, bool quick) {
    return source->start(memory, *text, quick);
  };
  return out;
}

}  // namespace bobbin::sim
