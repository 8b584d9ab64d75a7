# SPDX-License-Identifier: Apache-2.0
"""Streams and device memory of the caller. The emulator has no streams: there, what is asked for is checked, and the
caller's memory is host memory. test_gpu.py has the same for a GPU."""
from __future__ import annotations

import ctypes
import gc
import weakref
from typing import Any

import pytest

import bobbin as bb

np = pytest.importorskip("numpy")


pytestmark = pytest.mark.emulator

ROWS = 5000


class Block:
    """Memory at a multiple of 256, plus `shift`."""

    def __init__(self, size: int, shift: int = 0) -> None:
        self._bytes = np.zeros(size + 512, np.uint8)
        self.ptr = (self._bytes.ctypes.data + 255) // 256 * 256 + shift


class Pool:
    """An allocator that knows what it gave and what is still alive."""

    def __init__(self, shift: int = 0) -> None:
        self._shift = shift
        self.requests: list[tuple[int, int]] = []
        self._given: list[weakref.ref[Block]] = []
        self.addresses: list[int] = []

    def __call__(self, size: int, stream: int) -> Block:
        made = Block(size, self._shift)
        self.requests.append((size, stream))
        self._given.append(weakref.ref(made))
        self.addresses.append(made.ptr)
        return made

    @property
    def alive(self) -> int:
        gc.collect()
        return sum(1 for block in self._given if block() is not None)


@pytest.fixture(scope="module")
def path(tmp_path_factory: Any) -> Any:
    at = tmp_path_factory.mktemp("streams") / "t.bob"
    columns = {"id": np.arange(ROWS), "some": [None if i % 7 == 0 else i / 4 for i in range(ROWS)],
               "city": [f"city {i % 40}" for i in range(ROWS)]}
    bb.write(columns, at)
    return at


def test_arrays_in_memory_of_the_caller() -> None:
    values = np.arange(ROWS) % 77
    batch = bb.encode_batch(values, [0, 1000, ROWS])
    for encoded in (bb.encode(values), batch):
        pool = Pool()
        there = encoded.to_device("emulator", memory=pool)
        assert pool.requests == [(values.nbytes, 0)] and pool.alive == 1
        seen = np.from_dlpack(there)
        assert seen.ctypes.data == pool.addresses[0] and np.array_equal(seen, values)
        del there
        assert pool.alive == 1 and np.array_equal(seen, values)  # the receiver has it
        del seen
        assert pool.alive == 0
    encoded = bb.encode(values)
    pool = Pool()
    encoded.to_device("emulator", stream=77, memory=pool)
    assert pool.requests == [(values.nbytes, 77)] and pool.alive == 0
    assert len(bb.encode(values[:0]).to_device("emulator", memory=pool)) == 0
    assert len(pool.requests) == 1  # nothing needs no memory


def test_tables_in_memory_of_the_caller(path: Any) -> None:
    pool = Pool()
    table = bb.open(path).scan().to_device("emulator", memory=pool, stream=Stream(9))
    assert {stream for _, stream in pool.requests} == {9} and pool.alive == len(pool.requests) >= 5
    assert np.from_dlpack(table["id"]).ctypes.data in pool.addresses
    assert np.from_dlpack(table["city"].offsets).ctypes.data in pool.addresses
    assert np.array_equal(np.from_dlpack(table["id"]), np.arange(ROWS))
    arrow = pytest.importorskip("pyarrow")
    batch = arrow.record_batch(table)
    del table
    expected = bb.open(path).to_arrow()
    assert pool.alive > 0 and arrow.table(batch).cast(expected.schema).equals(expected)
    del batch
    assert pool.alive == 0
    for part in bb.open(path).scan(["id"], limit=100).device_batches("emulator", memory=pool):
        assert len(part["id"]) == 100 and pool.alive == 1
    del part
    assert pool.alive == 0


class Refused(Exception):
    pass


def test_errors_of_the_callers_memory(path: Any) -> None:
    def refuse(size: int, stream: int) -> Any:
        raise Refused(size)

    encoded = bb.encode(np.arange(ROWS))
    with pytest.raises(Refused, match=str(8 * ROWS)):
        encoded.to_device("emulator", memory=refuse)
    with pytest.raises(Refused):
        bb.open(path).scan().to_device("emulator", memory=refuse)
    with pytest.raises(bb.InvalidArgumentError, match="multiples of 256"):
        encoded.to_device("emulator", memory=Pool(shift=64))
    with pytest.raises(bb.InvalidArgumentError, match="returned int, which has neither"):
        encoded.to_device("emulator", memory=lambda size, stream: 4096)
    with pytest.raises(bb.InvalidArgumentError, match="returned 24 bytes instead of 40000"):
        encoded.to_device("emulator", memory=lambda size, stream: Interface(shape=(3,)))
    with pytest.raises(bb.InvalidArgumentError, match="must be a function"):
        encoded.to_device("emulator", memory=4096)  # type: ignore[arg-type]
    pool = Pool()
    with pytest.raises(bb.UnsupportedError):
        bb.open(path).scan(where="id < 5").to_device("emulator", memory=pool)
    assert pool.requests == []


