"""Handmade arrays for the Arrow C Data Interface, whose fields may lie."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

RELEASED: list[str] = []


class Schema(ctypes.Structure):
    """struct ArrowSchema."""


class Array(ctypes.Structure):
    """struct ArrowArray."""


class Stream(ctypes.Structure):
    """struct ArrowArrayStream."""


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))

Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", LAST_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]


@RELEASE_SCHEMA
def release_schema(schema: Any) -> None:
    """Records the release, as a producer does."""
    RELEASED.append("schema")
    schema.contents.release = RELEASE_SCHEMA()


@RELEASE_ARRAY
def release_array(array: Any) -> None:
    """Records the release, as a producer does."""
    RELEASED.append("array")
    array.contents.release = RELEASE_ARRAY()


@RELEASE_STREAM
def release_stream(stream: Any) -> None:
    """Records the release, as a producer does."""
    RELEASED.append("stream")
    stream.contents.release = RELEASE_STREAM()


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# Names of capsules must outlive them.
NAMES = [b"arrow_schema", b"arrow_array", b"arrow_array_stream"]


@dataclass
class Made:
    """An array that its capsules export once."""

    format: bytes | None = b"z"
    buffers: list[Any] = field(default_factory=list)
    length: int = 0
    null_count: int = -1
    offset: int = 0
    n_buffers: int | None = None
    n_children: int = 0
    schema_children: int = 0
    dictionary: Made | None = None
    schema_dictionary: Made | None = None
    children: list[Made] = field(default_factory=list)
    names: tuple[bytes, bytes] = (NAMES[0], NAMES[1])
    no_buffers: bool = False
    released: bool = False
    name: bytes | None = b"name"
    kept: list[Any] = field(default_factory=list)

    def structs(self) -> tuple[Schema, Array]:
        """The two structs and everything that they point to, kept alive by this object."""
        pointers = (ctypes.c_void_p * max(len(self.buffers), 1))()
        for i, buffer in enumerate(self.buffers):
            if isinstance(buffer, int):
                pointers[i] = buffer
            elif buffer is not None:
                # Aligned, as ctypes allocates it.
                memory = (ctypes.c_int64 * (len(buffer) // 8 + 2))()
                ctypes.memmove(memory, buffer, len(buffer))
                self.kept.append(memory)
                pointers[i] = ctypes.addressof(memory)
        self.kept.append(pointers)
        schema, array = Schema(), Array()
        self.kept += [schema, array]
        schema.format, schema.name = self.format, self.name
        schema.n_children = self.schema_children
        array.length, array.null_count, array.offset = self.length, self.null_count, self.offset
        array.n_buffers = len(self.buffers) if self.n_buffers is None else self.n_buffers
        array.n_children = self.n_children
        if not self.no_buffers:
            array.buffers = ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))
        if self.dictionary is not None:
            array.dictionary = ctypes.pointer(self.dictionary.structs()[1])
        source = self.schema_dictionary or self.dictionary
        if source is not None and not (self.schema_dictionary and self.schema_dictionary.released):
            schema.dictionary = ctypes.pointer(source.structs()[0])
        if self.children:
            parts = [child.structs() for child in self.children]
            schemas = (ctypes.POINTER(Schema) * len(parts))(*[ctypes.pointer(p[0]) for p in parts])
            arrays = (ctypes.POINTER(Array) * len(parts))(*[ctypes.pointer(p[1]) for p in parts])
            self.kept += [schemas, arrays]
            schema.children = ctypes.cast(schemas, ctypes.POINTER(ctypes.POINTER(Schema)))
            array.children = ctypes.cast(arrays, ctypes.POINTER(ctypes.POINTER(Array)))
        schema.release = release_schema
        if not self.released:
            array.release = release_array
        return schema, array

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        """The capsules."""
        schema, array = self.structs()
        return (
            new_capsule(ctypes.addressof(schema), self.names[0], None),
            new_capsule(ctypes.addressof(array), self.names[1], None),
        )


@dataclass
class Arrays:
    """A stream of such arrays."""

    schema: Made
    arrays: list[Made]
    fails: bytes | None = None
    schema_fails: bool = False
    kept: list[Any] = field(default_factory=list)

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """The capsule."""
        rest = [array.structs()[1] for array in self.arrays]
        text = ctypes.create_string_buffer(self.fails or b"")

        @GET_SCHEMA
        def get_schema(_: Any, out: Any) -> int:
            if self.schema_fails:
                return 5
            ctypes.memmove(out, ctypes.addressof(self.schema.structs()[0]), ctypes.sizeof(Schema))
            return 0

        @GET_NEXT
        def get_next(_: Any, out: Any) -> int:
            if rest:
                ctypes.memmove(out, ctypes.addressof(rest.pop(0)), ctypes.sizeof(Array))
                return 0
            out.contents.release = RELEASE_ARRAY()
            return 0 if self.fails is None else 5

        @LAST_ERROR
        def last_error(_: Any) -> int | None:
            return ctypes.addressof(text) if self.fails else None

        stream = Stream(get_schema, get_next, last_error, release_stream, None)
        self.kept += [stream, text, get_schema, get_next, last_error, rest]
        return new_capsule(ctypes.addressof(stream), NAMES[2], None)
