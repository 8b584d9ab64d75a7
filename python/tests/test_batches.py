# SPDX-License-Identifier: Apache-2.0
"""Batches of arrays, DLPack, and arrays in device memory, by the emulator."""
from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bobbin as bb

np = pytest.importorskip("numpy")


def arrays() -> list[Any]:
    return [np.arange(i * 37 % 500, dtype=np.int32) % (i + 1) for i in range(40)]


def test_batches() -> None:
    plain = arrays()
    batch = bb.encode_batch(plain)
    assert len(batch) == 40 and batch.type == "i32" and batch.nbytes < sum(one.nbytes for one in plain)
    joined = np.concatenate(plain)
    assert np.array_equal(np.asarray(bb.decode_batch(batch)), joined)
    assert all(np.array_equal(one.to_numpy(), other) for one, other in zip(batch, plain))
    assert batch[-1][3] == plain[-1][3]
    again = bb.encode_batch(joined, list(batch.offsets), codec="bitpack", threads=2)
    out = np.empty(len(joined), np.int32)
    assert bb.decode_batch(again, out, threads=2) is out and np.array_equal(out, joined)
    assert np.array_equal(np.asarray(bb.decode_batch(pickle.loads(pickle.dumps(batch)))), joined)
    assert "40 arrays of i32" in repr(batch)


def test_wrong_batches() -> None:
    for offsets in ([], [0, 5], [0, 11], [1, 10], [0, 8, 4, 10], [0, -1, 10]):
        with pytest.raises(bb.InvalidArgumentError):
            bb.encode_batch(np.arange(10), offsets)
    with pytest.raises(bb.InvalidArgumentError):
        bb.encode_batch([np.arange(3), np.arange(3.0)])
    with pytest.raises(bb.InvalidArgumentError):
        bb.encode_batch([])
    batch = bb.encode_batch([np.arange(3), np.arange(2)])
    with pytest.raises(IndexError):
        batch[2]
    with pytest.raises(bb.InvalidArgumentError):
        bb.decode_batch(batch, np.empty(4, np.int64))
    data = bytes(batch)
    for bad in (b"", data[:-1], data[:20] + b"x" + data[21:]):
        with pytest.raises(bb.CorruptError):
            bb.EncodedBatch.from_bytes(bad)
    with pytest.raises(bb.CorruptError):
        bb.EncodedBatch.from_bytes(data, max_length=4)
    empty = bb.encode_batch(np.empty(0, np.float32), [0])
    assert len(empty) == 0 and len(bb.decode_batch(empty)) == 0


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"])
def test_dlpack(kind: str) -> None:
    values = np.arange(1000).astype(kind)
    encoded = bb.encode(values)
    found = np.from_dlpack(encoded)
    assert found.dtype == values.dtype and np.array_equal(found, values)
    del encoded
    assert np.array_equal(found, values)


class OnlyDlpack:
    """An array of a library that has no buffers."""

    def __init__(self, values: Any, device: tuple[int, int] = (1, 0)) -> None:
        self._values = values
        self._device = device

    def __dlpack__(self, **options: Any) -> Any:
        return self._values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def test_encoding_from_dlpack() -> None:
    values = np.arange(500, dtype=np.uint16)
    assert np.array_equal(bb.encode(OnlyDlpack(values)).to_numpy(), values)
    again = bb.encode(bb.encode(values))  # through __dlpack__ too
    assert np.array_equal(again.to_numpy(), values)
    with pytest.raises(bb.BobbinError):
        bb.encode(OnlyDlpack(values.reshape(50, 10)))
    with pytest.raises(bb.UnsupportedError, match="device memory"):
        bb.encode_batch([OnlyDlpack(values, (2, 0))])
    with pytest.raises(BufferError):
        bb.encode(values).__dlpack__(copy=False)
    with pytest.raises(BufferError):
        bb.encode(values).__dlpack__(dl_device=(2, 0))


