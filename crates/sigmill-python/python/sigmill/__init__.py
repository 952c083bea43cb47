"""Fast ECDSA on P-256, P-384, P-521, secp256k1 and brainpoolP256r1: one signature or columns.

Single keys follow the conventions of pyca's `cryptography`: `VerifyingKey.from_pem(pem).verify(
signature, data)` raises `InvalidSignature`. Columns go to an `Engine`, whose results are Arrow
tables.
"""

from sigmill._sigmill import (
    Engine,
    Plan,
    PreparedKey,
    Recovered,
    Result,
    Sample,
    Signatures,
    SigningKey,
    Verdicts,
    VerifyingKey,
    __version__,
    warm_up,
)
from sigmill.errors import ColumnError, Error, InvalidSignature

__all__ = [
    "ColumnError",
    "Engine",
    "Error",
    "InvalidSignature",
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
