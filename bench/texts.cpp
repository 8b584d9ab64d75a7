// SPDX-License-Identifier: Apache-2.0
#include "bench/texts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include "measure/shapes.hpp"

namespace bobbin::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kHosts{
    "www.example.com"sv,      "shop.megastore.net"sv,  "news.worldtoday.org"sv,    "blog.techwriter.io"sv,
    "maps.citytransit.gov"sv, "video.streamhub.tv"sv,  "mail.fastpost.com"sv,      "docs.openproject.org"sv,
    "forum.gamerzone.net"sv,  "api.cloudservice.io"sv, "static.cdnprovider.com"sv, "images.photoshare.net"sv,
    "search.findit.com"sv,    "store.bookworld.org"sv, "travel.flyaway.com"sv,     "bank.securepay.net"sv,
    "music.soundwave.fm"sv,   "learn.unicourse.edu"sv, "health.medinfo.org"sv,     "sports.scoreboard.tv"sv};
constexpr std::array kPaths{"/products/category/item/"sv, "/articles/2023/11/latest/"sv,
                            "/user/profile/settings/"sv,  "/search/results/page/"sv,
                            "/download/files/archive/"sv, "/watch/video/stream/"sv,
                            "/forum/thread/reply/"sv,     "/api/v2/resources/list/"sv,
                            "/images/gallery/photo/"sv,   "/docs/manual/chapter/"sv};
constexpr std::array kQueries{"?utm_source=google&utm_medium=cpc"sv,
                              "?session=abcdef&ref=homepage"sv,
                              "?page=2&sort=price_asc"sv,
                              "?q=wireless+headphones&lang=en"sv,
                              "?id=1234567890"sv,
                              "?token=eyJhbGciOiJIUzI1NiJ9"sv,
                              "?from=newsletter&campaign=fall"sv,
                              "?lat=52.3702&lon=4.8952"sv,
                              "?format=json&pretty=true"sv,
                              "?v=1.2.3&build=4567"sv};
constexpr std::array kFragments{
    "#section-overview"sv, "#top"sv,          "#reviews"sv, "#comments-latest"sv, "#details"sv,
    "#pricing-table"sv,    "#contact-form"sv, "#footer"sv,  "#faq-general"sv,     "#related-items"sv};

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Strings make_urls(uint64_t rows, uint64_t seed) {
  Random random(seed);
  const auto pick = [&](const auto& choices) { return choices[random.below(choices.size())]; };
  Strings strings;
  strings.bytes.reserve(rows * 96);
  strings.offsets.reserve(rows + 1);
  std::string url;
  for (uint64_t i = 0; i < rows; ++i) {
    url = random.below(2) == 0 ? "http://" : "https://";
    url += pick(kHosts);
    url += pick(kPaths);
    url += std::to_string(random.below(1'000'000));
    url += pick(kQueries);
    url += pick(kFragments);
    strings.push_back(bytes_of(url));
  }
  return strings;
}

Result<Strings> read_lines(const std::string& path, uint64_t bytes) {
  std::ifstream in(path, std::ios::binary);
  BOBBIN_RETURN_IF(!in, StatusCode::io, path + ": cannot be read");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::vector<std::string_view> lines = split_lines(text);
  BOBBIN_RETURN_IF(lines.empty(), StatusCode::invalid_argument, path + ": no lines");
  Strings strings;
  strings.bytes.reserve(bytes + text.size());
  do {
    for (size_t i = 0; i < lines.size() && (bytes == 0 || strings.bytes.size() < bytes); ++i) {
      strings.push_back(bytes_of(lines[i]));
    }
  } while (strings.bytes.size() < bytes);
  return strings;
}

std::vector<Text> all_texts(const std::string& folder) {
  std::vector<Text> texts{{"urls", ""}};
  for (const char* name : {"l_comment", "wikipedia", "email", "c_name", "hex", "chinese"}) {
    const std::string path = folder + "/" + name + ".txt";
    if (!folder.empty() && std::filesystem::exists(path)) {
      texts.push_back({name, path});
    }
  }
  return texts;
}

Result<Strings> load(const Text& text, uint64_t bytes) {
  return text.path.empty() ? make_urls(std::max<uint64_t>(bytes, 2'000'000) / 92, 123)
                           : read_lines(text.path, bytes);
}

}  // namespace bobbin::bench
