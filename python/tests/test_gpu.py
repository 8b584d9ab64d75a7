# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory of a GPU, as CuPy, PyTorch and JAX see them. Skipped where there is no GPU."""
from __future__ import annotations

from typing import Any

import pytest

import bobbin as bb

np = pytest.importorskip("numpy")
pytestmark = pytest.mark.skipif(not bb.devices(), reason="there is no GPU")

ROWS = 1_000_003


@pytest.fixture(scope="module")
def path(tmp_path_factory: Any) -> Any:
    at = tmp_path_factory.mktemp("gpu") / "t.bob"
    random = np.random.default_rng(3)
    columns = {
        "id": np.arange(ROWS, dtype=np.int32), "price": np.round(random.random(ROWS) * 1000, 2),
        "small": random.integers(0, 9, ROWS).astype(np.int32),
        "some": [None if i % 7 == 0 else i for i in range(ROWS)],
    }
    bb.write(columns, at)
    return at


def test_cupy_sees_equal_bits_without_a_copy(path: Any) -> None:
    cupy = pytest.importorskip("cupy")
    scan = bb.open(path).scan(["id", "price", "small"])
    expected = scan.to_numpy()
    columns = scan.to_device()
    for name, column in columns.items():
        with cupy.cuda.Stream(non_blocking=True) as stream:
            seen = cupy.from_dlpack(column)
            again = cupy.asarray(column)
            assert seen.data.ptr == again.data.ptr == column.__cuda_array_interface__["data"][0]
            assert cupy.asnumpy(seen, stream=stream).tobytes() == expected[name].tobytes()
            assert cupy.asnumpy(again, stream=stream).tobytes() == expected[name].tobytes()
    part = bb.open(path).scan("id", rows=slice(1001, 5003)).to_device()["id"]
    assert cupy.asnumpy(cupy.from_dlpack(part)).tolist() == list(range(1001, 5003))


def test_torch_sees_equal_bits_without_a_copy(path: Any) -> None:
    torch = pytest.importorskip("torch")
    scan = bb.open(path).scan(["id", "price", "small"])
    expected = scan.to_numpy()
    for name, column in scan.to_device().items():
        with torch.cuda.stream(torch.cuda.Stream()):
            seen = torch.from_dlpack(column)
            assert seen.data_ptr() == column.__cuda_array_interface__["data"][0]
            assert seen.cpu().numpy().tobytes() == expected[name].tobytes()
            as_interface = torch.as_tensor(column, device="cuda")
            assert as_interface.data_ptr() == seen.data_ptr()


def test_jax_sees_equal_bits_without_a_copy(path: Any) -> None:
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no GPU")
    scan = bb.open(path).scan(["id", "small"])
    expected = scan.to_numpy()
    for name, column in scan.to_device().items():
        seen = jax.dlpack.from_dlpack(column)
        assert seen.unsafe_buffer_pointer() == column.__cuda_array_interface__["data"][0]
        assert np.asarray(seen).tobytes() == expected[name].tobytes()
        assert int(seen.astype("uint32").sum()) == int(expected[name].sum(dtype=np.uint32))


def test_nulls_are_words_of_bits(path: Any) -> None:
    cupy = pytest.importorskip("cupy")
    column = bb.open(path).scan("some").to_device()["some"]
    with pytest.raises(BufferError, match="nulls"):
        cupy.from_dlpack(column)
    assert not hasattr(column, "__cuda_array_interface__")
    words = cupy.asnumpy(cupy.asarray(column.validity))
    valid = np.unpackbits(words.view(np.uint8), bitorder="little")[:ROWS].astype(bool)
    assert np.array_equal(valid, np.arange(ROWS) % 7 != 0)
    values = cupy.asnumpy(cupy.asarray(column.values))
    assert np.array_equal(values[valid], np.arange(ROWS)[valid])


# The memory must not be used again while a kernel of somebody else reads it.
@pytest.mark.parametrize("by", ["cupy", "torch"])
def test_memory_is_freed_when_its_readers_are_done(by: str) -> None:
    library = pytest.importorskip(by)
    length = 1 << 22
    values = np.arange(length, dtype=np.int32)
    encoded, other = bb.encode(values), bb.encode(np.full(length, 7, np.int32))
    for _ in range(5):
        if by == "cupy":
            stream = library.cuda.Stream(non_blocking=True)
            with stream:
                seen = library.from_dlpack(encoded.to_device())
                busy = library.RawKernel("""extern "C" __global__ void wait(long long cycles) {
                    const long long start = clock64(); while (clock64() - start < cycles) {} }""", "wait")
                busy((1,), (1,), (np.int64(200_000_000),))
                copy = seen.copy()
        else:
            stream = library.cuda.Stream()
            with library.cuda.stream(stream):
                seen = library.from_dlpack(encoded.to_device())
                library.cuda._sleep(200_000_000)
                copy = seen.clone()
        del seen
        others = [other.to_device() for _ in range(4)]
        stream.synchronize()
        assert bool((copy == library.arange(length, dtype=copy.dtype, device=copy.device)).all() if by == "torch"
                    else (copy == library.arange(length, dtype=copy.dtype)).all())
        del others


