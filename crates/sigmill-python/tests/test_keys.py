"""Single keys, against pyca's `cryptography`."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle

import pytest
import sigmill
from cryptography.exceptions import InvalidSignature as PycaInvalid
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed

CURVES = {
    "P-256": (ec.SECP256R1(), hashes.SHA256(), 32),
    "P-384": (ec.SECP384R1(), hashes.SHA384(), 48),
    "P-521": (ec.SECP521R1(), hashes.SHA512(), 66),
    "secp256k1": (ec.SECP256K1(), hashes.SHA256(), 32),
    "brainpoolP256r1": (ec.BrainpoolP256R1(), hashes.SHA256(), 32),
}


@pytest.fixture(params=CURVES)
def curve(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_signatures_go_both_ways(curve: str) -> None:
    theirs, algorithm, _ = CURVES[curve]
    key = sigmill.SigningKey.generate(curve)
    assert key.curve == curve
    public = key.public_key()
    pyca_public = serialization.load_pem_public_key(public.to_pem().encode())
    assert isinstance(pyca_public, ec.EllipticCurvePublicKey)
    pyca_public.verify(key.sign(b"data"), b"data", ec.ECDSA(algorithm))
    with pytest.raises(PycaInvalid):
        pyca_public.verify(key.sign(b"data"), b"other", ec.ECDSA(algorithm))

    pyca = ec.generate_private_key(theirs)
    der = pyca.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    ours = sigmill.SigningKey.from_der(der).public_key()
    signature = pyca.sign(b"data", ec.ECDSA(algorithm))
    for verifier in (ours, ours.prepare(), ours.prepare(5)):
        verifier.verify(signature, b"data")
        with pytest.raises(sigmill.InvalidSignature, match="signature") as caught:
            verifier.verify(signature, b"other")
        assert caught.value.reason == "signature-mismatch"
    digest = hashlib.new(algorithm.name, b"data").digest()
    ours.verify_digest(signature, digest)
    ours.prepare(4).verify_digest(signature, digest)
    pyca.public_key().verify(
        sigmill.SigningKey.from_der(der).sign_digest(digest), digest, ec.ECDSA(Prehashed(algorithm))
    )


def test_every_encoding_reads_back(curve: str) -> None:
    key = sigmill.SigningKey.generate(curve)
    public = key.public_key()
    length = CURVES[curve][2]
    assert len(key.to_scalar()) == length
    again = [
        sigmill.SigningKey.from_pem(key.to_pem()),
        sigmill.SigningKey.from_pem(key.to_pem().encode()),
        sigmill.SigningKey.from_der(key.to_der()),
        sigmill.SigningKey.from_scalar(curve, key.to_scalar()),
    ]
    publics = [
        sigmill.VerifyingKey.from_pem(public.to_pem()),
        sigmill.VerifyingKey.from_der(public.to_der()),
        sigmill.VerifyingKey.from_sec1(curve, public.to_sec1()),
        sigmill.VerifyingKey.from_sec1(curve, bytearray(public.to_sec1(compressed=True))),
        pickle.loads(pickle.dumps(public)),
        copy.deepcopy(public),
        public.prepare(4).verifying_key(),
    ]
    jwk, private_jwk = public.to_jwk(), key.to_jwk()
    assert (jwk is None) == (curve == "brainpoolP256r1")
    if jwk is not None and private_jwk is not None:
        again.append(sigmill.SigningKey.from_jwk(private_jwk))
        publics.append(sigmill.VerifyingKey.from_jwk(jwk))
        publics.append(sigmill.VerifyingKey.from_jwk(json.loads(jwk)))
    assert {k.sign(b"x") for k in again} == {key.sign(b"x")}
    assert set(publics) == {public}
    assert public != sigmill.SigningKey.generate(curve).public_key()
    assert public != "text"
    assert public.to_sec1(compressed=True).hex() in repr(public)


def test_secrets_are_not_shown() -> None:
    key = sigmill.SigningKey.generate("P-256")
    assert key.to_scalar().hex() not in repr(key)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(key)


def test_exchange(curve: str) -> None:
    theirs = CURVES[curve][0]
    ours, pyca = sigmill.SigningKey.generate(curve), ec.generate_private_key(theirs)
    der = pyca.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    pyca_public = serialization.load_der_public_key(ours.public_key().to_der())
    assert isinstance(pyca_public, ec.EllipticCurvePublicKey)
    shared = ours.exchange(sigmill.VerifyingKey.from_der(der))
    assert shared == pyca.exchange(ec.ECDH(), pyca_public)
    other = sigmill.SigningKey.generate("P-256" if curve != "P-256" else "P-384")
    with pytest.raises(sigmill.Error) as caught:
        ours.exchange(other.public_key())
    assert caught.value.reason == "key-curve-mismatch"


def test_formats_hashes_and_policies() -> None:
    key = sigmill.SigningKey.generate("P-384")
    signature = key.sign(b"data", hash="sha512", format="p1363")
    assert len(signature) == 96
    public = key.public_key()
    public.verify(signature, b"data", hash="SHA-512", format="p1363")
    public.verify(signature, b"data", hash="SHA512", format="auto")
    for wrong in ({"hash": "SHA-384", "format": "p1363"}, {"hash": "SHA-512", "format": "der"}):
        with pytest.raises(sigmill.InvalidSignature):
            public.verify(signature, b"data", **wrong)  # type: ignore[arg-type]
    with pytest.raises(sigmill.ColumnError, match="hash: must be SHA-256"):
        public.verify(signature, b"data", hash="MD5")
    with pytest.raises(sigmill.Error) as caught:
        public.verify(signature, b"data", format="raw")  # type: ignore[arg-type]
    assert caught.value.reason == "unknown-signature-format"
    low = key.with_policy("low-s")
    for i in range(8):
        public.verify(low.sign(b"%d" % i), b"%d" % i, policy="low-s")
    with pytest.raises(sigmill.ColumnError, match="policy"):
        key.with_policy("high-s")  # type: ignore[arg-type]


def test_recovery() -> None:
    key = sigmill.SigningKey.generate("secp256k1")
    digest = hashlib.sha256(b"data").digest()
    signature, v = key.sign_digest_recoverable(digest)
    assert sigmill.VerifyingKey.recover("secp256k1", digest, signature, v) == key.public_key()
    other = sigmill.VerifyingKey.recover("secp256k1", digest, signature, 28 - v)
    assert other != key.public_key()
    with pytest.raises(sigmill.Error, match="v must be 0 to 3"):
        sigmill.VerifyingKey.recover("secp256k1", digest, signature, 4)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: sigmill.SigningKey.generate("P-257"), "unknown-curve"),
        (lambda: sigmill.VerifyingKey.from_sec1("P-256", b"\x04" * 65), "key-not-on-curve"),
        (lambda: sigmill.VerifyingKey.from_sec1("P-256", b""), None),
        (lambda: sigmill.VerifyingKey.from_pem("no pem"), None),
        (lambda: sigmill.VerifyingKey.from_der(b"\x30\x00"), None),
        (lambda: sigmill.VerifyingKey.from_jwk({"kty": "RSA"}), None),
        (lambda: sigmill.SigningKey.from_scalar("P-256", bytes(32)), "secret-zero"),
        (lambda: sigmill.SigningKey.from_pem(b"\xff"), "column"),
        (lambda: sigmill.SigningKey.from_pem(7), "column"),  # type: ignore[arg-type]
        (lambda: sigmill.SigningKey.generate("P-256").sign_digest(b""), "digest-empty"),
        (
            lambda: sigmill.SigningKey.generate("P-256").public_key().verify_digest(b"", b""),
            None,
        ),
        (lambda: sigmill.SigningKey.generate("P-256").public_key().prepare(12), None),
    ],
)
def test_what_is_wrong_is_named(call, reason) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((sigmill.Error, sigmill.InvalidSignature)) as caught:
        call()
    assert isinstance(caught.value, sigmill.Error | sigmill.InvalidSignature)
    assert ": " in str(caught.value)
    if reason is not None:
        assert caught.value.reason == reason
    assert pickle.loads(pickle.dumps(caught.value)).args == caught.value.args


def test_exceptions_are_made_again_of_their_messages() -> None:
    for error in (sigmill.ColumnError("keys", "a: b"), sigmill.ColumnError("keys: a: b")):
        assert (str(error), error.column, error.reason) == ("keys: a: b", "keys", "column")
    assert str(sigmill.Error("text")) == "text"
    assert str(sigmill.InvalidSignature("text")) == "text"


def test_other_types_are_type_errors() -> None:
    public = sigmill.SigningKey.generate("P-256").public_key()
    with pytest.raises(TypeError):
        public.verify("text", b"data")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        sigmill.VerifyingKey.from_der(None)  # type: ignore[arg-type]
    sigmill.warm_up("P-256")
