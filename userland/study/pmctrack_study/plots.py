# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots, in the form that all reports use."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import matplotlib

matplotlib.use("Agg")
# pylint: disable-next=wrong-import-position
import matplotlib.pyplot as plt  # noqa: E402


class Plot:
    """A file with a plot. If there was no error, it is written, and its name added to a list."""

    def __init__(self, folder: Path, name: str, names: list[str], columns: int = 1) -> None:
        self.path = folder / name
        self.names = names
        self.figure, grid = plt.subplots(1, columns, figsize=(8 if columns == 1 else 12, 4.5),
                                         squeeze=False)
        self.grid = grid[0]

    def axes(self, column: int = 0) -> Any:
        """The axes of a column."""
        return self.grid[column]

    def __enter__(self) -> Plot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if error is None:
            self.figure.tight_layout()
            self.figure.savefig(self.path, dpi=110)
            self.names.append(self.path.name)
        plt.close(self.figure)
