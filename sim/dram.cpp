// SPDX-License-Identifier: Apache-2.0
#include "sim/dram.hpp"

#include <algorithm>

namespace bobbin::sim {
namespace {

// The metadata region: rows above all data.
constexpr uint64_t kMetadataFirstLine = uint64_t{1} << 24;
constexpr uint64_t kNever = ~uint64_t{0};

}  // namespace

DramTimings::DramTimings(const Config& config) {
  const auto scaled = [&](uint32_t cycles) { return (cycles * config.dram_bandwidth_percent + 99) / 100; };
  cl = scaled(config.dram_cl);
  wl = scaled(config.dram_wl);
  rp = scaled(config.dram_rp);
  rc = scaled(config.dram_rc);
  ras = scaled(config.dram_ras);
  rcd = scaled(config.dram_rcd);
  rrd = scaled(config.dram_rrd);
  cdlr = scaled(config.dram_cdlr);
  wr = scaled(config.dram_wr);
  ccd = std::max(config.dram_ccd, config.dram_burst_cycles);
  ccdl = std::max(config.dram_ccdl, ccd);
  rtp = scaled(config.dram_rtp);
  burst = config.dram_burst_cycles;
  read_to_write = cl + burst + 2 > wl ? cl + burst + 2 - wl : 1;
}

Dram::Dram(Machine& machine, uint32_t channel)
    : machine_(machine), channel_(channel), timings_(machine.config), metadata_(machine.config) {
  chips_.resize(machine.config.dram_chips);
  for (Chip& chip : chips_) {
    chip.banks.resize(machine.config.dram_banks);
    chip.next_group.resize(machine.config.dram_groups);
  }
}

void Dram::read(uint64_t line, uint32_t bursts) {
  arriving_.push(
      {machine_.now + machine_.config.dram_latency, line, static_cast<uint8_t>(bursts), Kind::read});
  ++chips_[machine_.chip_of(line)].held;
  ++requests_;
  ++machine_.counters.dram_reads;
  machine_.counters.dram_bursts_raw += kLineBursts;
}

void Dram::write(uint64_t line, uint32_t bursts) {
  arriving_.push(
      {machine_.now + machine_.config.dram_latency, line, static_cast<uint8_t>(bursts), Kind::write});
  ++chips_[machine_.chip_of(line)].held;
  ++requests_;
  ++machine_.counters.dram_writes;
  machine_.counters.dram_bursts_raw += kLineBursts;
}

uint64_t Dram::take_data() {
  const uint64_t line = data_.front();
  data_.pop();
  --requests_;
  return line;
}

Dram::Request Dram::place(uint64_t local, Kind kind, uint64_t line, uint32_t bursts) const {
  const Config& config = machine_.config;
  const uint64_t row = local / config.dram_chips / (config.dram_row_bytes / kLineBytes);
  const uint64_t above = row / config.dram_banks;
  Request request;
  request.line = line;
  request.row = static_cast<uint32_t>(above);
  // Rows of the same bank are far apart in memory: powers of two as strides do not meet in one bank.
  request.bank = static_cast<uint16_t>((row ^ above ^ above / config.dram_banks) % config.dram_banks);
  request.left = static_cast<uint8_t>(bursts);
  request.kind = kind;
  return request;
}

void Dram::enqueue(uint32_t chip, const Request& request) {
  const bool is_write = request.kind == Kind::write || request.kind == Kind::metadata_write;
  (is_write ? chips_[chip].writes : chips_[chip].reads).push_back(request);
  chips_[chip].wake = 0;
}

void Dram::fetch_metadata(uint64_t md_line) {
  const auto chip = static_cast<uint32_t>(md_line % chips_.size());
  ++chips_[chip].held;
  ++requests_;
  enqueue(chip, place(kMetadataFirstLine + md_line * machine_.config.md_line_bytes / kLineBytes,
                      Kind::metadata_read, md_line, machine_.config.md_line_bytes / kBurstBytes));
}

void Dram::write_back_metadata(uint64_t md_line) {
  const auto chip = static_cast<uint32_t>(md_line % chips_.size());
  ++chips_[chip].held;
  ++requests_;
  ++machine_.counters.md_writebacks;
  enqueue(chip, place(kMetadataFirstLine + md_line * machine_.config.md_line_bytes / kLineBytes,
                      Kind::metadata_write, md_line, machine_.config.md_line_bytes / kBurstBytes));
}

void Dram::accept(const Timed& request) {
  if (machine_.traits.algorithm != Algorithm::none) {
    look_up(request);
    return;
  }
  enqueue(machine_.chip_of(request.line),
          place(machine_.local_of(request.line), request.kind, request.line, request.bursts));
}

// A read must know its bursts before it starts; a write only notes them.
void Dram::look_up(const Timed& request) {
  const bool is_write = request.kind == Kind::write;
  const uint64_t md_line = metadata_.md_line_of(machine_.local_of(request.line));
  ++machine_.counters.md_lookups;
  const MetadataCache::Answer answer = metadata_.look_up(md_line, is_write);
  machine_.counters.md_hits += answer == MetadataCache::Answer::miss ? 0 : 1;
  if (answer == MetadataCache::Answer::miss) {
    if (uint64_t victim = 0; metadata_.take_victim(victim)) {
      write_back_metadata(victim);
    }
    fetch_metadata(md_line);
  }
  if (is_write || answer == MetadataCache::Answer::hit) {
    enqueue(machine_.chip_of(request.line),
            place(machine_.local_of(request.line), request.kind, request.line, request.bursts));
  } else {
    waiting_.push_back(request);
  }
}

void Dram::finish_metadata(uint64_t md_line) {
  metadata_.arrived(md_line);
  --requests_;
  std::erase_if(waiting_, [&](const Timed& request) {
    if (metadata_.md_line_of(machine_.local_of(request.line)) != md_line) {
      return false;
    }
    enqueue(machine_.chip_of(request.line),
            place(machine_.local_of(request.line), request.kind, request.line, request.bursts));
    return true;
  });
}

void Dram::deliver() {
  while (!moving_.empty() && moving_.front().when <= cycle_) {
    const Timed done = moving_.front();
    moving_.pop();
    ++machine_.progress;
    if (done.kind == Kind::metadata_read) {
      finish_metadata(done.line);
    } else {
      data_.push(done.line);
    }
  }
}

void Dram::finish(Chip& chip, const Request& request, uint64_t when) {
  --chip.held;
  if (request.kind == Kind::read || request.kind == Kind::metadata_read) {
    moving_.push({when, request.line, 0, request.kind});
  } else {
    --requests_;
  }
}

void Dram::log(const Chip& chip, uint32_t bank, uint32_t row, DramCommand command) {
  EventLog* log = machine_.options.log;
  if (machine_.logs(machine_.now) && log->dram.size() < log->limit) {
    log->dram.push_back({cycle_, channel_, static_cast<uint32_t>(&chip - chips_.data()), bank, row, command});
  }
}

uint64_t Dram::column_ready(const Chip& chip, const Request& request, bool is_write) const {
  const uint64_t group = chip.next_group[request.bank % chip.next_group.size()];
  return std::max({chip.banks[request.bank].next_column, group, is_write ? chip.next_write : chip.next_read});
}

void Dram::column(Chip& chip, Bank& bank, std::vector<Request>& requests, size_t index, bool is_write) {
  Request& request = requests[index];
  const uint64_t data_end = cycle_ + (is_write ? timings_.wl : timings_.cl) + timings_.burst;
  chip.next_group[request.bank % chip.next_group.size()] = cycle_ + timings_.ccdl;
  if (is_write) {
    chip.next_write = cycle_ + timings_.ccd;
    chip.next_read = std::max(chip.next_read, data_end + timings_.cdlr);
    bank.next_precharge = std::max(bank.next_precharge, data_end + timings_.wr);
  } else {
    chip.next_read = cycle_ + timings_.ccd;
    chip.next_write = std::max(chip.next_write, cycle_ + timings_.read_to_write);
    bank.next_precharge = std::max(bank.next_precharge, cycle_ + timings_.rtp);
  }
  log(chip, request.bank, request.row, is_write ? DramCommand::write : DramCommand::read);
  Counters& counters = machine_.counters;
  ++counters.dram_bursts;
  counters.dram_busy_cycles += timings_.burst;
  counters.dram_read_bursts += request.kind == Kind::read ? 1 : 0;
  counters.dram_write_bursts += request.kind == Kind::write ? 1 : 0;
  if (--request.left == 0) {
    finish(chip, request, data_end);
    requests.erase(requests.begin() + static_cast<ptrdiff_t>(index));
  }
}

// The oldest request to an open row. `hits` gets the banks whose open row is still wanted.
bool Dram::issue_column(Chip& chip, std::vector<Request>& requests, bool is_write, uint64_t& hits,
                        uint64_t& wake) {
  size_t chosen = requests.size();
  for (size_t i = 0; i < requests.size(); ++i) {
    const Request& request = requests[i];
    if (chip.banks[request.bank].row != request.row) {
      continue;
    }
    hits |= uint64_t{1} << request.bank;
    const uint64_t ready = column_ready(chip, request, is_write);
    if (ready <= cycle_) {
      chosen = i;
      break;
    }
    wake = std::min(wake, ready);
  }
  if (chosen == requests.size()) {
    return false;
  }
  column(chip, chip.banks[requests[chosen].bank], requests, chosen, is_write);
  return true;
}

// Opens the row of the oldest request that needs another one.
bool Dram::issue_row(Chip& chip, std::vector<Request>& requests, uint64_t hits, uint64_t& wake) {
  uint64_t seen = hits;  // an older request decides for its bank
  for (const Request& request : requests) {
    if ((seen >> request.bank & 1) != 0) {
      continue;
    }
    seen |= uint64_t{1} << request.bank;
    Bank& bank = chip.banks[request.bank];
    const uint64_t ready =
        bank.row < 0 ? std::max(bank.next_activate, chip.next_activate) : bank.next_precharge;
    if (ready > cycle_) {
      wake = std::min(wake, ready);
      continue;
    }
    if (bank.row >= 0) {
      log(chip, request.bank, static_cast<uint32_t>(bank.row), DramCommand::precharge);
      bank.row = -1;
      bank.next_activate = std::max(bank.next_activate, cycle_ + timings_.rp);
      ++machine_.counters.dram_precharges;
      return true;
    }
    bank.row = request.row;
    bank.next_activate = cycle_ + timings_.rc;
    bank.next_precharge = std::max(bank.next_precharge, cycle_ + timings_.ras);
    bank.next_column = cycle_ + timings_.rcd;
    chip.next_activate = cycle_ + timings_.rrd;
    ++machine_.counters.dram_activates;
    log(chip, request.bank, request.row, DramCommand::activate);
    return true;
  }
  return false;
}

bool Dram::schedule(Chip& chip) {
  if (chip.wake > cycle_) {
    return false;
  }
  // Writes wait until there are enough of them to turn the bus around, or nothing else to do.
  const uint32_t batch = machine_.config.dram_write_batch;
  chip.drains = !chip.writes.empty() && (chip.reads.empty() || chip.writes.size() >= batch ||
                                         (chip.drains && chip.writes.size() > batch / 4));
  uint64_t hits = 0;
  uint64_t wake = kNever;
  std::vector<Request>& first = chip.drains ? chip.writes : chip.reads;
  if (issue_column(chip, first, chip.drains, hits, wake) || issue_row(chip, first, hits, wake)) {
    return true;
  }
  chip.wake = wake;
  return false;
}

void Dram::tick() {
  ++cycle_;
  if (requests_ == 0) {
    return;
  }
  deliver();
  while (!arriving_.empty() && arriving_.front().when <= machine_.now) {
    const Timed request = arriving_.front();
    arriving_.pop();
    accept(request);
  }
  // One command per cycle: the chips share the command bus and take turns.
  for (size_t i = 0; i < chips_.size(); ++i) {
    if (schedule(chips_[(cycle_ + i) % chips_.size()])) {
      ++machine_.progress;
      return;
    }
  }
}

}  // namespace bobbin::sim
