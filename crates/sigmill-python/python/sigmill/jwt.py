"""Tokens of PyJWT and joserfc, verified by sigmill: ES256, ES384, ES512 and ES256K.

    import jwt, sigmill.jwt

    sigmill.jwt.install(jwt)
    claims = jwt.decode(token, pem, algorithms=["ES256"])

Everything else stays with the libraries: the allowed algorithms, claims, all other algorithms, and
errors. Keys may be theirs, or a `sigmill.VerifyingKey` or `SigningKey`. Signing with their keys
still uses `cryptography`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sigmill._sigmill import PreparedKey, SigningKey, VerifyingKey
from sigmill._store import KeyStore
from sigmill.errors import InvalidSignature

if TYPE_CHECKING:
    from jwt import PyJWS

__all__ = ["KeyStore", "install", "pyjws", "register_joserfc"]

# JOSE's algorithm names: the curve, as named by pyca and by sigmill, and the bits of the hash.
_ALGORITHMS = {
    "ES256": ("SECP256R1", "P-256", 256),
    "ES384": ("SECP384R1", "P-384", 384),
    "ES512": ("SECP521R1", "P-521", 512),
    "ES256K": ("SECP256K1", "secp256k1", 256),
}


def _known(store: KeyStore, key: Any) -> VerifyingKey | PreparedKey:
    """The key of a pyca object, public or private."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    def read() -> VerifyingKey:
        public = key.public_key() if hasattr(key, "private_numbers") else key
        der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return VerifyingKey.from_der(der)

    return store.get(id(key), key, read)


def _is_valid(key: VerifyingKey | PreparedKey, message: bytes, signature: bytes) -> bool:
    try:
        key.verify(signature, message, format="p1363")
    except InvalidSignature:
        return False
    return True


def _pyjwt_algorithms(store: KeyStore) -> dict[str, Any]:
    """PyJWT's algorithms, with the keys of one store."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from jwt.algorithms import ECAlgorithm
    from jwt.exceptions import InvalidKeyError

    class SigmillAlgorithm(ECAlgorithm):
        """ECDSA by sigmill, with the keys that PyJWT accepts, and sigmill's own."""

        def __init__(self, curve: Any, name: str, bits: int) -> None:
            hashes = {256: self.SHA256, 384: self.SHA384, 512: self.SHA512}
            super().__init__(hashes[bits], curve)
            self._curve = name

        def prepare_key(self, key: Any) -> Any:
            if isinstance(key, SigningKey | VerifyingKey | PreparedKey):
                if key.curve != self._curve:
                    raise InvalidKeyError(
                        f"The key's curve '{key.curve}' does not match the expected curve "
                        f"'{self._curve}' for this algorithm"
                    )
                return key
            public = key.encode() if isinstance(key, str) else key
            if not isinstance(public, bytes) or b"-----BEGIN PUBLIC KEY-----" not in public:
                return super().prepare_key(key)

            def read() -> VerifyingKey:
                # PyJWT reads the key, so that it refuses the same keys for the same reasons.
                found = _known(KeyStore(1), super(SigmillAlgorithm, self).prepare_key(public))
                assert isinstance(found, VerifyingKey)
                return found

            return store.get((self._curve, public), None, read)

        def sign(self, msg: bytes, key: Any) -> bytes:
            if isinstance(key, SigningKey):
                return key.sign(msg, format="p1363")
            return super().sign(msg, key)

        def verify(self, msg: bytes, key: Any, sig: bytes) -> bool:
            if isinstance(key, SigningKey):
                key = key.public_key()
            if not isinstance(key, VerifyingKey | PreparedKey):
                key = _known(store, key)
            return _is_valid(key, msg, sig)

    return {
        name: SigmillAlgorithm(getattr(ec, curve), ours, bits)
        for name, (curve, ours, bits) in _ALGORITHMS.items()
    }


def _install(jws: Any, store: KeyStore | None) -> None:
    for name, algorithm in _pyjwt_algorithms(KeyStore() if store is None else store).items():
        # The algorithm exists, unless somebody removed it; PyJWT refuses a second one.
        with suppress(KeyError):
            jws.unregister_algorithm(name)
        jws.register_algorithm(name, algorithm)


def install(pyjwt: Any, store: KeyStore | None = None) -> None:
    """Makes PyJWT verify with sigmill: the module `jwt` for the whole process, or one `PyJWS`.

    `jwt.encode` and `jwt.decode` look algorithms up by name, and find sigmill's. A `PyJWK` brings
    its own algorithm, which is still PyJWT's: pass its `.key` to `decode`. Install before threads
    decode: PyJWT cannot replace an algorithm atomically.
    """
    _install(pyjwt, store)


def pyjws(store: KeyStore | None = None) -> PyJWS:
    """A `jwt.PyJWS` that verifies with sigmill; the rest of the process stays unchanged."""
    from jwt import PyJWS

    jws = PyJWS()
    _install(jws, store)
    return jws


def register_joserfc(store: KeyStore | None = None) -> None:
    """Makes joserfc verify with sigmill, for the whole process."""
    from joserfc._rfc7518.jws_algs import ESAlgorithm
    from joserfc.jws import JWSRegistry

    keys = KeyStore() if store is None else store

    class SigmillAlgorithm(ESAlgorithm):
        """ECDSA by sigmill, with joserfc's keys."""

        def verify(self, msg: bytes, sig: bytes, key: Any) -> bool:
            # joserfc checks the permitted use of the key.
            return _is_valid(_known(keys, key.get_op_key("verify")), msg, sig)

    for name, (_, _, bits) in _ALGORITHMS.items():
        theirs = JWSRegistry.algorithms.get(name)
        if isinstance(theirs, ESAlgorithm):
            # Typed as Any, since the constructor wants the literal type 256, 384 or 512.
            size: Any = bits
            ours = SigmillAlgorithm(name, theirs.curve, size, theirs.recommended)
            ours.security_warning = theirs.security_warning
            JWSRegistry.register(ours)