def test_memory_of_tables_that_fail_is_returned(path: Any) -> None:
    for allowed in range(5):
        pool = Pool()

        def some(size: int, stream: int) -> Any:
            if len(pool.requests) == allowed:
                raise Refused
            return pool(size, stream)

        with pytest.raises(Refused):
            bb.open(path).scan().to_device("emulator", memory=some)
        assert pool.alive == 0


class Interface:
    def __init__(self, **changes: Any) -> None:
        self.__cuda_array_interface__ = {"shape": (ROWS,), "typestr": "<i8", "data": (4096, False), "version": 3, **changes}


class Stream:
    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def __cuda_stream__(self) -> tuple[int, Any]:
        return 0, self._handle


class CupyStream:
    ptr = 0


class TorchStream:
    cuda_stream = 4096


def test_streams_of_other_libraries() -> None:
    encoded = bb.encode(np.arange(ROWS))
    for stream, number in ((Stream(77), 77), (Stream(0), 1), (CupyStream(), 1), (TorchStream(), 4096), (2, 2)):
        pool = Pool()
        there = encoded.to_device("emulator", stream=stream, memory=pool)
        assert pool.requests == [(8 * ROWS, number)]
        assert np.array_equal(np.from_dlpack(there), np.arange(ROWS))
        assert np.array_equal(bb.encode(there, "ffor", device="emulator", stream=stream).to_numpy(), np.arange(ROWS))
    kept = Stream(5)
    alive = weakref.ref(kept)
    there = encoded.to_device("emulator", stream=kept)
    del kept
    assert alive() is not None  # the array's memory is freed in its order
    del there
    gc.collect()
    assert alive() is None
    for wrong in (0, -1, "default", object(), Stream("x")):
        for call in (lambda: encoded.to_device("emulator", stream=wrong),
                     lambda: bb.encode(np.arange(3), device="emulator", stream=wrong)):
            with pytest.raises(bb.InvalidArgumentError, match="stream"):
                call()


def test_decoding_into_device_memory_of_the_caller() -> None:
    values = np.arange(ROWS) % 99
    batch = bb.encode_batch(values, [0, 1000, ROWS])
    out = bb.encode(np.zeros(ROWS, np.int64)).to_device("emulator")
    assert bb.encode(values).decode(out) is out
    assert np.array_equal(np.from_dlpack(out), values)
    assert bb.encode(values[::-1]).decode(out, stream=3) is out
    assert np.array_equal(np.from_dlpack(out), values[::-1])
    assert bb.decode_batch(batch, out, stream=Stream(8)) is out
    assert np.array_equal(np.from_dlpack(out), values)
    with pytest.raises(bb.InvalidArgumentError, match="another size"):
        bb.encode(values[1:]).decode(out)


def test_arguments_of_decoding_are_checked() -> None:
    encoded = bb.encode(np.arange(ROWS))
    host = np.empty(ROWS, np.int64)
    for wrong, message in ((Interface(data=(4096, True)), "read-only"), (Interface(shape=(3,)), "another size"),
                           (Interface(data=(4104, False)), "multiple of 16"), (Interface(strides=(16,)), "one piece"),
                           (Interface(shape=(ROWS // 2, 2), strides=(8, 8)), "one piece")):
        with pytest.raises(bb.InvalidArgumentError, match=message):
            encoded.decode(wrong)
    for call in (lambda: encoded.decode(stream=1), lambda: encoded.decode(host, stream=1),
                 lambda: bb.decode_batch(bb.encode_batch([host]), stream=1), lambda: bb.encode(host, stream=1)):
        with pytest.raises(bb.InvalidArgumentError, match="stream= is for"):
            call()
    if not bb.devices():
        with pytest.raises(bb.UnavailableError):
            encoded.decode(Interface(shape=(ROWS // 2, 2)), stream=1)
        with pytest.raises(bb.UnavailableError):
            encoded.to_device(stream=1)
        with pytest.raises(bb.UnavailableError):
            bb.encode(Interface(), stream=1)


def test_memory_may_have_the_cuda_array_interface() -> None:
    encoded = bb.encode(np.arange(ROWS))
    blocks = []

    def memory(size: int, stream: int) -> Any:
        blocks.append(Block(size))
        return Interface(typestr="|u1", shape=(size,), data=(blocks[-1].ptr, False))

    there = encoded.to_device("emulator", memory=memory)
    assert np.array_equal(np.from_dlpack(there), np.arange(ROWS))
    assert ctypes.c_int64.from_address(blocks[0].ptr + 8 * 77).value == 77
