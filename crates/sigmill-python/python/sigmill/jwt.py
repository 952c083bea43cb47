"""Tokens of PyJWT and joserfc, verified by sigmill: ES256, ES384, ES512 and ES256K.

    import jwt, sigmill.jwt

    sigmill.jwt.install(jwt)
    claims = jwt.decode(token, pem, algorithms=["ES256"])

Everything else stays as the libraries have it: which algorithms are allowed, claims, all other
algorithms, and the errors. Keys may be theirs, or a `sigmill.VerifyingKey` and `SigningKey`. What
signs with keys of theirs is still `cryptography`.
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

# JOSE's names of algorithms: the curve, as pyca and as sigmill name it, and the bits of the hash.
_ALGORITHMS = {
    "ES256": ("SECP256R1", "P-256", 256),
    "ES384": ("SECP384R1", "P-384", 384),
    "ES512": ("SECP521R1", "P-521", 512),
    "ES256K": ("SECP256K1", "secp256k1", 256),
}


def _known(store: KeyStore, key: Any) -> VerifyingKey | PreparedKey:
    """The key that an object of pyca's is, public or private."""
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
    """The algorithms as PyJWT has them, with keys of one store."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from jwt.algorithms import ECAlgorithm
    from jwt.exceptions import InvalidKeyError

    class SigmillAlgorithm(ECAlgorithm):
        """ECDSA by sigmill, with keys as PyJWT takes them, and sigmill's own."""

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
                # By PyJWT, so that the same keys are refused, and for the same reasons.
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
        # It is there, unless somebody took it away; a second one is refused.
        with suppress(KeyError):
            jws.unregister_algorithm(name)
        jws.register_algorithm(name, algorithm)


def install(pyjwt: Any, store: KeyStore | None = None) -> None:
    """Makes PyJWT verify by sigmill: the module `jwt` for all of the process, or one `PyJWS`.

    `jwt.encode` and `jwt.decode` ask for algorithms by name, and get ours. A `PyJWK` brings its own
    algorithm, which is still PyJWT's: give `decode` its `.key`. Install before threads decode:
    PyJWT lets nobody replace an algorithm in one step.
    """
    _install(pyjwt, store)


def pyjws(store: KeyStore | None = None) -> PyJWS:
    """A `jwt.PyJWS` that verifies by sigmill, and leaves the rest of the process as it is."""
    from jwt import PyJWS

    jws = PyJWS()
    _install(jws, store)
    return jws


def register_joserfc(store: KeyStore | None = None) -> None:
    """Makes joserfc verify by sigmill, for all of the process."""
    from joserfc._rfc7518.jws_algs import ESAlgorithm
    from joserfc.jws import JWSRegistry

    keys = KeyStore() if store is None else store

    class SigmillAlgorithm(ESAlgorithm):
        """ECDSA by sigmill, with keys of joserfc."""

        def verify(self, msg: bytes, sig: bytes, key: Any) -> bool:
            # The use of the key is joserfc's to judge.
            return _is_valid(_known(keys, key.get_op_key("verify")), msg, sig)

    for name, (_, _, bits) in _ALGORITHMS.items():
        theirs = JWSRegistry.algorithms.get(name)
        if isinstance(theirs, ESAlgorithm):
            # Of the type that the constructor wants: 256, 384 or 512.
            size: Any = bits
            ours = SigmillAlgorithm(name, theirs.curve, size, theirs.recommended)
            ours.security_warning = theirs.security_warning
            JWSRegistry.register(ours)
