# SPDX-License-Identifier: Apache-2.0
"""Categories and enums. A file has their strings; which values there are, and their order, is a note in its metadata,
from which pyarrow, pandas and Polars get the types back."""
from __future__ import annotations

import json
import sys
from typing import Any, Mapping

KEY = "bobbin.categories"
_MOST = 65536  # bytes of a value of the metadata


def note_of(data: Any) -> list[tuple[str, bytes]]:
    """The pair of metadata for a table, if it has categories of strings. More than metadata can hold are left out."""
    found = {}
    for name, values, ordered, index in _columns_of(data):
        if all(isinstance(value, str) for value in values):
            found[name] = {"values": values, "ordered": ordered, "index": index}
    text = json.dumps(found).encode()
    return [(KEY, text)] if found and len(text) <= _MOST else []


def _columns_of(data: Any) -> list[tuple[str, list[Any], bool, str]]:
    pandas, polars, pyarrow = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow"))
    if pandas is not None and isinstance(data, pandas.DataFrame):
        kinds = [(name, kind) for name, kind in data.dtypes.items() if isinstance(kind, pandas.CategoricalDtype)]
        return [(str(name), list(kind.categories), bool(kind.ordered), "int8") for name, kind in kinds]
    if polars is not None and isinstance(data, polars.DataFrame):
        return [(name, kind.categories.to_list(), False, "enum") for name, kind in data.schema.items() if isinstance(kind, polars.Enum)]
    if pyarrow is not None and isinstance(data, (pyarrow.Table, pyarrow.RecordBatch)):
        table = data if isinstance(data, pyarrow.Table) else pyarrow.Table.from_batches([data])
        return [(field.name, _dictionary_of(table.column(i)), field.type.ordered, str(field.type.index_type))
                for i, field in enumerate(table.schema) if pyarrow.types.is_dictionary(field.type)]
    return []


def _dictionary_of(column: Any) -> list[Any]:
    chunks = column.unify_dictionaries().chunks
    values: list[Any] = chunks[0].dictionary.to_pylist() if chunks else []
    return values


def noted(metadata: list[tuple[str, bytes]]) -> dict[str, dict[str, Any]]:
    """The categories of a file, by column. What is not as note_of() writes it is left out: it may be forged."""
    try:
        found = json.loads(dict(metadata).get(KEY, b"{}"))
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: one for name, one in found.items() if isinstance(one, dict) and _is_whole(one)}


def _is_whole(one: dict[str, Any]) -> bool:
    values = one.get("values")
    are_strings = isinstance(values, list) and all(isinstance(value, str) for value in values)
    return are_strings and len(set(values or ())) == len(values or ()) and isinstance(one.get("ordered"), bool)


def restore_arrow(table: Any, categories: Mapping[str, dict[str, Any]]) -> Any:
    """A pyarrow Table whose columns have their categories. A column with another value stays one of strings."""
    if not categories:
        return table
    import pyarrow
    import pyarrow.compute

    for i, field in enumerate(table.schema):
        one = categories.get(field.name)
        is_text = pyarrow.types.is_string(field.type) or pyarrow.types.is_large_string(field.type)
        if one is None or not is_text:
            continue
        values = pyarrow.array(one["values"], field.type)
        column = table.column(i)
        places = pyarrow.compute.index_in(column, value_set=values)
        if places.null_count != column.null_count:
            continue
        kinds = {"int8": pyarrow.int8(), "int16": pyarrow.int16(), "uint8": pyarrow.uint8(), "uint32": pyarrow.uint32()}
        kind = kinds.get(one.get("index", ""), pyarrow.int32())
        try:
            places = places.cast(kind)
        except pyarrow.ArrowInvalid:
            kind = pyarrow.int32()
        chunks = [pyarrow.DictionaryArray.from_arrays(chunk, values, ordered=one["ordered"]) for chunk in places.chunks]
        made = pyarrow.chunked_array(chunks, pyarrow.dictionary(kind, field.type, one["ordered"]))
        table = table.set_column(i, field.with_type(made.type), made)
    return table


def restore_polars(polars: Any, frame: Any, categories: Mapping[str, dict[str, Any]]) -> Any:
    """A Polars DataFrame whose columns are enums again."""
    for name, one in categories.items():
        if one.get("index") == "enum" and frame.schema.get(name) == polars.String:
            column = frame[name]
            if column.drop_nulls().is_in(one["values"]).all():
                frame = frame.with_columns(column.cast(polars.Enum(one["values"])))
    return frame