@pytest.mark.emulator
def test_device_arrays(tmp_path: Any) -> None:
    values = np.arange(5000, dtype=np.int64) * 3
    there = bb.encode(values).to_device("emulator")
    assert len(there) == 5000 and there.type == "i64" and "emulator" in repr(there)
    found = np.from_dlpack(there)
    del there
    assert np.array_equal(found, values)
    batch = bb.encode_batch([values[:1000], values[1000:1002], values[1002:]])
    assert np.array_equal(np.from_dlpack(batch.to_device("emulator")), values)
    with pytest.raises(bb.InvalidArgumentError, match="multiple of 16"):
        bb.encode_batch([values[:1], values[1:]]).to_device("emulator")
    bb.write({"a": values, "b": [None if i % 3 == 0 else i / 2 for i in range(5000)], "s": ["x"] * 5000},
             tmp_path / "t.bob", rows_per_group=1024)
    file = bb.open(tmp_path / "t.bob")
    table = file.scan(["a", "b"], rows=slice(1000, 3000)).to_device("emulator")
    assert np.array_equal(np.from_dlpack(table["a"]), values[1000:3000])
    with pytest.raises(BufferError, match="nulls"):
        np.from_dlpack(table["b"])
    bits = np.from_dlpack(table["b"].validity)
    valid = np.unpackbits(bits.view(np.uint8), bitorder="little")[:2000].astype(bool)
    assert valid.tolist() == [i % 3 != 0 for i in range(1000, 3000)]
    assert np.array_equal(np.from_dlpack(table["b"].values)[valid], (np.arange(1000, 3000) / 2)[valid])
    # Only memory of a GPU has it; others look for it with hasattr().
    assert not hasattr(table["a"], "__cuda_array_interface__")
    for stream in (0, -2):
        with pytest.raises(bb.InvalidArgumentError):
            table["a"].__dlpack__(stream=stream)
    assert table["a"].__dlpack__(stream=-1) is not None
    with pytest.raises(BufferError):
        table["a"].__dlpack__(dl_device=(2, 0))
    with pytest.raises(bb.UnsupportedError, match="'?\"?s\"?'? holds strings"):
        file.scan().to_device("emulator")
    with pytest.raises(bb.UnsupportedError):
        file.scan("a", bb.col("a") > 5).to_device("emulator")
    with pytest.raises(bb.InvalidArgumentError):
        file.scan("a").to_device("cpu")


def test_hasattr_of_an_array_with_nulls_in_gpu_memory() -> None:
    from types import SimpleNamespace

    from bobbin._device import DeviceArray

    memory: Any = SimpleNamespace(device=2, device_number=1, type="i64", length=3, address=64, stream=7)
    interface = DeviceArray(memory, "i64").__cuda_array_interface__
    assert interface["data"] == (64, False) and interface["stream"] == 7
    assert DeviceArray(memory, "i64").__dlpack_device__() == (2, 1)
    assert not hasattr(DeviceArray(memory, "i64", DeviceArray(memory, "u32")), "__cuda_array_interface__")


def test_arrays_that_a_batch_does_not_have() -> None:
    batch = bb.encode_batch([[1, 2], [3]])
    assert batch[-2].decode().tolist() == [1, 2]
    for index in (2, -3, 10**30, -(10**30)):
        with pytest.raises(IndexError):
            batch[index]


def test_no_gpu() -> None:
    if bb.devices():
        pytest.skip("this machine has a GPU")
    with pytest.raises(bb.UnavailableError):
        bb.encode(np.arange(3)).to_device()


def test_torch() -> None:
    torch = pytest.importorskip("torch")
    values = torch.arange(1000)
    assert torch.equal(torch.from_dlpack(bb.encode(values)), values)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_batch_comes_back(data: Any) -> None:
    kind = data.draw(st.sampled_from(["u1", "i2", "u4", "i8", "f4", "f8"]))
    lengths = data.draw(st.lists(st.integers(0, 1100), min_size=1, max_size=8))
    seed = data.draw(st.integers(0, 2**32 - 1))
    span = data.draw(st.sampled_from([1, 2, 100, 2**15]))
    values = np.random.default_rng(seed).integers(0, span, sum(lengths)).astype(kind)
    batch = bb.encode_batch(values, [0, *np.cumsum(lengths)])
    assert bytes(bb.decode_batch(batch)) == values.tobytes()
    assert bytes(bb.decode_batch(bb.EncodedBatch.from_bytes(bytes(batch)))) == values.tobytes()
    assert [len(one) for one in batch] == lengths
