from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, NoReturn, Protocol, Self, TypeAlias, TypedDict, final

import pandas
import polars
import pyarrow
from typing_extensions import Buffer, disjoint_base

from sigmill._count import Count

__all__ = [
    "Engine",
    "Plan",
    "PreparedKey",
    "Recovered",
    "Result",
    "Sample",
    "Signatures",
    "SigningKey",
    "Verdicts",
    "VerifyingKey",
    "__version__",
    "warm_up",
]

__version__: Final[str]

_Curve: TypeAlias = str
_Hash: TypeAlias = Literal["SHA-256", "SHA-384", "SHA-512"] | str
_Format: TypeAlias = Literal["auto", "der", "p1363"]
_Policy: TypeAlias = Literal[
    "default", "low-s", "friendly", "ethereum-precompile", "ethereum-transaction"
]
_Bytes: TypeAlias = bytes | bytearray

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

_Table: TypeAlias = _ArrowStream | _ArrowArray
_Column: TypeAlias = (
    _ArrowStream
    | _ArrowArray
    | Buffer
    | list[bytes]
    | list[bytearray]
    | list[bytes | None]
    | tuple[bytes | None, ...]
)
_Keys: TypeAlias = _Column | VerifyingKey | str | list[str] | list[str | None] | list[VerifyingKey]
_Hints: TypeAlias = _Column | list[int] | list[int | None]
_Progress: TypeAlias = Callable[[int, int], object]

class _PlanGroup(TypedDict):
    curve: str
    strategy: str
    window: int
    keys: int
    rows: int
    estimated: float
    actual: float | None

class _Stats(TypedDict):
    fresh: int
    prepared: int
    batched: int
    tables_built: int
    table_bytes: int
    distinct_keys: int
    distinct_keys_saturated: bool

@final
class VerifyingKey:
    @classmethod
    def from_pem(cls, pem: str | _Bytes) -> Self: ...
    @classmethod
    def from_der(cls, der: _Bytes) -> Self: ...
    @classmethod
    def from_jwk(cls, jwk: str | _Bytes | dict[str, Any]) -> Self: ...
    @classmethod
    def from_sec1(cls, curve: _Curve, point: _Bytes) -> Self: ...
    @classmethod
    def recover(
        cls, curve: _Curve, digest: _Bytes, signature: _Bytes, v: int, *, format: _Format = "der"
    ) -> Self: ...
    @property
    def curve(self) -> str: ...
    @property
    def algorithm(self) -> str: ...
    def verify(
        self,
        signature: _Bytes,
        data: _Bytes,
        *,
        hash: _Hash | None = None,
        format: _Format = "der",
        policy: _Policy = "default",
    ) -> None: ...
    def verify_digest(
        self,
        signature: _Bytes,
        digest: _Bytes,
        *,
        format: _Format = "der",
        policy: _Policy = "default",
    ) -> None: ...
    def prepare(self, window: int | None = None) -> PreparedKey: ...
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...
    def to_jwk(self) -> str | None: ...
    def to_sec1(self, *, compressed: bool = False) -> bytes: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

@final
class PreparedKey:
    @property
    def curve(self) -> str: ...
    @property
    def window(self) -> int: ...
    @property
    def memory(self) -> int: ...
    def verifying_key(self) -> VerifyingKey: ...
    def verify(
        self,
        signature: _Bytes,
        data: _Bytes,
        *,
        hash: _Hash | None = None,
        format: _Format = "der",
        policy: _Policy = "default",
    ) -> None: ...
    def verify_digest(
        self,
        signature: _Bytes,
        digest: _Bytes,
        *,
        format: _Format = "der",
        policy: _Policy = "default",
    ) -> None: ...

@final
class SigningKey:
    @classmethod
    def generate(cls, curve: _Curve) -> Self: ...
    @classmethod
    def from_pem(cls, pem: str | _Bytes) -> Self: ...
    @classmethod
    def from_der(cls, der: _Bytes) -> Self: ...
    @classmethod
    def from_jwk(cls, jwk: str | _Bytes | dict[str, Any]) -> Self: ...
    @classmethod
    def from_scalar(cls, curve: _Curve, scalar: _Bytes) -> Self: ...
    @property
    def curve(self) -> str: ...
    @property
    def algorithm(self) -> str: ...
    def public_key(self) -> VerifyingKey: ...
    def with_policy(self, policy: _Policy) -> SigningKey: ...
    def sign(
        self, data: _Bytes, *, hash: _Hash | None = None, format: _Format = "der"
    ) -> bytes: ...
    def sign_digest(
        self, digest: _Bytes, *, hash: _Hash | None = None, format: _Format = "der"
    ) -> bytes: ...
    def sign_digest_recoverable(
        self, digest: _Bytes, *, hash: _Hash | None = None, format: _Format = "der"
    ) -> tuple[bytes, int]: ...
    def exchange(self, peer: VerifyingKey) -> bytes: ...
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...
    def to_jwk(self) -> str | None: ...
    def to_scalar(self) -> bytes: ...

