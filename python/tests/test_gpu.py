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
