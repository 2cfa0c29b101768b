"""Memory: what a counting thread uses again for every chunk."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

CHUNK = 1 << 18  # rows that are counted at once


class Memory:
    """Room for a chunk's labels, codes and cells: fresh pages cost more than the counting."""

    spare: ClassVar[list[Memory]] = []

    def __init__(self) -> None:
        self.left, self.right = np.empty(CHUNK, np.int32), np.empty(CHUNK, np.int32)
        self.first, self.second = np.empty(CHUNK, np.int64), np.empty(CHUNK, np.int64)
        self.flags = np.empty(CHUNK, bool)
        self.matrix: Any = None

    def row(self, entries: int, columns: int) -> Any:
        """A sparse matrix of one row and many ones, whose columns are yet to be written."""
        if self.matrix is None or self.matrix.shape[1] != columns or self.matrix.nnz != entries:
            from scipy.sparse import csr_array

            ones, zeros = np.ones(entries, np.int32), np.zeros(entries, np.int32)
            pointers = np.array([0, entries], np.int32)
            self.matrix = csr_array((ones, zeros, pointers), shape=(1, columns))
        return self.matrix

    @classmethod
    def take(cls) -> Memory:
        """What an earlier count has given back, or new."""
        try:
            return cls.spare.pop()
        except IndexError:
            return cls()

    def give(self) -> None:
        """Keep it for the next count."""
        if self.matrix.nnz > CHUNK:
            self.matrix = None
        self.spare.append(self)
