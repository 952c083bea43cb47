"""Public keys for token libraries, with a table for each key that returns."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from sigmill._sigmill import PreparedKey, VerifyingKey

__all__ = ["KeyStore"]


class _Known:
    """A key, the object that keeps its name valid, and its uses until it gets a table."""

    __slots__ = ("key", "owner", "uses")

    def __init__(self, key: VerifyingKey, owner: object) -> None:
        self.key: VerifyingKey | PreparedKey = key
        self.owner = owner
        self.uses = 0


class KeyStore:
    """Remembers the last `size` keys by name; threads may share it.

    A key gets a table at its `prepare_at`-th use. The table makes verification several times as
    fast and needs 148 KiB on P-256, up to 1 MiB on other curves.
    """

    def __init__(self, size: int = 256, prepare_at: int = 3) -> None:
        if size < 1:
            raise ValueError("size: must be at least 1")
        if prepare_at < 1:
            raise ValueError("prepare_at: must be at least 1")
        self._size = size
        self._prepare_at = prepare_at
        self._keys: OrderedDict[Hashable, _Known] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._keys)

    def get(
        self, name: Hashable, owner: object, read: Callable[[], VerifyingKey]
    ) -> VerifyingKey | PreparedKey:
        """Returns the key of this name, and reads it if it is unknown.

        A name that is the `id` of an object is valid only while the object lives, so the object is
        kept as `owner`.
        """
        with self._lock:
            known = self._keys.get(name)
            if known is not None:
                self._keys.move_to_end(name)
        if known is None:
            known = _Known(read(), owner)
            with self._lock:
                known = self._keys.setdefault(name, known)
                while len(self._keys) > self._size:
                    self._keys.popitem(last=False)
        # Concurrent threads may lose a count; then the table is built later.
        known.uses += 1
        key = known.key
        if known.uses >= self._prepare_at and isinstance(key, VerifyingKey):
            # Two threads may do this at once: both tables are correct.
            key = known.key = key.prepare()
        return key