def test_batches_are_decoded_together() -> None:
    cupy = pytest.importorskip("cupy")
    random = np.random.default_rng(5)
    for draw in (lambda n: random.integers(0, 1000, n).astype(np.uint32), lambda n: np.round(random.random(n), 2),
                 lambda n: np.cumsum(random.integers(0, 9, n)), lambda n: random.integers(0, 3, n) * 1_000_003):
        arrays = [draw(int(random.integers(0, 5000)) // 4 * 4) for _ in range(200)]
        batch = bb.encode_batch(arrays)
        assert cupy.asnumpy(cupy.from_dlpack(batch.to_device())).tobytes() == np.concatenate(arrays).tobytes()


def test_encoded_arrays_of_every_codec() -> None:
    cupy = pytest.importorskip("cupy")
    values = np.repeat(np.arange(3000, dtype=np.int64), 5)
    for codec in ("bitpack", "ffor", "delta", "dict(bitpack, bitpack)", "rle(ffor, ffor)", "patched"):
        there = bb.encode(values, codec).to_device()
        assert cupy.asnumpy(cupy.from_dlpack(there)).tobytes() == values.tobytes()


# ---- Streams and memory of the caller ----

LENGTH = 1 << 22
BUSY = 200_000_000  # clock cycles: long enough that work which does not wait sees other values


def test_decoding_in_a_stream_of_torch() -> None:
    torch = pytest.importorskip("torch")
    values = np.arange(LENGTH, dtype=np.int32)
    encoded, batch = bb.encode(values), bb.encode_batch(values, range(0, LENGTH + 1, 1 << 16))
    for what in (encoded, batch):
        stream = torch.cuda.Stream()
        there = what.to_device(stream=stream)
        assert there.__cuda_array_interface__["stream"] == stream.cuda_stream
        with torch.cuda.stream(stream):
            doubled = torch.from_dlpack(there) * 2
        with torch.cuda.stream(torch.cuda.Stream()):  # waits, as it says which stream it is
            tripled = torch.from_dlpack(there) * 3
        torch.cuda.synchronize()
        assert np.array_equal(doubled.cpu().numpy(), values * 2) and np.array_equal(tripled.cpu().numpy(), values * 3)
        default = what.to_device(stream=torch.cuda.default_stream())
        assert np.array_equal(torch.from_dlpack(default).cpu().numpy(), values)
        del there, default, stream


def test_decoding_into_arrays_of_others() -> None:
    cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
    values = np.arange(LENGTH, dtype=np.int32)
    encoded, batch = bb.encode(values), bb.encode_batch(values, range(0, LENGTH + 1, 1 << 16))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        out = torch.zeros(LENGTH, dtype=torch.int32, device="cuda")
        torch.cuda._sleep(BUSY)
        out.fill_(7)  # must come before the values
        assert encoded.decode(out, stream=stream) is out
        seen = out.clone()
    stream.synchronize()
    assert np.array_equal(seen.cpu().numpy(), values)
    for what in (encoded.decode, lambda *given, **named: bb.decode_batch(batch, *given, **named)):
        with cupy.cuda.Stream(non_blocking=True) as other:
            area = cupy.zeros((2, LENGTH // 2), np.int32)
            what(area, stream=other)
            assert np.array_equal(cupy.asnumpy(area, stream=other).ravel(), values)
            area.fill(0)
            what(area)  # in a stream of its own, after what CuPy's stream was given
            assert np.array_equal(cupy.asnumpy(area, stream=other).ravel(), values)
    frozen = encoded.to_device()
    assert bb.encode(values[::-1].copy()).decode(frozen) is frozen
    assert np.array_equal(cupy.asnumpy(cupy.asarray(frozen)), values[::-1])
    with pytest.raises(bb.InvalidArgumentError, match="multiple of 16"):
        encoded[: LENGTH - 1].decode(cupy.zeros(LENGTH, np.int32)[1:])


@pytest.mark.parametrize("by", ["cupy", "torch"])
@pytest.mark.parametrize("given", [True, False])
def test_encoding_waits_for_what_makes_the_values(by: str, given: bool) -> None:
    library = pytest.importorskip(by)
    expected = np.arange(LENGTH, dtype=np.int32) * 2
    for _ in range(3):
        if by == "cupy":
            stream = library.cuda.Stream(non_blocking=True)
            with stream:
                values = library.zeros(LENGTH, np.int32)
                busy = library.RawKernel("""extern "C" __global__ void wait(long long cycles) {
                    const long long start = clock64(); while (clock64() - start < cycles) {} }""", "wait")
                busy((1,), (1,), (np.int64(BUSY),))
                values += library.arange(LENGTH, dtype=np.int32) * 2
                made = bb.encode(values, "ffor", stream=stream if given else None)
        else:
            stream = library.cuda.Stream()
            with library.cuda.stream(stream):
                values = library.zeros(LENGTH, dtype=library.int32, device="cuda")
                library.cuda._sleep(BUSY)
                values += library.arange(LENGTH, dtype=library.int32, device="cuda") * 2
                made = bb.encode(values, "ffor", stream=stream if given else None)
        assert np.array_equal(made.to_numpy(), expected)


def test_arrow_arrays_are_encoded_in_a_stream(path: Any) -> None:
    cupy = pytest.importorskip("cupy")

    class OnlyArrow:
        def __init__(self, table: Any) -> None:
            self._table = table

        def __arrow_c_device_array__(self, requested_schema: object = None) -> Any:
            return self._table.__arrow_c_device_array__(requested_schema)

    # A table of one column is a struct, which bb.encode() takes.
    table = bb.open(path).scan("id").to_device()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        made = bb.encode(OnlyArrow(table), "delta", stream=stream)
    assert np.array_equal(made.to_numpy(), np.arange(ROWS, dtype=np.int32))


@pytest.mark.parametrize("by", ["cupy", "torch"])
def test_memory_of_the_caller(path: Any, by: str) -> None:
    library = pytest.importorskip(by)
    given: list[int] = []
    if by == "cupy":
        stream: Any = library.cuda.Stream(non_blocking=True)
        context: Any = stream

        def memory(size: int, number: int) -> Any:
            assert number == stream.ptr
            with stream:  # this may be another thread
                block = library.cuda.alloc(size)
            given.append(block.ptr)
            return block
    else:
        stream = library.cuda.Stream()
        context = library.cuda.stream(stream)

        def memory(size: int, number: int) -> Any:
            assert number == stream.cuda_stream
            with library.cuda.stream(stream):
                block = library.empty(size, dtype=library.uint8, device="cuda")
            given.append(block.data_ptr())
            return block

    scan = bb.open(path).scan(["id", "price", "small"])
    expected = scan.to_numpy()
    for _ in range(5):
        given.clear()
        with context:
            scrap = library.zeros(ROWS * 2)  # is freed, and used again, while it is written
            scrap += 1
            del scrap
            table = scan.to_device(stream=stream, memory=memory)
            encoded = bb.encode(expected["price"]).to_device(stream=stream, memory=memory)
            seen = {name: library.from_dlpack(column) for name, column in table.items()}
            price = library.from_dlpack(encoded)
            copies = {name: column.copy() if by == "cupy" else column.clone() for name, column in seen.items()}
            pointers = [one.data.ptr if by == "cupy" else one.data_ptr() for one in (*seen.values(), price)]
            assert all(pointer in given for pointer in pointers)
            assert encoded.__cuda_array_interface__["data"][0] in given
            del table, seen
            stream.synchronize()
        host = {name: one.get() if by == "cupy" else one.cpu().numpy() for name, one in copies.items()}
        assert all(host[name].tobytes() == expected[name].tobytes() for name in host)
        last = price.get() if by == "cupy" else price.cpu().numpy()
        assert last.tobytes() == expected["price"].tobytes()
        del price, encoded


def test_memory_of_the_caller_outlives_its_readers() -> None:
    torch = pytest.importorskip("torch")
    values = np.arange(LENGTH, dtype=np.int32)
    encoded = bb.encode(values)
    for _ in range(5):
        stream = torch.cuda.Stream()

        def memory(size: int, number: int) -> Any:
            with torch.cuda.stream(stream):
                return torch.empty(size, dtype=torch.uint8, device="cuda")

        there = encoded.to_device(stream=stream, memory=memory)
        reader = torch.cuda.Stream()
        with torch.cuda.stream(reader):
            seen = torch.from_dlpack(there)
            torch.cuda._sleep(BUSY)
            copy = seen.clone()
        del seen, there
        with torch.cuda.stream(stream):  # would get the same memory if it were free
            others = [torch.full((LENGTH,), 5, dtype=torch.int32, device="cuda") for _ in range(4)]
        torch.cuda.synchronize()
        assert np.array_equal(copy.cpu().numpy(), values)
        del others


def test_jax_waits_for_a_stream() -> None:
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no GPU")
    values = np.arange(LENGTH, dtype=np.int32)
    for _ in range(5):
        there = bb.encode(values).to_device(stream=torch.cuda.Stream())
        assert np.asarray(jax.dlpack.from_dlpack(there)).tobytes() == values.tobytes()


def test_errors_of_memory_on_a_gpu(path: Any) -> None:
    def refuse(size: int, stream: int) -> Any:
        raise MemoryError(f"no {size} bytes")

    with pytest.raises(MemoryError, match="no "):
        bb.open(path).scan("id").to_device(memory=refuse)
    with pytest.raises(MemoryError, match="no 24 bytes"):
        bb.encode(np.arange(3)).to_device(memory=refuse)