@disjoint_base
class Result:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> NoReturn: ...
    def to_pyarrow(self) -> pyarrow.Table: ...
    def to_polars(self) -> polars.DataFrame: ...
    def to_pandas(self) -> pandas.DataFrame: ...

@final
class Verdicts(Result):
    @property
    def valid(self) -> Count: ...
    @property
    def rejected(self) -> int: ...
    @property
    def all_valid(self) -> bool: ...
    def __bool__(self) -> NoReturn: ...
    @property
    def reasons(self) -> dict[str, int]: ...
    @property
    def plan(self) -> Plan | None: ...
    def __iter__(self) -> Iterator[str | None]: ...
    def __getitem__(self, index: int, /) -> str | None: ...
    def message(self, index: int) -> str | None: ...
    def _repr_html_(self) -> str: ...

@final
class Recovered(Result):
    @property
    def recovered(self) -> int: ...
    @property
    def rejected(self) -> int: ...
    @property
    def reasons(self) -> dict[str, int]: ...
    def __iter__(self) -> Iterator[str | None]: ...
    def __getitem__(self, index: int, /) -> str | None: ...

@final
class Sample(Result):
    @property
    def valid(self) -> int: ...
    @property
    def invalid(self) -> int: ...
    @property
    def malformed(self) -> int: ...

@final
class Signatures(Result):
    @property
    def signed(self) -> int: ...
    @property
    def rejected(self) -> int: ...
    def __iter__(self) -> Iterator[str | None]: ...
    def __getitem__(self, index: int, /) -> str | None: ...

@final
class Plan:
    @property
    def groups(self) -> list[_PlanGroup]: ...
    @property
    def rows(self) -> int: ...
    @property
    def estimated(self) -> float: ...
    @property
    def actual(self) -> float | None: ...
    def _repr_html_(self) -> str: ...

@final
class Engine:
    def __new__(
        cls,
        *,
        threads: int = 0,
        key_memory: int = 268435456,
        window: int = 10,
        policy: _Policy = "default",
        batch: bool = False,
    ) -> Self: ...
    def verify(
        self,
        alg: str,
        keys: _Keys,
        *,
        signatures: _Column,
        messages: _Column | None = None,
        digests: _Column | None = None,
        hints: _Hints | None = None,
        format: _Format = "auto",
        want_hints: bool = False,
        explain: bool = False,
        progress: _Progress | None = None,
    ) -> Verdicts: ...
    def verify_table(
        self,
        alg: str,
        table: _Table,
        *,
        keys: str = "key",
        messages: str | None = None,
        digests: str | None = None,
        signatures: str = "signature",
        hints: str | None = None,
        format: _Format = "auto",
        want_hints: bool = False,
        explain: bool = False,
        progress: _Progress | None = None,
    ) -> Verdicts: ...
    def verify_row(
        self,
        alg: str,
        key: str | _Bytes,
        *,
        signature: _Bytes,
        message: _Bytes | None = None,
        digest: _Bytes | None = None,
        format: _Format = "auto",
    ) -> None: ...
    def explain(
        self,
        alg: str,
        keys: _Keys,
        *,
        signatures: _Column,
        messages: _Column | None = None,
        digests: _Column | None = None,
        hints: _Hints | None = None,
        format: _Format = "auto",
    ) -> Plan: ...
    def recover(
        self,
        alg: str,
        *,
        signatures: _Column,
        messages: _Column | None = None,
        digests: _Column | None = None,
        progress: _Progress | None = None,
    ) -> Recovered: ...
    def sign(
        self,
        key: SigningKey,
        *,
        messages: _Column | None = None,
        digests: _Column | None = None,
        hash: _Hash | None = None,
        format: _Format = "der",
        progress: _Progress | None = None,
    ) -> Signatures: ...
    def sample(
        self,
        rows: int,
        *,
        curve: _Curve = "P-256",
        keys: int = 16,
        distribution: Literal["uniform", "zipf"] = "uniform",
        invalid: float = 0.0,
        malformed: float = 0.0,
        seed: int = 0,
        input: Literal["message", "digest"] = "message",
        key_format: Literal["sec1", "sec1-compressed", "spki", "pem"] = "sec1",
        format: Literal["der", "p1363"] = "der",
        progress: _Progress | None = None,
    ) -> Sample: ...
    def pin(self, key: VerifyingKey, window: int | None = None) -> None: ...
    def stats(self) -> _Stats: ...
    def __reduce__(self) -> tuple[Any, tuple[()]]: ...

def warm_up(curve: _Curve) -> None: ...
