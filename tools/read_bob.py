#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second reader of .bob files, written only from docs/format.md and the codecs' spec.md. Simple and slow: it proves
that the documents are complete. Needs only Python's standard library.

usage: read_bob.py FILE                    prints the contents of the file and checks all of it
       read_bob.py FILE --column NAME      prints the column's values, one per line
       read_bob.py --check MANIFEST        decodes the golden files listed in the manifest
"""
import argparse
import contextlib
import functools
import pathlib
import re
import struct
import sys
import zlib

import zstd_frames

MAGIC = bytes.fromhex("89424f420d0a1a0a")
VERSIONS = (1, 2)
HEADER_BYTES, TRAILER_BYTES, ALIGNMENT, PART_BYTES = {1: 128, 2: 16}, 32, {1: 128, 2: 16}, 2**14
MAX_FOOTER_BYTES, MAX_COLUMNS, MAX_NAME_BYTES, MAX_GROUP_ROWS = 2**28, 2**20, 2**16, 2**24
MAX_SEGMENT_BYTES, MAX_DEPTH, MAX_CHILDREN, MAX_BUFFERS, MAX_METADATA = 2**30, 16, 256, 256, 2**16
HIDDEN_COLUMNS = b"bobbin.hidden_columns"
MAX_KEYS, MAX_KEY_BYTES, MAX_VALUE_BYTES, MAX_ZONE_BYTES = 1024, 256, 2**16, 64
MAX_LOOKUPS, MAX_STRING_BYTES = 2, 2**33
MAX_ROW_GROUPS, MAX_NODES, MAX_SEGMENTS, MAX_COMPRESSED_FOOTER = 2**22, 2**22, 2**24, 2**21
# Number: name, struct's letter, bits; strings have neither.
TYPES = {1: ("u8", "B", 8), 2: ("u16", "H", 16), 3: ("u32", "I", 32), 4: ("u64", "Q", 64),
         5: ("i8", "b", 8), 6: ("i16", "h", 16), 7: ("i32", "i", 32), 8: ("i64", "q", 64),
         9: ("f32", "f", 32), 10: ("f64", "d", 64), 11: ("utf8", None, None), 12: ("binary", None, None)}
UTF8, STRINGS = 11, (11, 12)
INFINITY = {9: 0x7f800000, 10: 0x7ff0000000000000}
SIGNED = {8: 5, 16: 6, 32: 7, 64: 8}  # bits: the signed integer type
MAX_EXPONENT = {9: 10, 10: 18}  # alp
CODECS = {1: "bitpack", 2: "ffor", 3: "delta", 4: "fsst", 5: "patched", 6: "alp", 7: "alprd", 8: "masked",
          9: "constant", 10: "dict", 11: "rle", 12: "sparse", 13: "zigzag", 14: "diff", 15: "zstd", 16: "ans", 17: "line"}
FSST, MASKED, DICT, ZSTD = 4, 8, 10, 15
TIMESTAMP, DECIMAL, TIME = 3, 4, 5
LOGICAL = {0: tuple(TYPES), 1: (1,), 2: (7,), TIMESTAMP: (8,), DECIMAL: (5, 6, 7, 8), TIME: (8,)}  # and their types


class BadFile(Exception):
    pass


def require(condition, message):
    if not condition:
        raise BadFile(message)


# --- XXH3-64, seed 0, default secret ---------------------------------------------------------------------------------------

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
MASK = 2**64 - 1
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def word(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def fold(a, b):
    product = a * b
    return (product & MASK) ^ (product >> 64)


def mix(data, at, secret_at):
    return fold(word(data, at) ^ word(SECRET, secret_at), word(data, at + 8) ^ word(SECRET, secret_at + 8))


def avalanche(h):
    h ^= h >> 37
    h = h * 0x165667919E3779F9 & MASK
    return h ^ (h >> 32)


def old_avalanche(h):
    h = (h ^ (h >> 33)) * P64_2 & MASK
    h = (h ^ (h >> 29)) * P64_3 & MASK
    return h ^ (h >> 32)


def rotated(h, bits):
    return (h << bits | h >> (64 - bits)) & MASK


def xxh3_tiny(data):
    """Up to 16 bytes."""
    size = len(data)
    if size == 0:
        return old_avalanche(word(SECRET, 56) ^ word(SECRET, 64))
    if size < 4:
        key = int.from_bytes(SECRET[:4], "little") ^ int.from_bytes(SECRET[4:8], "little")
        return old_avalanche((data[0] << 16 | data[size // 2] << 24 | data[-1] | size << 8) ^ key)
    if size <= 8:
        h = int.from_bytes(data[-4:], "little") + (int.from_bytes(data[:4], "little") << 32)
        h ^= word(SECRET, 8) ^ word(SECRET, 16)
        h ^= rotated(h, 49) ^ rotated(h, 24)
        h = h * 0x9FB21C651E98DF25 & MASK
        h ^= (h >> 35) + size
        h = h * 0x9FB21C651E98DF25 & MASK
        return h ^ h >> 28
    low = word(data, 0) ^ word(SECRET, 24) ^ word(SECRET, 32)
    high = word(data, size - 8) ^ word(SECRET, 40) ^ word(SECRET, 48)
    return avalanche((size + int.from_bytes(low.to_bytes(8, "little"), "big") + high + fold(low, high)) & MASK)


def xxh3_short(data):
    """17 to 240 bytes."""
    size = len(data)
    total = size * P64_1
    if size <= 128:
        for i in range((size - 1) // 32 + 1):
            total += mix(data, 16 * i, 32 * i) + mix(data, size - 16 * (i + 1), 32 * i + 16)
        return avalanche(total & MASK)
    for i in range(8):
        total += mix(data, 16 * i, 16 * i)
    total = avalanche(total & MASK)
    for i in range(8, size // 16):
        total += mix(data, 16 * i, 16 * (i - 8) + 3)
    total += mix(data, size - 16, 136 - 17)
    return avalanche(total & MASK)


def xxh3(data):
    size = len(data)
    if size <= 240:
        return xxh3_tiny(data) if size <= 16 else xxh3_short(data)
    lanes = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]

    def accumulate(at, secret_at):
        for i in range(8):
            value = word(data, at + 8 * i)
            key = value ^ word(SECRET, secret_at + 8 * i)
            lanes[i ^ 1] = (lanes[i ^ 1] + value) & MASK
            lanes[i] = (lanes[i] + (key & 0xFFFFFFFF) * (key >> 32)) & MASK

    stripes = (size - 1) // 64
    for stripe in range(stripes):
        accumulate(64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:
            for i in range(8):
                lanes[i] = ((lanes[i] ^ (lanes[i] >> 47) ^ word(SECRET, 128 + 8 * i)) * P32_1) & MASK
    accumulate(size - 64, 192 - 64 - 7)
    total = size * P64_1
    for i in range(4):
        total += fold(lanes[2 * i] ^ word(SECRET, 11 + 16 * i), lanes[2 * i + 1] ^ word(SECRET, 19 + 16 * i))
    return avalanche(total & MASK)


# --- FlatBuffers, as much as section 5.1 says ----------------------------------------------------------------------------

class Table:
    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - self.number("i", at)
        self.vtable_bytes = self.number("H", self.vtable)

    def number(self, letter, at):
        size = struct.calcsize("<" + letter)
        require(0 <= at <= len(self.data) - size, "footer: an offset leads out of it")
        return struct.unpack_from("<" + letter, self.data, at)[0]

    def place(self, field):
        """The position of a field; None if it is absent."""
        entry = 4 + 2 * field
        if entry + 2 > self.vtable_bytes:
            return None
        offset = self.number("H", self.vtable + entry)
        return self.at + offset if offset else None

    def scalar(self, field, letter):
        place = self.place(field)
        return 0 if place is None else self.number(letter, place)

    def target(self, field, required=False):
        place = self.place(field)
        require(place is not None or not required, "footer: a required field is missing")
        return None if place is None else place + self.number("I", place)

    def child(self, field):
        return Table(self.data, self.target(field, True))

    def vector(self, field, element_bytes, required=False):
        """The position of the elements, and their number."""
        at = self.target(field, required)
        if at is None:
            return 0, 0
        count = self.number("I", at)
        require(count * element_bytes <= len(self.data) - at - 4, "footer: a vector reaches beyond it")
        return at + 4, count

    def bytes(self, field, required=False):
        at, count = self.vector(field, 1, required)
        return self.data[at:at + count]

    def tables(self, field, required=False):
        at, count = self.vector(field, 4, required)
        return [Table(self.data, at + 4 * i + self.number("I", at + 4 * i)) for i in range(count)]


class FlatFooter:
    """Version 1: a FlatBuffer."""
    def __init__(self, file, footer, footer_at):
        require(footer[4:8] == b"BOBF", "footer: not a footer")
        self.file, self.end = file, footer_at
        self.root = Table(footer, struct.unpack_from("<I", footer)[0])

    def columns(self):
        return [(table.bytes(0, True), table.scalar(1, "B"), table.scalar(2, "B") != 0,
                 tuple(table.scalar(field, "B") for field in (3, 4, 5))) for table in self.root.tables(0, True)]

    def metadata(self):
        return [(table.bytes(0, True), table.bytes(1)) for table in self.root.tables(3)]

    def fill(self):
        position = HEADER_BYTES[1]
        at, count = self.root.vector(2, 24, True)
        for i in range(count):
            offset, size, checksum = struct.unpack_from("<QQQ", self.root.data, at + 24 * i)
            require(offset == position, f"footer: segment {i}: its place")
            position = self.file.place(size, position, self.end, checksum)
        require(position == self.end, "footer: bytes before it belong to no segment")
        for group in self.root.tables(1, True):
            tables = group.tables(1, True)
            require(len(tables) == len(self.file.columns), "footer: chunks and columns differ in number")
            rows = group.scalar(0, "Q")
            self.file.groups.append((rows, [self.chunk(c, rows, table) for c, table in enumerate(tables)]))

    def chunk(self, c, rows, table):
        strings = (table.bytes(3), table.bytes(4), int(table.scalar(5, "B") != 0), table.scalar(7, "Q"))
        root = self.node(table.child(0), 1, self.file.before(c))
        return self.file.check_chunk(c, rows, root, (table.scalar(1, "Q"), table.scalar(2, "Q")), strings,
                                     table.scalar(6, "Q"))

    def node(self, table, depth, before=None):
        at, count = table.vector(4, 4)
        segments = [table.number("I", at + 4 * i) for i in range(count)]
        node = Node(self.file, depth, table.scalar(0, "H"), table.scalar(1, "B"), table.scalar(2, "Q"), table.bytes(3),
                    segments, before)
        children = table.tables(5)
        require(len(children) <= MAX_CHILDREN, "too many children")
        node.children = [self.node(child, depth + 1) for child in children]
        return node


# --- The footer of version 2 -----------------------------------------------------------------------------------------------

def num_parts(size):
    """The number of parts with checksums, which a reader of whole segments does not need: section 4.1."""
    return -(-size // PART_BYTES) if size > PART_BYTES else 0


def lz4_block(block, size):
    """Section 5.10: the block."""
    require(size <= MAX_COMPRESSED_FOOTER, "trailer: the footer's plain size")
    out, at = bytearray(), 0

    def take():
        nonlocal at
        require(at < len(block), "footer: its compressed form is damaged")
        at += 1
        return block[at - 1]

    def length(nibble):
        total = nibble
        while nibble == 15:
            more = take()
            total += more
            if more < 255:
                break
        return total

    while True:
        token = take()
        literals = length(token >> 4)
        require(literals <= len(block) - at, "footer: its compressed form is damaged")
        out += block[at:at + literals]
        at += literals
        if at == len(block):
            break
        distance = take() | take() << 8
        count = length(token & 15) + 4
        require(1 <= distance <= len(out) and len(out) + count <= size, "footer: its compressed form is damaged")
        for _ in range(count):
            out.append(out[-distance])
    require(len(out) == size, "footer: its compressed form is damaged")
    return bytes(out)


def plain_footer(footer, plain_bytes):
    """Section 5.10."""
    size = plain_bytes % 2**31
    if plain_bytes == size:
        return lz4_block(footer, size) if size else footer
    require(0 < size <= MAX_COMPRESSED_FOOTER, "trailer: the footer's plain size")
    try:
        content, used = zstd_frames.decode_frame(footer)
    except zstd_frames.BadFrame as error:
        raise BadFile(f"footer: its compressed form is damaged: {error}") from error
    require(used == len(footer) and len(content) == size, "footer: its compressed form is damaged")
    return content


class CompactFooter:
    """Version 2: numbers one after another."""
    def __init__(self, file, footer, footer_at):
        self.file, self.data, self.at, self.end = file, footer, 0, footer_at
        self.nodes, self.inline = 0, 0
        self.pairs = []

    def take(self, count):
        require(count <= len(self.data) - self.at, "footer: it ends too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                require((byte or not shift) and value < 2**64, "footer: a number of too many bytes")
                return value
        raise BadFile("footer: a number of too many bytes")

    def text(self):
        return self.take(self.number())

    def columns(self):
        found = []
        for _ in range(self.number()):
            name, flags = self.text(), self.take(1)[0]
            kind = flags >> 5
            unit = self.take(1)[0] if kind in (TIMESTAMP, TIME) else 0
            scale = self.take(1)[0] if kind == DECIMAL else 0
            found.append((name, flags & 15, bool(flags & 16), (kind, unit, scale)))
        return found

    def metadata(self):
        return self.pairs

    def fill(self):
        for _ in range(self.number()):
            self.pairs.append((self.text(), self.text()))
        self.position = HEADER_BYTES[2]
        groups = self.number()
        require(groups <= MAX_ROW_GROUPS, "footer: too many row groups")
        for _ in range(groups):
            rows = self.number()
            self.file.groups.append((rows, [self.chunk(c, rows) for c in range(len(self.file.columns))]))
        require(self.position == self.end, "footer: bytes before it belong to no segment")
        require(self.inline == len(self.data) - self.at, "footer: the segments in it do not fill its end")
        first = self.at
        self.file.segments = [(self.data, first + offset, size, occupied, None) if checksum is None
                              else (data, offset, size, occupied, checksum)
                              for data, offset, size, occupied, checksum in self.file.segments]

    def chunk(self, c, rows):
        number = self.file.columns[c][1]
        nulls = self.number() if number in STRINGS or self.file.nullable[c] else 0
        numeric, strings = (0, 0), (b"", b"", 0, 0)
        if nulls < rows and number in STRINGS:
            strings = self.string_zone()
        elif nulls < rows:
            numeric = self.zone(number)
        root = self.node(1, rows, self.file.before(c))
        return self.file.check_chunk(c, rows, root, numeric, strings, nulls)

    def zone(self, number):
        _, letter, bits = TYPES[number]
        if number in INFINITY:
            return tuple(int.from_bytes(self.take(bits // 8), "little") for _ in range(2))
        first, distance = self.number(), self.number()
        low = (-(first + 1) // 2 if first % 2 else first // 2) if letter.islower() else first
        least = -2**(bits - 1) if letter.islower() else 0
        require(least <= low <= low + distance < least + 2**bits, "footer: a zone map outside of the type")
        return low % 2**bits, (low + distance) % 2**bits

    def string_zone(self):
        low, shared = self.text(), self.number()
        require(shared <= len(low) + 1, "footer: a bound's shared bytes")
        high = low[:shared - 1] + self.text() if shared else b""
        return low, high, int(shared == 0), self.number()

    def node(self, depth, length, before=None):
        require(depth <= MAX_DEPTH, "a tree that is too deep")
        self.nodes += 1
        require(self.nodes <= MAX_NODES, "footer: too many nodes")
        codec, shape = self.number(), self.take(1)[0]
        buffers, children = ((shape >> shift) & 3 for shift in (4, 6))
        buffers = self.number() if buffers == 3 else buffers
        children = self.number() if children == 3 else children
        require(buffers <= MAX_BUFFERS and children <= MAX_CHILDREN, "footer: too many buffers or children")
        length = length if codec % 2 else self.number()
        metadata = self.text()
        segments = [self.segment(codec // 2, before if i == 0 else None) for i in range(buffers)]
        node = Node(self.file, depth, codec // 2, shape & 15, length, metadata, segments, before)
        node.children = [self.node(depth + 1, length) for _ in range(children)]
        return node

    def segment(self, codec, before):
        entry, index = self.number(), len(self.file.segments)
        require(index < MAX_SEGMENTS, "footer: too many segments")
        if entry == 0:
            require(before is not None and before.codec == codec == FSST and before.segments, "footer: symbols of nobody")
            return before.segments[0]
        size, in_footer = divmod(entry - 1, 2)
        if in_footer:
            self.file.segments.append((self.data, self.inline, size, size, None))
            self.inline += size
        else:
            checksum, = struct.unpack("<Q", self.take(8))
            self.take(8 * num_parts(size))
            self.position = self.file.place(size, self.position, self.end, checksum)
        return index


# --- The container --------------------------------------------------------------------------------------------------------

class Node:
    """A node of either footer version; `segments` are segment numbers."""
    def __init__(self, file, depth, codec, number, length, metadata, segments, before=None):
        """`before` is the root of the column's previous chunk."""
        require(depth <= MAX_DEPTH, "a tree that is too deep")
        self.file = file
        self.codec, self.type, self.length = codec, number, length
        require(self.codec in CODECS, f"unknown codec {self.codec}")
        require(self.type in TYPES, f"unknown type {self.type}")
        require(self.codec in (DICT, ZSTD) or (self.codec == FSST) == (self.type in STRINGS), "a codec that is not for the type")
        require(self.codec != MASKED or depth == 1, "masked: not at the root of its tree")
        self.metadata = metadata
        require(len(self.metadata) <= MAX_METADATA, "too much metadata")
        require(len(segments) <= MAX_BUFFERS, "too many buffers")
        self.segments = segments
        for buffer, segment in enumerate(self.segments):
            require(segment < len(file.segments), f"segment {segment} does not exist")
            shared = (buffer == 0 and before is not None and self.codec == before.codec == FSST
                      and before.segments[:1] == [segment])
            require(shared or segment not in file.used, f"segment {segment} is used twice")
            file.used.add(segment)
        self.children = []

    def longest(self):
        return max([self.length] + [child.longest() for child in self.children])

    def lookups(self):
        """The depth of nested lookups: format.md, section 5.6."""
        looked_up = {"rle": 0, "sparse": 0, "dict": 1}.get(CODECS[self.codec])
        inside = [child.lookups() + (i == looked_up) for i, child in enumerate(self.children)]
        return max([looked_up is not None] + inside)

    def buffers(self):
        return [self.file.segment(s) for s in self.segments]


