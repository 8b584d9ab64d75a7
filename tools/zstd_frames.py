# SPDX-License-Identifier: Apache-2.0
"""A decoder of zstd frames, written from RFC 8878 alone, for read_bob.py. Simple and slow. It knows what frames of .bob files may
have: no dictionaries, no skippable frames, no magic number."""

MAX_BLOCK = 2**17
LITERAL_LENGTHS = [(i, 0) for i in range(16)] + [(16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4),
                                                 (64, 6)] + [(2**n, n) for n in range(7, 17)]
MATCH_LENGTHS = [(i + 3, 0) for i in range(32)] + [(35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2), (51, 3), (59, 3), (67, 4),
                                                   (83, 4), (99, 5)] + [(2**n + 3, n) for n in range(7, 17)]
# Kind: the default counts and their accuracy, the largest accuracy, the number of symbols.
DEFAULTS = {
    "literals": ([4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1], 6, 9, 36),
    "offsets": ([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1], 5, 8, 32),
    "matches": ([1, 4, 3, 2, 2, 2, 2, 2, 2] + [1] * 37 + [-1] * 7, 6, 9, 53),
}


class BadFrame(Exception):
    pass


def require(condition, message):
    if not condition:
        raise BadFrame(message)


class Backward:
    """Bits of a stream from its end mark down."""

    def __init__(self, data):
        require(data and data[-1], "a stream without an end mark")
        self.value = int.from_bytes(data, "little")
        self.left = self.value.bit_length() - 1

    def read(self, count):
        self.left -= count
        if self.left >= 0:
            return self.value >> self.left & (1 << count) - 1
        return self.value << -self.left & (1 << count) - 1


