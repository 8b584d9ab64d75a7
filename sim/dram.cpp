// SPDX-License-Identifier: Apache-2.0
#include "sim/dram.hpp"

#include <algorithm>

namespace bobbin::sim {
namespace {

// The metadata region: rows above all data.
constexpr uint64_t kMetadataFirstLine = uint64_t{1} << 24;

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
  const uint32_t read_end = cl + burst + config.dram_turnaround;
  read_to_write = read_end > wl ? read_end - wl : 1;
}

Dram::Dram(Machine& machine, uint32_t channel)
    : machine_(machine), channel_(channel), timings_(machine.config), metadata_(machine.config) {
  chips_.resize(machine.config.dram_chips);
  for (Chip& chip : chips_) {
    chip.banks.resize(machine.config.dram_banks);
    chip.next_group.resize(machine.config.dram_groups);
    chip.reads.open_counts.resize(machine.config.dram_banks);
    chip.writes.open_counts.resize(machine.config.dram_banks);
  }
}

void Dram::read(uint64_t line, uint32_t bursts) {
  Chip& chip = chips_[machine_.chip_of(line)];
  const uint64_t when = machine_.now + machine_.config.dram_latency;
  chip.coming_reads.push({when, line, static_cast<uint8_t>(bursts), Kind::read});
  wake_at_ = std::min(wake_at_, when);
  ++chip.held;
  ++requests_;
  ++machine_.counters.dram_reads;
  machine_.counters.dram_bursts_raw += kLineBursts;
}

void Dram::write(uint64_t line, uint32_t bursts) {
  Chip& chip = chips_[machine_.chip_of(line)];
  const bool compresses = machine_.traits.at_controller && machine_.stored.is_compressible(line);
  const uint64_t when =
      machine_.now + machine_.config.dram_latency + (compresses ? machine_.traits.compress : 0);
  chip.coming_writes.push({when, line, static_cast<uint8_t>(bursts), Kind::write});
  wake_at_ = std::min(wake_at_, when);
  ++chip.held;
  ++requests_;
  Counters& counters = machine_.counters;
  ++counters.dram_writes;
  counters.dram_bursts_raw += kLineBursts;
  counters.compressions += compresses ? 1 : 0;
  counters.compressions_failed += compresses && !machine_.stored.is_compressed(line) ? 1 : 0;
}

uint64_t Dram::take_data() {
  const uint64_t line = data_.front().line;
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

void Dram::Queue::add(const Request& request) {
  row_wake = 0;
  requests.push_back(request);
  if (request.is_open) {
    ++open_counts[request.bank];
    open_banks |= uint64_t{1} << request.bank;
  }
}

void Dram::Queue::remove(size_t index) {
  row_wake = 0;
  const uint32_t bank = requests[index].bank;
  if (requests[index].is_open && --open_counts[bank] == 0) {
    open_banks &= ~(uint64_t{1} << bank);
  }
  requests.erase(requests.begin() + static_cast<ptrdiff_t>(index));
}

void Dram::Queue::set_row(uint32_t bank, int64_t row) {
  row_wake = 0;
  open_counts[bank] = 0;
  for (Request& request : requests) {
    if (request.bank == bank) {
      request.is_open = request.row == row;
      open_counts[bank] += request.is_open ? 1 : 0;
    }
  }
  const uint64_t bit = uint64_t{1} << bank;
  open_banks = open_counts[bank] != 0 ? open_banks | bit : open_banks & ~bit;
}

void Dram::enqueue(Chip& chip, const Request& request) {
  const bool is_write = request.kind == Kind::write || request.kind == Kind::metadata_write;
  Request added = request;
  added.is_open = chip.banks[request.bank].row == request.row;
  (is_write ? chip.writes : chip.reads).add(added);
  chip.wake = 0;
}

void Dram::enqueue(Chip& chip, const Timed& request) {
  enqueue(chip, place(machine_.local_of(request.line), request.kind, request.line, request.bursts));
}

// Metadata goes to the scheduler at once, even if the queue is full: others wait for it.
void Dram::enqueue_metadata(uint64_t md_line, Kind kind) {
  Chip& chip = chips_[md_line % chips_.size()];
  ++chip.held;
  ++requests_;
  const uint32_t bytes = machine_.config.md_line_bytes;
  enqueue(chip, place(kMetadataFirstLine + md_line * bytes / kLineBytes, kind, md_line, bytes / kBurstBytes));
}

// Requests that have arrived go to the scheduler as far as it has room.
void Dram::accept(Chip& chip) {
  const Config& config = machine_.config;
  const auto has_come = [&](Fifo<Timed>& fifo) { return !fifo.empty() && fifo.front().when <= machine_.now; };
  for (; !chip.known_reads.empty() && chip.reads.requests.size() < config.dram_queue;
       chip.known_reads.pop()) {
    enqueue(chip, chip.known_reads.front());
  }
  for (; has_come(chip.coming_reads) && chip.reads.requests.size() < config.dram_queue;
       chip.coming_reads.pop()) {
    const Timed request = chip.coming_reads.front();
    if (!machine_.traits.metadata || look_up(request)) {
      enqueue(chip, request);
    } else {
      waiting_.push_back(request);
    }
  }
  for (; has_come(chip.coming_writes) && chip.writes.requests.size() < config.dram_write_buffer;
       chip.coming_writes.pop()) {
    const Timed request = chip.coming_writes.front();
    if (machine_.traits.metadata) {
      static_cast<void>(look_up(request));  // only notes its bursts
    }
    enqueue(chip, request);
  }
}

// A read must know its bursts before it starts: whether it does.
bool Dram::look_up(const Timed& request) {
  const uint64_t md_line = metadata_.md_line_of(machine_.local_of(request.line));
  const MetadataCache::Answer answer = metadata_.look_up(md_line, request.kind == Kind::write);
  Counters& counters = machine_.counters;
  ++counters.md_lookups;
  counters.md_hits += answer == MetadataCache::Answer::hit ? 1 : 0;
  counters.md_merges += answer == MetadataCache::Answer::coming ? 1 : 0;
  if (answer == MetadataCache::Answer::miss) {
    ++counters.md_misses;
    if (uint64_t victim = 0; metadata_.take_victim(victim)) {
      ++counters.md_writebacks;
      enqueue_metadata(victim, Kind::metadata_write);
    }
    enqueue_metadata(md_line, Kind::metadata_read);
  }
  return answer == MetadataCache::Answer::hit;
}

void Dram::finish_metadata(uint64_t md_line) {
  metadata_.arrived(md_line);
  --requests_;
  std::erase_if(waiting_, [&](const Timed& request) {
    if (metadata_.md_line_of(machine_.local_of(request.line)) != md_line) {
      return false;
    }
    chips_[machine_.chip_of(request.line)].known_reads.push(request);
    has_known_ = true;
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
      continue;
    }
    const bool expands = machine_.traits.at_controller && machine_.stored.is_compressed(done.line);
    machine_.counters.decompressions += expands ? 1 : 0;
    data_.push({machine_.now + (expands ? machine_.traits.decompress : 0), done.line, 0, Kind::read});
  }
}

void Dram::finish(Chip& chip, const Request& request, uint64_t when) {
  --chip.held;
  ++ended_;
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

void Dram::column(Chip& chip, Queue& queue, size_t index, bool is_write) {
  Request& request = queue.requests[index];
  Bank& bank = chip.banks[request.bank];
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
    queue.remove(index);
  }
}

// The oldest request to an open row.
bool Dram::issue_column(Chip& chip, Queue& queue, bool is_write, uint64_t& wake) {
  if (queue.open_banks == 0) {
    return false;
  }
  const uint64_t bus = is_write ? chip.next_write : chip.next_read;
  if (bus > cycle_) {
    wake = std::min(wake, bus);
    return false;
  }
  for (size_t i = 0; i < queue.requests.size(); ++i) {
    const Request& request = queue.requests[i];
    if (!request.is_open) {
      continue;
    }
    const uint64_t group = chip.next_group[request.bank & (chip.next_group.size() - 1)];
    const uint64_t ready = std::max(chip.banks[request.bank].next_column, group);
    if (ready <= cycle_) {
      column(chip, queue, i, is_write);
      return true;
    }
    wake = std::min(wake, ready);
  }
  return false;
}

void Dram::set_row(Chip& chip, uint32_t bank, int64_t row) {
  chip.banks[bank].row = row;
  chip.reads.set_row(bank, row);
  chip.writes.set_row(bank, row);
}

// Opens the row of the oldest request that needs another one.
bool Dram::issue_row(Chip& chip, Queue& queue, uint64_t& wake) {
  if (queue.row_wake > cycle_) {
    wake = std::min(wake, queue.row_wake);
    return false;
  }
  uint64_t first_ready = kNever;
  uint64_t seen = queue.open_banks;  // an older request decides for its bank
  for (const Request& request : queue.requests) {
    if ((seen >> request.bank & 1) != 0) {
      continue;
    }
    seen |= uint64_t{1} << request.bank;
    Bank& bank = chip.banks[request.bank];
    const uint64_t ready =
        bank.row < 0 ? std::max(bank.next_activate, chip.next_activate) : bank.next_precharge;
    if (ready > cycle_) {
      first_ready = std::min(first_ready, ready);
      continue;
    }
    if (bank.row >= 0) {
      log(chip, request.bank, static_cast<uint32_t>(bank.row), DramCommand::precharge);
      bank.next_activate = std::max(bank.next_activate, cycle_ + timings_.rp);
      ++machine_.counters.dram_precharges;
      set_row(chip, request.bank, -1);
      return true;
    }
    bank.next_activate = cycle_ + timings_.rc;
    bank.next_precharge = std::max(bank.next_precharge, cycle_ + timings_.ras);
    bank.next_column = cycle_ + timings_.rcd;
    chip.next_activate = cycle_ + timings_.rrd;
    ++machine_.counters.dram_activates;
    log(chip, request.bank, request.row, DramCommand::activate);
    set_row(chip, request.bank, request.row);
    return true;
  }
  // Other commands only make it later.
  queue.row_wake = first_ready;
  wake = std::min(wake, first_ready);
  return false;
}

bool Dram::schedule(Chip& chip) {
  if (chip.wake > cycle_) {
    return false;
  }
  // Writes wait until there are enough of them to turn the bus around, or nothing else to do.
  const Config& config = machine_.config;
  const size_t writes = chip.writes.requests.size();
  chip.drains = writes != 0 && (chip.reads.requests.empty() || writes >= config.dram_write_high ||
                                (chip.drains && writes > config.dram_write_low));
  uint64_t wake = kNever;
  Queue& first = chip.drains ? chip.writes : chip.reads;
  if (issue_column(chip, first, chip.drains, wake) || issue_row(chip, first, wake)) {
    return true;
  }
  chip.wake = wake;
  return false;
}

void Dram::work() {
  deliver();
  const uint64_t ended = ended_;
  const bool accepts = has_known_ || wake_at_ <= machine_.now;
  for (size_t i = 0; accepts && i < chips_.size(); ++i) {
    accept(chips_[i]);
  }
  // Chips that share the command bus take turns.
  const bool shares = machine_.config.dram_commands == 0;
  bool issued = false;
  for (size_t i = 0; i < chips_.size() && !(issued && shares); ++i) {
    issued = schedule(chips_[(cycle_ + i) & (chips_.size() - 1)]);
    machine_.progress += issued ? 1 : 0;
  }
  if (accepts || ended_ != ended) {
    note_next_arrival();
  }
  wake_ = has_known_ ? 0 : moving_.empty() ? kNever : moving_.front().when;
  for (const Chip& chip : chips_) {
    wake_ = std::min(wake_, chip.wake);
  }
}

// When the next request comes that the scheduler has room for.
void Dram::note_next_arrival() {
  const Config& config = machine_.config;
  wake_at_ = kNever;
  has_known_ = false;
  for (Chip& chip : chips_) {
    const bool takes_reads = chip.reads.requests.size() < config.dram_queue;
    has_known_ = has_known_ || (takes_reads && !chip.known_reads.empty());
    if (takes_reads && !chip.coming_reads.empty()) {
      wake_at_ = std::min(wake_at_, chip.coming_reads.front().when);
    }
    if (chip.writes.requests.size() < config.dram_write_buffer && !chip.coming_writes.empty()) {
      wake_at_ = std::min(wake_at_, chip.coming_writes.front().when);
    }
  }
}

}  // namespace bobbin::sim
