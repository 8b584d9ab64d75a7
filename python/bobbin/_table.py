# SPDX-License-Identifier: Apache-2.0
"""What a file and a dataset have in common."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from ._need import need

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow
    from pyarrow import dataset as pyarrow_dataset

    from .datasets import DatasetScan
    from .file import Field, Scan

    AnyScan = Union[Scan, DatasetScan]


class Table:
    """All rows, in the forms that scans have too."""

    @property
    def schema(self) -> list[Field]:
        """The columns."""
        raise NotImplementedError

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        raise NotImplementedError

    def _all(self) -> AnyScan:
        """A scan of all rows and columns."""
        raise NotImplementedError

    @property
    def columns(self) -> list[str]:
        """The columns' names."""
        return [field.name for field in self.schema]

    def __len__(self) -> int:
        return self.num_rows

    # ---- All rows ----

    def to_arrow(self) -> pyarrow.Table:
        """All rows as a pyarrow Table."""
        return self._all().to_arrow()

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """All rows as a pandas DataFrame; options are those of pyarrow's to_pandas."""
        return self._all().to_pandas(**options)

    def to_polars(self) -> polars.DataFrame:
        """All rows as a Polars DataFrame."""
        return self._all().to_polars()

    def to_numpy(self, *, nulls: Any = None) -> dict[str, numpy.ndarray[Any, Any]]:
        """All columns as numpy arrays; see Scan.to_numpy()."""
        return self._all().to_numpy(nulls=nulls)

    def __arrow_c_schema__(self) -> object:
        return self._all().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._all().__arrow_c_stream__(requested_schema)

    # ---- For engines ----

    def dataset(self) -> pyarrow_dataset.Dataset:
        """A pyarrow Dataset for engines that push columns and filters down: DuckDB, DataFusion."""
        need("pyarrow.dataset")
        from ._duckdb import counted_dataset

        return counted_dataset()(self)  # type: ignore[arg-type]

    def lazy(self) -> polars.LazyFrame:
        """A Polars LazyFrame that reads only the columns, rows and row groups that a query needs."""
        need("polars")
        from .lazy import scan_table

        return scan_table(self)  # type: ignore[arg-type]