class File:
    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        self.used = set()
        self.segments = []  # (the bytes they lie in, their place there, size, occupied bytes, checksum or None)
        self.groups = []
        self.version, footer, footer_at = self.read_frame()
        parts = FlatFooter(self, footer, footer_at) if self.version == 1 else CompactFooter(self, footer, footer_at)
        self.columns, self.nullable, self.logical = self.check_columns(parts.columns())
        parts.fill()
        self.metadata = self.check_metadata(parts.metadata())
        self.num_hidden = self.check_hidden(dict(self.metadata).get(HIDDEN_COLUMNS))
        require(len(self.used) == len(self.segments), "footer: a segment belongs to no column")
        self.num_rows = sum(rows for rows, _ in self.groups)

    def read_frame(self):
        data = self.data
        require(len(data) >= 16 + TRAILER_BYTES, "header: too short")
        require(data[:8] == MAGIC, "header: the magic is missing")
        version, = struct.unpack_from("<I", data, 8)
        require(version in VERSIONS, f"header: format version {version}")
        header = HEADER_BYTES[version]
        require(len(data) >= header + TRAILER_BYTES, "header: too short")
        require(not any(data[12:header]), "header: reserved bytes are not zero")
        trailer_at = len(data) - TRAILER_BYTES
        size, checksum, again, plain_bytes, magic = struct.unpack_from("<QQII8s", data, trailer_at)
        require(magic == MAGIC, "trailer: the magic is missing")
        require(again == version and (version > 1 or plain_bytes == 0), "trailer: version or reserved bytes")
        require(size <= min(trailer_at - header, MAX_FOOTER_BYTES), "trailer: the footer's size")
        footer = data[trailer_at - size:trailer_at]
        require(xxh3(footer) == checksum, "footer: the checksum does not match")
        return version, plain_footer(footer, plain_bytes), trailer_at - size

    @staticmethod
    def check_columns(found):
        """Names and types; for each column whether it is a nullable numeric one; logical types."""
        columns = []
        for name, number, nullable, (kind, unit, scale) in found:
            require(len(name) <= MAX_NAME_BYTES and b"\0" not in name and is_utf8(name), "footer: a column's name")
            require(number in TYPES, f"footer: unknown type {number}")
            require(not nullable or number not in STRINGS, "footer: a string column marked nullable")
            require(kind in LOGICAL and number in LOGICAL[kind], "footer: a logical type that does not fit")
            require(unit <= 3 and (unit == 0 or kind in (TIMESTAMP, TIME)), "footer: a unit of time that does not fit")
            require(scale <= 18 and (scale == 0 or kind == DECIMAL), "footer: a decimal's scale that does not fit")
            columns.append((name.decode("utf-8"), number))
        require(len(columns) <= MAX_COLUMNS, "footer: too many columns")
        require(len({name for name, _ in columns}) == len(columns), "footer: duplicate column name")
        return columns, [nullable for _, _, nullable, _ in found], [logical for _, _, _, logical in found]

    @staticmethod
    def check_metadata(pairs):
        require(len(pairs) <= MAX_KEYS, "footer: too many keys")
        for key, value in pairs:
            require(0 < len(key) <= MAX_KEY_BYTES and b"\0" not in key and is_utf8(key), "footer: a key")
            require(len(value) <= MAX_VALUE_BYTES, "footer: a value that is too long")
        require(len({key for key, _ in pairs}) == len(pairs), "footer: duplicate key")
        return pairs

    def check_hidden(self, text):
        """How many columns at the end are not part of the table, but say more about other columns."""
        if text is None:
            return 0
        require(re.fullmatch(b"[1-9][0-9]{0,8}", text) and int(text) < len(self.columns), "footer: the number of hidden columns")
        return int(text)

    def check_chunk(self, c, rows, root, numeric, strings, nulls):
        """A chunk's root and its zone map, of numbers or of strings."""
        number = self.columns[c][1]
        require(1 <= rows <= MAX_GROUP_ROWS, "footer: a row group's rows")
        require(root.type == number and root.length == rows, "footer: a chunk's type or length")
        require(root.lookups() <= MAX_LOOKUPS, "too many nested lookups")
        require(root.longest() <= rows + 1, "footer: a node with more values than rows")
        require(strings[3] <= MAX_STRING_BYTES, "footer: more bytes of strings than allowed")
        require((numeric == (0, 0)) if number in STRINGS else (strings == (b"", b"", 0, 0)), "footer: a zone map of the wrong kind")
        require(nulls <= rows, "footer: more nulls than rows")
        if number in STRINGS:
            return root, (*strings[:3], nulls, strings[3])
        require(self.nullable[c] or root.codec != MASKED, "footer: nulls in a column that is not nullable")
        require(nulls == 0 or root.codec == MASKED, "footer: nulls in a tree without any")
        return root, (*numeric, nulls)

    def before(self, c):
        """The root of the last row group's chunk of a column."""
        return self.groups[-1][1][c][0] if self.groups else None

    def place(self, size, position, end, checksum):
        """A segment of the file at `position`; where the next one starts."""
        require(size <= MAX_SEGMENT_BYTES, f"footer: segment {len(self.segments)}: its size")
        occupied = -(-size // ALIGNMENT[self.version]) * ALIGNMENT[self.version]
        require(position + occupied <= end, f"footer: segment {len(self.segments)} reaches into the footer")
        self.segments.append((self.data, position, size, occupied, checksum))
        return position + occupied

    def segment(self, index):
        data, offset, size, occupied, checksum = self.segments[index]
        require(checksum is None or xxh3(data[offset:offset + occupied]) == checksum,
                f"segment {index}: the checksum does not match")
        return data[offset:offset + size]

    def read(self, column):
        """All values of a column, as bit patterns or bytes, None for a null; each chunk is compared with its zone map."""
        number = self.columns[column][1]
        values = []
        for _, chunks in self.groups:
            root, zone = chunks[column]
            chunk = decode(root)
            if number == UTF8:
                require(all(s is None or is_utf8(s) for s in chunk), "a string that is not UTF-8")
            if number in STRINGS:
                found = string_zone(number, chunk)
            else:
                found = (*zone_map(number, chunk), chunk.count(None))
            require(found == zone, "the zone map disagrees with the values")
            values += chunk
        return values


# --- Strings: bytes, or None for a null ------------------------------------------------------------------------------------

def is_utf8(text):
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def cut(number, text):
    """The first bytes of a bound; whole characters for UTF-8."""
    if len(text) <= MAX_ZONE_BYTES:
        return text
    end = MAX_ZONE_BYTES
    while number == UTF8 and text[end] & 0xC0 == 0x80:
        end -= 1
    return text[:end]


def string_zone(number, strings):
    """min, max, whether there is no max, nulls, bytes."""
    there = [s for s in strings if s is not None]
    nulls, size = len(strings) - len(there), sum(map(len, there))
    if not there:
        return b"", b"", 0, nulls, 0
    low, high = cut(number, min(there)), cut(number, max(there))
    if len(high) < len(max(there)):
        high = high.rstrip(b"\xff")
        if not high:
            return low, b"", 1, nulls, size
        high = high[:-1] + bytes([high[-1] + 1])
    return low, high, 0, nulls, size


def string_bytes(strings):
    """Concatenated strings: each its length as a u32, then its bytes; a null has the length 2^32 - 1."""
    return b"".join(struct.pack("<I", 2**32 - 1) if s is None else struct.pack("<I", len(s)) + s for s in strings)


# --- Values: bit patterns of their types -----------------------------------------------------------------------------------

def order_key(number, pattern):
    """An integer whose order is that of the values; -0.0 is below +0.0."""
    _, letter, bits = TYPES[number]
    sign = 2**(bits - 1)
    if number in INFINITY:
        return sign - 1 - pattern if pattern & sign else pattern
    return pattern - 2**bits if letter.islower() and pattern & sign else pattern


def zone_map(number, patterns):
    patterns = {p for p in patterns if p is not None}
    if not patterns:
        return 0, 0
    sign = 2**(TYPES[number][2] - 1)
    if number in INFINITY and any(p & (sign - 1) > INFINITY[number] for p in patterns):  # a NaN
        return sign | INFINITY[number], INFINITY[number]
    key = functools.partial(order_key, number)
    return min(patterns, key=key), max(patterns, key=key)


def to_bytes(number, patterns):
    if number in STRINGS:
        return string_bytes(patterns)
    size = TYPES[number][2] // 8
    return b"".join((pattern or 0).to_bytes(size, "little") for pattern in patterns)


def bitmap(values):
    """One bit per value, 0 for a null."""
    bits = sum(1 << i for i, value in enumerate(values) if value is not None)
    return bits.to_bytes(-(-len(values) // 8), "little")


def numbers(number, patterns):
    if number in STRINGS:
        return ["null" if s is None else repr(s)[1:] for s in patterns]
    values = struct.unpack(f"<{len(patterns)}{TYPES[number][1]}", to_bytes(number, patterns))
    return ["null" if pattern is None else value for pattern, value in zip(patterns, values)]


# --- The codecs: values as bit patterns ------------------------------------------------------------------------------------

def registers_of(values, width, bits):
    lanes = 1024 // bits
    return -(-(-(-values // lanes) * width) // bits)


def unpack(packed, start, width, bits, count):
    """`count` values of the vector that starts at byte `start`: bitpack/spec.md, "Decoding value i"."""
    lanes, size = 1024 // bits, bits // 8

    def stored(k, lane):
        at = start + 128 * k + lane * size
        return int.from_bytes(packed[at:at + size], "little")

    values = []
    for i in range(count):
        if width == 0:
            values.append(0)
            continue
        bit = i // lanes * width
        k, shift = bit // bits, bit % bits
        value = stored(k, i % lanes) >> shift
        if shift + width > bits:
            value |= stored(k + 1, i % lanes) << (bits - shift)
        values.append(value & (2**width - 1))
    return values


def vector_lengths(length):
    return [min(1024, length - first) for first in range(0, length, 1024)]


def decode_bitpack(node, buffers, bits):
    require(len(node.metadata) == 1 and len(buffers) == 1 and not node.children, "bitpack: its parts")
    width, packed = node.metadata[0], buffers[0]
    require(width <= bits, "bitpack: the width")
    lengths = vector_lengths(node.length)
    require(len(packed) == 128 * sum(registers_of(n, width, bits) for n in lengths), "bitpack: the size of packed")
    values = []
    for v, count in enumerate(lengths):
        values += unpack(packed, 128 * width * v, width, bits, count)
    return values


def decode_ffor(node, buffers, bits):
    require(len(node.metadata) == 0 and len(buffers) == 3 and not node.children, "ffor: its parts")
    references, entries, packed = buffers
    lengths = vector_lengths(node.length)
    require(len(references) == len(lengths) * bits // 8 and len(entries) == len(lengths) * 4, "ffor: buffer sizes")
    require(len(packed) % 128 == 0, "ffor: the size of packed")
    values = []
    for v, count in enumerate(lengths):
        entry = int.from_bytes(entries[4 * v:4 * v + 4], "little")
        width, first = entry & 127, entry >> 7
        require(width <= bits, "ffor: a width")
        require(first + registers_of(count, width, bits) <= len(packed) // 128, "ffor: a vector outside of packed")
        reference = int.from_bytes(references[v * bits // 8:(v + 1) * bits // 8], "little")
        values += [(reference + d) % 2**bits for d in unpack(packed, 128 * first, width, bits, count)]
    return values


def decode_delta(node, buffers, bits):
    require(len(node.metadata) == 2 and len(buffers) == 1 and len(node.children) == 1, "delta: its parts")
    order, stride = node.metadata
    require(1 <= order <= 8, "delta: the order")
    require(1 <= stride <= 32, "delta: the stride")
    restarts, child, size = buffers[0], node.children[0], bits // 8
    lengths = vector_lengths(node.length)
    require(len(restarts) == len(lengths) * order * stride * size, "delta: the size of restarts")
    require(CODECS[child.codec] == "ffor", "delta: a child that is not ffor")
    require(child.type == SIGNED[bits] and child.length == node.length, "delta: the child's type or length")
    residuals = decode(child)

    def restart(index):
        return int.from_bytes(restarts[index * size:(index + 1) * size], "little")

    values = []
    for v, count in enumerate(lengths):
        states = [[restart((v * stride + scan) * order + j) for j in range(order)] for scan in range(stride)]
        for i in range(count):
            state = states[i % stride]
            state[0] = (state[0] + residuals[1024 * v + i]) % 2**bits
            for j in range(1, order):
                state[j] = (state[j] + state[j - 1]) % 2**bits
            values.append(state[order - 1])
    return values


def fsst_offsets(child, length, last):
    """Offsets of `length` strings, from 0 to `last`."""
    require(CODECS[child.codec] == "delta" and list(child.metadata) == [1, 1], "fsst: offsets that are not delta")
    require(TYPES[child.type][0] in ("u32", "u64") and child.length == length + 1, "fsst: the offsets' type or length")
    offsets = decode(child)
    require(offsets[0] == 0 and offsets[-1] == last, "fsst: offsets that do not begin and end as they should")
    require(all(a <= b for a, b in zip(offsets, offsets[1:])), "fsst: offsets that descend")
    return offsets


def fsst_table(counts, symbols):
    require(sum(counts) <= 255, "fsst: too many symbols")
    require(len(symbols) == sum(length * count for length, count in enumerate(counts, 1)), "fsst: the size of symbols")
    table, at = [], 0
    for length, count in enumerate(counts, 1):
        for _ in range(count):
            table.append(symbols[at:at + length])
            at += length
    return table


def fsst_output(table, codes, tiles):
    """The whole stream; each tile's word is compared with what the codes before it decode to."""
    require(len(tiles) == 8 * -(-len(codes) // 2048), "fsst: the size of tiles")
    out, literal = bytearray(), False
    for at, code in enumerate(codes):
        if at % 2048 == 0:
            require(word(tiles, at // 2048 * 8) == len(out) | literal << 63, "fsst: a tile's word")
        if literal:
            out.append(code)
        elif code != 255:
            require(code < len(table), "fsst: an invalid code")
            out += table[code]
        literal = code == 255 and not literal
    require(not literal, "fsst: an escape at the end")
    return bytes(out)


def decode_fsst(node, buffers, _):
    require(len(node.metadata) == 41 and len(buffers) == 4 and len(node.children) == 2, "fsst: its parts")
    symbols, codes, tiles, validity = buffers
    out_begin, out_bytes, code_begin, code_end = struct.unpack_from("<QQQQ", node.metadata, 8)
    require(node.metadata[40] <= 1, "fsst: unknown flags")
    require((out_begin, code_begin, code_end) == (0, 0, len(codes)), "fsst: a slice in a file")
    require(len(validity) in (0, -(-node.length // 8)), "fsst: the size of validity")
    require(node.children[0].type == node.children[1].type, "fsst: offsets of two types")
    code_offsets = fsst_offsets(node.children[0], node.length, len(codes))
    offsets = fsst_offsets(node.children[1], node.length, out_bytes)
    out = fsst_output(fsst_table(node.metadata[:8], symbols), codes, tiles)
    require(len(out) == out_bytes, "fsst: the size of the output")
    strings = []
    for i in range(node.length):
        null = bool(validity) and not validity[i // 8] >> i % 8 & 1
        require(not null or (offsets[i] == offsets[i + 1] and code_offsets[i] == code_offsets[i + 1]),
                "fsst: a null that is not empty")
        strings.append(None if null else out[offsets[i]:offsets[i + 1]])
    return strings


def block_patches(block, bits):
    """The indices and values of a chunk's patches: patched/spec.md, "Lanes"."""
    if not block:
        return [], []
    size, counts = bits // 8, block[:8]  # blocks are a multiple of 8 bytes
    total = sum(counts)
    require(total >= 1, "patched: a block without a patch")
    require(max(counts) <= 128, "patched: a lane's count")
    values_at = -(-(8 + 2 * total) // size) * size
    end = values_at + total * size
    require(len(block) == -(-end // 8) * 8, "patched: the size of a block")
    indices, first = struct.unpack_from(f"<{total}H", block, 8), 0
    for lane, count in enumerate(counts):
        mine = indices[first:first + count]
        require(all(i < 1024 and i // (128 // bits) % 8 == lane for i in mine), "patched: an index of another lane")
        require(all(a < b for a, b in zip(mine, mine[1:])), "patched: indices that do not ascend")
        first += count
    return indices, split_values(block[values_at:end], size)


def sorted_patches(indices, values, bits):
    """The same, "Sorted"."""
    indices = struct.unpack(f"<{len(indices) // 2}H", indices)
    require(all(i < 1024 for i in indices), "patched: an index outside of a chunk")
    require(all(a < b for a, b in zip(indices, indices[1:])), "patched: indices that do not ascend")
    return indices, split_values(values, bits // 8)


def split_values(data, size):
    return [int.from_bytes(data[at:at + size], "little") for at in range(0, len(data), size)]


def decode_patched(node, buffers, bits):
    require(len(node.metadata) == 1 and node.metadata[0] <= 1, "patched: the form")
    in_lanes, size = node.metadata[0] == 0, bits // 8
    require(len(buffers) == (2 if in_lanes else 3) and len(node.children) == 1, "patched: its parts")
    inner, lengths = node.children[0], vector_lengths(node.length)
    require(inner.type == node.type and inner.length == node.length, "patched: the child's type or length")
    require(len(buffers[0]) == 4 * (len(lengths) + 1), "patched: the size of starts")
    starts = struct.unpack(f"<{len(lengths) + 1}I", buffers[0])
    require(all(a <= b for a, b in zip(starts, starts[1:])), "patched: starts that descend")
    unit = 8 if in_lanes else 2  # bytes of buffer 1 that starts count
    require(len(buffers[1]) % unit == 0, "patched: the size of blocks or indices")
    require(starts[-1] <= len(buffers[1]) // unit, "patched: starts past the end")
    require(in_lanes or len(buffers[2]) == len(buffers[1]) // 2 * size, "patched: the size of values")
    values = decode(inner)
    for v, (begin, end) in enumerate(zip(starts, starts[1:])):
        part = buffers[1][unit * begin:unit * end]
        if in_lanes:
            indices, patches = block_patches(part, bits)
        else:
            indices, patches = sorted_patches(part, buffers[2][size * begin:size * end], bits)
        for index, patch in zip(indices, patches):
            if index < lengths[v]:
                values[1024 * v + index] = patch
    return values


def decode_alp(node, buffers, bits):
    require(node.type in MAX_EXPONENT, "alp: a type that is not of floats")
    require(len(node.metadata) == 0 and len(buffers) == 1 and len(node.children) == 1, "alp: its parts")
    scales, child, lengths = buffers[0], node.children[0], vector_lengths(node.length)
    require(len(scales) == 2 * len(lengths), "alp: the size of scales")
    for e, f in zip(scales[::2], scales[1::2]):
        require(f <= e <= MAX_EXPONENT[node.type], "alp: an exponent or a factor")
    require(child.type == SIGNED[bits] and child.length == node.length, "alp: the child's type or length")
    half, values = 2**(bits - 1), []
    for i, integer in enumerate(decode(child)):
        e, f = scales[i // 1024 * 2], scales[i // 1024 * 2 + 1]
        m = (integer * 10**f + half) % 2**bits - half
        if bits == 64:
            value = struct.pack("<d", float(m) * float(f"1e-{e}"))
        else:  # a quotient of two floats, rounded to a double and then to a float, is the float nearest to it
            x, = struct.unpack("<f", struct.pack("<f", m))
            value = struct.pack("<f", x / 10**e)
        values.append(int.from_bytes(value, "little"))
    return values


def decode_alprd(node, buffers, bits):
    require(node.type in MAX_EXPONENT, "alprd: a type that is not of floats")
    require(len(node.metadata) >= 2 and not buffers and len(node.children) == 2, "alprd: its parts")
    right_bits, entries = node.metadata[0], node.metadata[1]
    require(bits - 16 <= right_bits < bits and 1 <= entries <= 8, "alprd: the cut")
    require(len(node.metadata) == 2 + 2 * entries, "alprd: the size of metadata")
    table = [int.from_bytes(node.metadata[2 + 2 * j:4 + 2 * j], "little") for j in range(entries)]
    require(len(set(table)) == entries and max(table) < 2**(bits - right_bits), "alprd: the dictionary")
    require(all(part >= entries or part == j for j, part in enumerate(table)), "alprd: the dictionary's order")
    left, right = node.children
    require(TYPES[left.type][0] == "u16" and TYPES[right.type][0] == f"u{bits}", "alprd: the children's types")
    require(left.length == node.length and right.length == node.length, "alprd: the children's lengths")
    codes = dict(enumerate(table))
    codes.update({part: j for j, part in enumerate(table) if part >= entries})
    return [(codes.get(c, c) * 2**right_bits + r % 2**right_bits) % 2**bits for c, r in zip(decode(left), decode(right))]


def decode_masked(node, buffers, _):
    require(not node.metadata and not buffers and len(node.children) == 2, "masked: its parts")
    values, validity = node.children
    require(values.type == node.type and values.length == node.length, "masked: the values' type or length")
    require(TYPES[validity.type][0] == "u32", "masked: the validity's type")
    require(validity.length == -(-node.length // 32), "masked: the validity's length")
    words = decode(validity)
    return [value if words[i // 32] >> i % 32 & 1 else None for i, value in enumerate(decode(values))]


def decode_constant(node, buffers, bits):
    require(len(node.metadata) == 8 and not buffers and not node.children, "constant: its parts")
    value = int.from_bytes(node.metadata, "little")
    require(value < 2**bits, "constant: the value does not fit its type")
    return [value] * node.length


def decode_rows(node, buffers, least):
    """Two children: ascending row numbers, and a value for each. Also the node's first row."""
    name = CODECS[node.codec]
    require(not buffers and len(node.children) == 2, f"{name}: its parts")
    rows, values = node.children
    require(TYPES[rows.type][0] == "u32" and values.type == node.type, f"{name}: the children's types")
    require(rows.length == values.length, f"{name}: the children's lengths")
    first = int.from_bytes(node.metadata[-8:], "little")
    require(first % 1024 == 0 and first + node.length < 2**32, f"{name}: its rows")
    numbers_of_rows = decode(rows)
    require(all(a < b for a, b in zip([least - 1] + numbers_of_rows, numbers_of_rows)), f"{name}: rows that do not ascend")
    return first, numbers_of_rows, decode(values)


def decode_rle(node, buffers, _):
    require(len(node.metadata) == 8, "rle: the size of metadata")
    first, ends, values = decode_rows(node, buffers, 1)
    require(first + node.length <= (ends[-1] if ends else 0), "rle: rows past the last run")
    out, run = [], 0
    for row in range(first, first + node.length):
        while ends[run] <= row:
            run += 1
        out.append(values[run])
    return out


def decode_sparse(node, buffers, bits):
    require(len(node.metadata) == 16, "sparse: the size of metadata")
    fill = int.from_bytes(node.metadata[:8], "little")
    require(fill < 2**bits, "sparse: the fill value does not fit its type")
    first, positions, values = decode_rows(node, buffers, 0)
    apart = dict(zip(positions, values))
    return [apart.get(row, fill) for row in range(first, first + node.length)]


def decode_zigzag(node, buffers, bits):
    require(node.type == SIGNED[bits], "zigzag: a type without a sign")
    require(not node.metadata and not buffers and len(node.children) == 1, "zigzag: its parts")
    codes = node.children[0]
    require(TYPES[codes.type][0] == f"u{bits}" and codes.length == node.length, "zigzag: the codes' type or length")
    return [(code // 2 if code % 2 == 0 else -(code + 1) // 2) % 2**bits for code in decode(codes)]


def decode_diff(node, buffers, bits):
    require(TYPES[node.type][0][0] in "ui", "diff: a type that is not of integers")
    require(not node.metadata and not buffers and len(node.children) == 2, "diff: its parts")
    differences, starts = node.children
    require(differences.type == SIGNED[bits] and starts.type == node.type, "diff: the children's types")
    require(differences.length == node.length, "diff: the differences' length")
    require(starts.length == -(-node.length // 1024), "diff: the starts' length")
    values, before = [], decode(starts)
    for i, difference in enumerate(decode(differences)):
        last = before[i // 1024] if i % 1024 == 0 else values[-1]
        values.append((last + difference) % 2**bits)
    return values


def decode_dict(node, buffers, _):
    require(not node.metadata and not buffers and len(node.children) == 2, "dict: its parts")
    codes, dictionary = node.children
    require(TYPES[codes.type][0] in ("u8", "u16", "u32") and codes.length == node.length, "dict: the codes' type or length")
    require(dictionary.type == node.type, "dict: the dictionary's type")
    require(node.type not in STRINGS or dictionary.codec != DICT, "dict: string dictionaries cannot be nested")
    require(dictionary.length != 0 or node.length == 0, "dict: rows without entries")
    entries = decode(dictionary)
    if node.type in STRINGS:
        size = sum(len(entry) for entry in entries if entry is not None)
        require(node.length * size < 2**63, "dict: more bytes than can be counted")
    return [entries[min(code, len(entries) - 1)] for code in decode(codes)]


def zstd_contents(stored, sizes, frames, index):
    """The content of each frame, whose sizes are given."""
    require(len(index) == (4 * (len(sizes) + 1) if len(sizes) > 1 else 0), "zstd: the size of frame offsets")
    offsets = struct.unpack(f"<{len(index) // 4}I", index) or (0, len(frames))[:len(sizes) + 1]
    require(offsets[0] == 0 and offsets[-1] == len(frames), "zstd: frame offsets do not cover the frames")
    contents = []
    for i, size in enumerate(sizes):
        frame = frames[offsets[i]:offsets[i + 1]]
        try:
            content, used = zstd_frames.decode_frame(frame)
        except zstd_frames.BadFrame as error:
            raise BadFile(f"zstd: frame {i}: {error}") from error
        require(used == len(frame) and len(content) == size, "zstd: the size of a frame")
        contents.append(content)
    require(sum(map(len, contents)) == stored, "zstd: the size of all frames")
    return contents


def decode_zstd(node, buffers, bits):
    is_strings = node.type in STRINGS
    require(len(node.metadata) == 35 and len(buffers) == (3 if is_strings else 2) and len(node.children) == is_strings,
            "zstd: its parts")
    log, width, planes = node.metadata[:3]
    stored, base, skip, left = struct.unpack_from("<QQQQ", node.metadata, 3)
    require(10 <= log <= 17 and 1 <= width <= (1 if is_strings else bits // 8) and planes in (1, width), "zstd: the layout")
    require(skip == 0 and left == 0, "zstd: a slice in a file")
    units = [min(1 << log, stored - at) for at in range(0, stored, 1 << log)]
    sizes = [rows * width // planes for rows in units for _ in range(planes)]
    contents = zstd_contents(stored * width, sizes, *buffers[:2])
    if is_strings:
        return zstd_strings(node, b"".join(contents), base, buffers[2])
    require(stored == node.length and base < 2**bits, "zstd: the number of rows or the base")
    values = []
    for group, rows in enumerate(units):
        parts = contents[group * planes:(group + 1) * planes]
        for i in range(rows):
            own = bytes(part[i] for part in parts) if planes > 1 else parts[0][i * width:(i + 1) * width]
            values.append((int.from_bytes(own, "little") + base) % 2**bits)
    return values


def ans_segment(segment, count, symbols, bits):
    """The values of one segment; symbols has (value, frequency, first slot) for each slot."""
    states = list(struct.unpack_from("<32Q", segment))
    require(min(states) >= 2**32, "ans: a state")
    words = iter(struct.unpack_from(f"<{(len(segment) - 256) // 4}I", segment, 256))
    values = []
    for _ in range(-(-count // 128) - 1):
        group = bytearray(128)
        for step in range(4):
            for lane in range(32):
                slot = states[lane] % 2**bits
                group[4 * lane + step], frequency, begin = symbols[slot]
                states[lane] = frequency * (states[lane] >> bits) + slot - begin
                if step % 2 == 1 and states[lane] < 2**32:
                    states[lane] = states[lane] << 32 | next(words, 0)
        values += group
    rest = b"".join(struct.pack("<I", state % 2**32) for state in states)
    return values + list(rest[:count - len(values)])


def decode_ans(node, buffers, bits):
    require(len(node.metadata) == 19 and len(buffers) == 3 and not node.children and bits == 8, "ans: its parts")
    slot_bits, log, first, stored, skip = struct.unpack("<BBBQQ", node.metadata)
    require(8 <= slot_bits <= 11 and 10 <= log <= 17 and stored == node.length and skip == 0, "ans: the layout")
    require(len(buffers[0]) % 2 == 0 and len(buffers[0]) // 2 <= 256 - first, "ans: the size of frequencies")
    symbols = []
    for value, (frequency,) in enumerate(struct.iter_unpack("<H", buffers[0]), first):
        symbols += [(value, frequency, len(symbols))] * frequency
    require(len(symbols) == (2**slot_bits if stored else 0), "ans: the sum of frequencies")
    segments = -(-stored // 2**log)
    require(len(buffers[2]) == (4 * (segments + 1) if segments else 0), "ans: the size of segment offsets")
    offsets = [8 * end for (end,) in struct.iter_unpack("<I", buffers[2])] or [0]
    require(offsets[0] == 0 and offsets[-1] == len(buffers[1]), "ans: segment offsets do not cover the segments")
    values = []
    for i in range(segments):
        require(offsets[i + 1] - offsets[i] >= 256, "ans: the size of a segment")
        values += ans_segment(buffers[1][offsets[i]:offsets[i + 1]], min(stored - (i << log), 1 << log), symbols, slot_bits)
    return values


def zstd_strings(node, content, base, validity):
    offsets = decode(node.children[0])
    require(TYPES[node.children[0].type][0] in ("u32", "u64") and len(offsets) == node.length + 1, "zstd: the offsets' type or length")
    require(base == 0 and offsets[0] == 0 and offsets[-1] == len(content) and offsets == sorted(offsets), "zstd: the offsets")
    require(len(validity) in (0, -(-node.length // 8)), "zstd: the size of validity")
    strings = []
    for i in range(node.length):
        null = bool(validity) and not validity[i // 8] >> i % 8 & 1
        require(not null or offsets[i] == offsets[i + 1], "zstd: a null that is not empty")
        strings.append(None if null else content[offsets[i]:offsets[i + 1]])
    return strings


# Codes of `line` for base and deltas at the usual widths: bytes of a value, bits of a delta.
LINE_BDI = {3: (8, 8), 4: (8, 16), 5: (8, 32), 6: (4, 8), 7: (4, 16), 8: (2, 8)}
LINE_SEGMENTS = {0: 0, 2: 4, 3: 8, 4: 8, 5: 8, 6: 4, 7: 16}


def line_words(bits):
    return 4 * -(-bits // 32)


def line_bdi(code):
    """Bytes of a value and bits of a delta, or None."""
    if code in LINE_BDI:
        return LINE_BDI[code]
    size, width = {1: 2, 2: 4, 3: 8}.get(code >> 5), code & 31
    return (size, width) if size and 1 <= width <= (14 if size == 2 else 15) and width != 8 else None


def line_size(code, line_bytes):
    """The bytes of an image."""
    if code in (0, 1, 2):
        return (line_bytes, 0, 8)[code]
    if code == 9:
        return 12 + line_words(line_bytes // 2) + line_bytes // 4
    if code > 0x80:
        size = 4 * (code - 0x80)
    else:
        bdi = line_bdi(code)
        require(bdi is not None, f"line: the unknown code {code}")
        count = line_bytes // bdi[0]
        size = max(bdi[0], 4) + line_words(count) + line_words(count * bdi[1])
    require(code < 0x20 or size < line_bytes, f"line: the unknown code {code}")
    return size


def with_sign(value, bits):
    return value - 2**bits if value >> bits - 1 else value


def line_of_bdi(image, line_bytes, size, width):
    count = line_bytes // size
    base = int.from_bytes(image[:size], "little")
    at = max(size, 4)
    mask = int.from_bytes(image[at:at + line_words(count)], "little")
    deltas = int.from_bytes(image[at + line_words(count):], "little")
    values = ((base if mask >> i & 1 else 0) + with_sign(deltas >> i * width & 2**width - 1, width) for i in range(count))
    return b"".join((value % 2**(8 * size)).to_bytes(size, "little") for value in values)


def line_of_fpc(image, line_bytes):
    patterns = int.from_bytes(image[:4], "little")
    require(patterns >> 3 * (line_bytes // 16) == 0, "line: patterns of segments that are not there")
    at, line = 4, b""
    for i in range(line_bytes // 16):
        pattern = patterns >> 3 * i & 7
        require(pattern in LINE_SEGMENTS, "line: an unknown pattern")
        part, at = image[at:at + LINE_SEGMENTS[pattern]], at + LINE_SEGMENTS[pattern]
        require(len(part) == LINE_SEGMENTS[pattern], "line: patterns that contradict their code")
        halves = [int.from_bytes(part[2 * j:2 * j + 2], "little") for j in range(4)]
        words = {0: lambda j: 0, 2: lambda j: with_sign(part[j], 8), 3: lambda j: with_sign(halves[j], 16),
                 4: lambda j: halves[j] << 16, 6: lambda j: part[j] * 0x01010101,
                 5: lambda j: with_sign(part[2 * j], 8) % 2**16 | with_sign(part[2 * j + 1], 8) % 2**16 << 16,
                 7: lambda j: int.from_bytes(part[4 * j:4 * j + 4], "little")}[pattern]
        line += b"".join((words(j) % 2**32).to_bytes(4, "little") for j in range(4))
    require(at == len(image), "line: patterns that contradict their code")
    return line


def line_of_cpack(image, line_bytes):
    count = line_bytes // 4
    dictionary = (0,) + struct.unpack_from("<III", image)
    low = 12 + line_words(2 * count)
    indexes = int.from_bytes(image[12:low], "little")
    words = (dictionary[indexes >> 2 * i & 3] & ~0xff | image[low + i] for i in range(count))
    return b"".join(word.to_bytes(4, "little") for word in words)


def line_of(code, image, line_bytes):
    if code in (0, 1):
        return image or bytes(line_bytes)
    if code == 2:
        return image * (line_bytes // 8)
    if code == 9:
        return line_of_cpack(image, line_bytes)
    return line_of_fpc(image, line_bytes) if code > 0x80 else line_of_bdi(image, line_bytes, *line_bdi(code))


def decode_line(node, buffers, bits):
    require(len(node.metadata) == 1 and node.metadata[0] in (5, 6, 7) and len(buffers) == 3 and not node.children,
            "line: its parts")
    line_bytes, size = 1 << node.metadata[0], bits // 8
    per_tile = min(32, 1024 * size // line_bytes)
    tiles = -(-node.length * size // (line_bytes * per_tile))
    starts, codes, images = buffers
    require(len(starts) == 4 * tiles and len(codes) == per_tile * tiles and len(images) % 16 == 0, "line: the sizes of its parts")
    content = b""
    for tile, start in enumerate(struct.unpack(f"<{tiles}I", starts)):
        own, at, lines = codes[tile * per_tile:(tile + 1) * per_tile], 16 * start, [b""] * per_tile
        require(at <= len(images), "line: a tile after the images")
        for i in sorted(range(per_tile), key=lambda i: (own[i], i)):
            image, at = images[at:at + line_size(own[i], line_bytes)], at + line_size(own[i], line_bytes)
            require(at <= len(images), "line: a tile that ends after the images")
            lines[i] = line_of(own[i], image, line_bytes)
        content += b"".join(lines)
    return [int.from_bytes(content[i * size:(i + 1) * size], "little") for i in range(node.length)]


def decode(node):
    decoders = {"bitpack": decode_bitpack, "ffor": decode_ffor, "delta": decode_delta, "fsst": decode_fsst,
                "patched": decode_patched, "alp": decode_alp, "alprd": decode_alprd,
                "masked": decode_masked, "constant": decode_constant, "dict": decode_dict, "rle": decode_rle, "sparse": decode_sparse,
                "zigzag": decode_zigzag, "diff": decode_diff, "zstd": decode_zstd,
                "ans": decode_ans, "line": decode_line}
    return decoders[CODECS[node.codec]](node, node.buffers(), TYPES[node.type][2])


# --- The command -----------------------------------------------------------------------------------------------------------

def show(path):
    file = File(path)
    print(f"{path}: {file.num_rows} rows, {len(file.columns)} columns, {len(file.groups)} row groups, "
          f"{len(file.segments)} segments")
    for key, value in file.metadata:
        print(f"  metadata {key.decode()!r} {value!r}")
    for c, (name, number) in enumerate(file.columns):
        values = file.read(c)
        codecs = sorted({CODECS[chunks[c][0].codec] for _, chunks in file.groups})
        there = [value for value in values if value is not None]
        if number in STRINGS:
            ends = [min(there), max(there)] if there else []
        else:
            ends = zone_map(number, there) if there else []
        nulls = f", {values.count(None)} nulls" if file.nullable[c] else ""
        hidden = "hidden " if c >= len(file.columns) - file.num_hidden else ""
        print(f"  {hidden}{name!r} {TYPES[number][0]} {','.join(codecs) or '-'} "
              f"{'{} to {}'.format(*numbers(number, ends)) if ends else 'empty'}{nulls}")


def check(manifest):
    folder = pathlib.Path(manifest).parent
    files, checked = {}, 0
    for line in pathlib.Path(manifest).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        file_name, column, type_name, rows, crc, name = line.split(" ", 5)
        if file_name not in files:
            files[file_name] = File(folder / file_name)
        file = files[file_name]
        where = f"{file_name}, column {column}"
        require(file.num_rows == int(rows), f"{where}: {file.num_rows} rows instead of {rows}")
        checked += 1
        if column == "-":
            continue
        found_name, number = file.columns[int(column)]
        require((found_name, TYPES[number][0]) == (name, type_name), f"{where}: another name or type")
        values = file.read(int(column))
        data = to_bytes(number, values) + (bitmap(values) if file.nullable[int(column)] else b"")
        require(f"{zlib.crc32(data):08x}" == crc, f"{where}: other values")
    require(checked > 0, "the manifest is empty")
    print(f"{checked} columns of {len(files)} files decode as the manifest says")


def refuse(paths):
    for path in paths:
        try:
            with contextlib.redirect_stdout(None):
                show(path)
        except BadFile:
            continue
        raise BadFile(f"{path} is accepted")
    print(f"{len(paths)} bad files are refused")


def main():
    parser = argparse.ArgumentParser(description="Reads .bob files, plainly and slowly.")
    parser.add_argument("file", nargs="?")
    parser.add_argument("--column", metavar="NAME", help="print this column's values")
    parser.add_argument("--check", metavar="MANIFEST", help="decode all files of a manifest")
    parser.add_argument("--refuse", metavar="FILE", nargs="+", help="check that none of these files can be read")
    arguments = parser.parse_args()
    if [arguments.file, arguments.check, arguments.refuse].count(None) != 2:
        parser.error("give a FILE, --check MANIFEST or --refuse FILE...")
    try:
        if arguments.check:
            check(arguments.check)
        elif arguments.refuse:
            refuse(arguments.refuse)
        elif arguments.column is not None:
            file = File(arguments.file)
            names = [name for name, _ in file.columns]
            require(arguments.column in names, f"no column {arguments.column!r}")
            column = names.index(arguments.column)
            print(*numbers(file.columns[column][1], file.read(column)), sep="\n")
        else:
            show(arguments.file)
    except (BadFile, OSError) as error:
        print(f"{arguments.file or arguments.check or 'refuse'}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