def read_counts(data, most_log, symbols):
    """An FSE description: counts, accuracy, bytes used."""
    value, at = int.from_bytes(data, "little"), 4
    log = (value & 15) + 5
    require(log <= most_log, "an FSE accuracy that is too large")
    counts, left = [], (1 << log) + 1
    while left > 1:
        require(len(counts) < symbols, "an FSE table with too many symbols")
        bits = left.bit_length()
        low = (1 << bits) - 1 - left
        number = value >> at & (1 << bits) - 1
        if number & (1 << bits - 1) - 1 < low:
            number &= (1 << bits - 1) - 1
            at += bits - 1
        else:
            number -= low if number >= 1 << bits - 1 else 0
            at += bits
        counts.append(number - 1)
        left -= abs(number - 1)
        if number == 1:
            repeat = 3
            while repeat == 3:
                repeat = value >> at & 3
                at += 2
                counts += [0] * repeat
    require(left == 1 and len(counts) <= symbols and (at + 7) // 8 <= len(data), "a damaged FSE description")
    return counts, log, (at + 7) // 8


def make_table(counts, log):
    """For each state: symbol, bits to read, what to add to them."""
    size, high = 1 << log, (1 << log) - 1
    cells = [None] * size
    for symbol, count in enumerate(counts):
        if count < 0:
            cells[high] = symbol
            high -= 1
    place, step = 0, (size >> 1) + (size >> 3) + 3
    for symbol, count in enumerate(counts):
        for _ in range(max(count, 0)):
            cells[place] = symbol
            place = place + step & size - 1
            while place > high:
                place = place + step & size - 1
    following = [abs(count) for count in counts]
    table = []
    for symbol in cells:
        number = following[symbol]
        following[symbol] += 1
        bits = log - number.bit_length() + 1
        table.append((symbol, bits, (number << bits) - size))
    return table, log


def read_weights(data):
    """The weights of a Huffman tree, and how many bytes they take."""
    if data[0] >= 128:
        count = data[0] - 127
        require(len(data) > (count + 1) // 2, "a Huffman tree that ends early")
        return [data[1 + i // 2] >> (0 if i % 2 else 4) & 15 for i in range(count)], 1 + (count + 1) // 2
    coded = data[1:1 + data[0]]
    require(len(coded) == data[0], "a Huffman tree that ends early")
    counts, log, used = read_counts(coded, 6, 12)
    table, _ = make_table(counts, log)
    bits = Backward(coded[used:])
    states, weights = [bits.read(log), bits.read(log)], []
    require(bits.left >= 0, "a Huffman tree without states")
    for i in range(256):
        symbol, count, base = table[states[i % 2]]
        weights.append(symbol)
        states[i % 2] = base + bits.read(count)
        if bits.left < 0:
            weights.append(table[states[(i + 1) % 2]][0])
            break
    require(len(weights) <= 255, "a Huffman tree with too many weights")
    return weights, 1 + data[0]


def read_tree(data):
    """The table of a Huffman code by its longest bits: symbol, bits. And the bytes that its description takes."""
    weights, used = read_weights(data)
    total = sum(1 << w - 1 for w in weights if w)
    require(total > 0, "a Huffman tree without symbols")
    log = total.bit_length()
    rest = (1 << log) - total
    require(log <= 11 and rest & rest - 1 == 0, "a damaged Huffman tree")
    weights.append(rest.bit_length())
    table = []
    for weight in range(1, log + 1):
        for symbol, own in enumerate(weights):
            if own == weight:
                table += [(symbol, log + 1 - weight)] * (1 << weight - 1)
    require(len(table) == 1 << log and weights.count(1) >= 2, "a damaged Huffman tree")
    return (table, log), used


def read_stream(tree, data, count):
    table, log = tree
    bits, out = Backward(data), bytearray()
    value, left = bits.value, bits.left
    for _ in range(count):
        key = value >> left - log if left >= log else value << log - left
        symbol, length = table[key & (1 << log) - 1]
        out.append(symbol)
        left -= length
    require(left == 0, "a Huffman stream that is not used exactly")
    return out


class Frame:
    def __init__(self, data):
        self.data, self.out = data, bytearray()
        self.tree, self.tables, self.recent = None, {}, [1, 4, 8]

    def decode(self):
        descriptor = self.data[0]
        require(descriptor & 0x0b == 0, "a dictionary or a reserved bit")
        single = descriptor >> 5 & 1
        size = {0: single, 1: 2, 2: 4, 3: 8}[descriptor >> 6]
        require(size, "a frame that does not say how much it holds")
        at = 1 + (1 - single)
        content = int.from_bytes(self.data[at:at + size], "little") + (256 if size == 2 else 0)
        window = content if single else (1 << 10 + (self.data[1] >> 3)) // 8 * (8 + (self.data[1] & 7))
        at, last = at + size, False
        while not last:
            header = int.from_bytes(self.data[at:at + 3], "little")
            last, kind, length = header & 1, header >> 1 & 3, header >> 3
            require(kind < 3 and length <= min(window, MAX_BLOCK), "a block's header")
            stored = 1 if kind == 1 else length
            block = self.data[at + 3:at + 3 + stored]
            require(len(block) == stored, "a block that ends early")
            at += 3 + stored
            if kind == 2:
                self.decode_block(block)
            else:
                self.out += block * (length if kind == 1 else 1)
        require(len(self.out) == content, "another size than the header says")
        return bytes(self.out), at + (4 if descriptor & 4 else 0)

    def decode_literals(self, block):
        """And how many bytes of the block they take."""
        kind, form = block[0] & 3, block[0] >> 2 & 3
        if kind < 2:
            used = (1, 2, 1, 3)[form]
            count = int.from_bytes(block[:used], "little") >> (3 if used == 1 else 4)
            plain = block[used:used + (1 if kind else count)]
            require(len(plain) == (1 if kind else count), "literals that end early")
            return plain * count if kind else plain, used + len(plain)
        bits = (10, 10, 14, 18)[form]
        used = (4 + 2 * bits + 7) // 8
        header = int.from_bytes(block[:used], "little") >> 4
        count, size = header & (1 << bits) - 1, header >> bits & (1 << bits) - 1
        coded = block[used:used + size]
        require(len(coded) == size, "literals that end early")
        skip = 0
        if kind == 2:
            self.tree, skip = read_tree(coded)
        require(self.tree, "literals without a tree")
        coded = coded[skip:]
        if form == 0:
            return read_stream(self.tree, coded, count), used + size
        sizes = [int.from_bytes(coded[i:i + 2], "little") for i in (0, 2, 4)]
        require(count >= 6 and len(coded) > 6 + sum(sizes), "the sizes of four streams")
        out, at, each = bytearray(), 6, (count + 3) // 4
        for i, length in enumerate(sizes + [len(coded) - 6 - sum(sizes)]):
            out += read_stream(self.tree, coded[at:at + length], each if i < 3 else count - 3 * each)
            at += length
        return out, used + size

    def read_table(self, kind, mode, data):
        counts, log, most_log, symbols = DEFAULTS[kind]
        if mode == 0:
            self.tables[kind] = make_table(counts, log)
        elif mode == 1:
            require(data and data[0] < symbols, "a repeated symbol")
            self.tables[kind] = [(data[0], 0, 0)], 0
            return 1
        elif mode == 2:
            counts, log, used = read_counts(data, most_log, symbols)
            self.tables[kind] = make_table(counts, log)
            return used
        require(kind in self.tables, "a table to repeat")
        return 0

    def decode_block(self, block):
        literals, at = self.decode_literals(block)
        require(at < len(block), "a block without sequences")
        count = block[at]
        if count >= 128:
            count = (count - 128 << 8) + block[at + 1] if count < 255 else block[at + 1] + (block[at + 2] << 8) + 0x7f00
        at += 1 if block[at] < 128 else 2 if block[at] < 255 else 3
        if count == 0:
            require(at == len(block), "bytes after no sequences")
            self.out += literals
            return
        modes = block[at]
        require(modes & 3 == 0, "a reserved bit")
        at += 1
        for kind, shift in (("literals", 6), ("offsets", 4), ("matches", 2)):
            at += self.read_table(kind, modes >> shift & 3, block[at:])
        self.run_sequences(literals, count, Backward(block[at:]))

    def run_sequences(self, literals, count, bits):
        order = ("literals", "offsets", "matches")
        states = {kind: bits.read(self.tables[kind][1]) for kind in order}
        taken = 0
        for i in range(count):
            cells = {kind: self.tables[kind][0][states[kind]] for kind in order}
            code = cells["offsets"][0]
            value = (1 << code) + bits.read(code)
            base, extra = MATCH_LENGTHS[cells["matches"][0]]
            length = base + bits.read(extra)
            base, extra = LITERAL_LENGTHS[cells["literals"][0]]
            own = base + bits.read(extra)
            if i + 1 < count:
                for kind in ("literals", "matches", "offsets"):
                    states[kind] = cells[kind][2] + bits.read(cells[kind][1])
            require(taken + own <= len(literals), "too few literals")
            self.out += literals[taken:taken + own]
            taken += own
            self.copy(self.offset_of(value, own), length)
        require(bits.left == 0, "sequences that are not used exactly")
        self.out += literals[taken:]

    def offset_of(self, value, literals):
        if value > 3:
            self.recent = [value - 3] + self.recent[:2]
            return self.recent[0]
        index = value - 1 + (literals == 0)
        offset = self.recent[index] if index < 3 else self.recent[0] - 1
        if index:
            self.recent = [offset] + [self.recent[k] for k in range(3) if k != min(index, 2)][:2]
        return offset

    def copy(self, offset, length):
        require(0 < offset <= len(self.out), "an offset outside of the content")
        for _ in range(length // offset + 1):
            piece = self.out[-offset:][:length] if length < offset else self.out[-offset:]
            self.out += piece
            length -= len(piece)
            if length <= 0:
                break


def decode_frame(data):
    """The content of the frame that `data` starts with, and how many bytes the frame takes."""
    try:
        return Frame(data).decode()
    except IndexError as error:
        raise BadFrame("a frame that ends early") from error
