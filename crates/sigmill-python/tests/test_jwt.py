"""Tokens through PyJWT and joserfc, with their own verdicts as the reference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jwt
import pytest
import sigmill
import sigmill.jwt
from conftest import THREADS, together
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc import jwt as jose
from joserfc.errors import BadSignatureError, JoseError
from joserfc.jwk import ECKey
from joserfc.jws import JWSRegistry

CURVES: dict[str, tuple[ec.EllipticCurve, str]] = {
    "ES256": (ec.SECP256R1(), "P-256"),
    "ES384": (ec.SECP384R1(), "P-384"),
    "ES512": (ec.SECP521R1(), "P-521"),
    "ES256K": (ec.SECP256K1(), "secp256k1"),
}


@pytest.fixture(params=CURVES)
def alg(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def pyjwt() -> Any:
    """A PyJWT that verifies with sigmill; the module `jwt` stays unchanged."""
    ours = jwt.PyJWT()
    ours._jws = sigmill.jwt.pyjws()
    return ours


@pytest.fixture
def afterwards() -> Iterator[None]:
    """Restores the algorithms of the process afterwards."""
    pyjwt = {name: jwt.get_algorithm_by_name(name) for name in CURVES}
    joserfc = dict(JWSRegistry.algorithms)
    yield
    for name, algorithm in pyjwt.items():
        jwt.unregister_algorithm(name)
        jwt.register_algorithm(name, algorithm)
    JWSRegistry.algorithms.clear()
    JWSRegistry.algorithms.update(joserfc)


def public_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def tamper(token: str) -> str:
    head, payload, signature = token.split(".")
    other = "A" if signature[20] != "A" else "B"
    return f"{head}.{payload}.{signature[:20]}{other}{signature[21:]}"


def test_pyjwt_verifies_by_sigmill(alg: str, pyjwt: Any) -> None:
    key = ec.generate_private_key(CURVES[alg][0])
    claims = {"sub": "somebody"}
    token = jwt.encode(claims, key, algorithm=alg)
    pem = public_pem(key)
    ours = sigmill.VerifyingKey.from_pem(pem)
    for given in (pem, pem.decode(), key.public_key(), key, ours, ours.prepare(4)):
        for _ in range(4):
            assert pyjwt.decode(token, given, algorithms=[alg]) == claims
        with pytest.raises(jwt.InvalidSignatureError):
            pyjwt.decode(tamper(token), given, algorithms=[alg])
        for bad in (token[:-4], token.rsplit(".", 1)[0] + "."):
            with pytest.raises(jwt.DecodeError):
                pyjwt.decode(bad, given, algorithms=[alg])
    other = ec.generate_private_key(CURVES[alg][0])
    with pytest.raises(jwt.InvalidSignatureError):
        pyjwt.decode(token, public_pem(other), algorithms=[alg])


def test_pyjwt_signs(alg: str, pyjwt: Any) -> None:
    key = sigmill.SigningKey.generate(CURVES[alg][1])
    pem = key.public_key().to_pem()
    token = pyjwt.encode({"a": 1}, key, algorithm=alg)
    assert jwt.decode(token, pem, algorithms=[alg]) == {"a": 1}
    assert pyjwt.decode(token, key, algorithms=[alg]) == {"a": 1}
    # PyJWT signs with its own keys.
    token = pyjwt.encode({"a": 2}, key.to_pem(), algorithm=alg)
    assert pyjwt.decode(token, pem, algorithms=[alg]) == {"a": 2}


def test_pyjwt_refuses_what_it_refused(pyjwt: Any) -> None:
    key = ec.generate_private_key(ec.SECP384R1())
    pem = public_pem(key)
    token = jwt.encode({}, ec.generate_private_key(ec.SECP256R1()), algorithm="ES256")
    wrong: list[Any] = [pem, pem.decode(), key, sigmill.VerifyingKey.from_pem(pem)]
    for given in wrong:
        with pytest.raises(jwt.InvalidKeyError, match="curve"):
            pyjwt.decode(token, given, algorithms=["ES256"])
    for given in ("text", b"-----BEGIN PUBLIC KEY-----", 7, None):
        with pytest.raises((jwt.InvalidKeyError, ValueError, TypeError)):
            pyjwt.decode(token, given, algorithms=["ES256"])
    with pytest.raises(jwt.InvalidAlgorithmError):
        pyjwt.decode(token, pem, algorithms=["ES384"])
    symmetric = jwt.encode({"b": 1}, "s" * 32, algorithm="HS256")
    assert pyjwt.decode(symmetric, "s" * 32, algorithms=["HS256"]) == {"b": 1}


@pytest.mark.usefixtures("afterwards")
def test_install_for_all_of_the_process() -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    token = jwt.encode({"c": 1}, key, algorithm="ES256")
    store = sigmill.jwt.KeyStore()
    sigmill.jwt.install(jwt, store)
    sigmill.jwt.install(jwt, store)
    for _ in range(3):
        assert jwt.decode(token, public_pem(key), algorithms=["ES256"]) == {"c": 1}
    assert len(store) == 1
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(tamper(token), public_pem(key), algorithms=["ES256"])


@pytest.mark.usefixtures("afterwards")
def test_joserfc_verifies_by_sigmill(alg: str) -> None:
    theirs = type(JWSRegistry.algorithms[alg])
    store = sigmill.jwt.KeyStore()
    key = ECKey.generate_key(CURVES[alg][1])
    token = jose.encode({"alg": alg}, {"d": 1}, key, algorithms=[alg])
    sigmill.jwt.register_joserfc(store)
    assert type(JWSRegistry.algorithms[alg]) is not theirs
    public = ECKey.import_key(key.as_dict(private=False))
    for given in (key, public):
        for _ in range(4):
            assert jose.decode(token, given, algorithms=[alg]).claims == {"d": 1}
        with pytest.raises(BadSignatureError):
            jose.decode(tamper(token), given, algorithms=[alg])
    assert len(store) == 2
    assert jose.encode({"alg": alg}, {"d": 2}, key, algorithms=[alg])
    other = ECKey.generate_key("P-384" if alg != "ES384" else "P-256")
    with pytest.raises(JoseError):
        jose.decode(token, other, algorithms=[alg])
    for_signing = ECKey.import_key(key.as_dict(private=False) | {"key_ops": ["sign"]})
    with pytest.raises(JoseError):
        jose.decode(token, for_signing, algorithms=[alg])


@pytest.mark.usefixtures("afterwards", "hurry")
@pytest.mark.parametrize("size", [5, 256])
def test_tokens_in_threads(size: int) -> None:
    """PyJWT and joserfc share one store; the small one holds fewer keys than there are names."""
    store = sigmill.jwt.KeyStore(size, prepare_at=2)
    sigmill.jwt.install(jwt, store)
    sigmill.jwt.register_joserfc(store)
    # Two keys on each curve, so that each token has a twin that only the key distinguishes.
    algs = [*CURVES] * 2
    keys = [ECKey.generate_key(CURVES[alg][1]) for alg in algs]
    pems = [key.as_pem(private=False) for key in keys]
    tokens = [
        jose.encode({"alg": alg}, {"n": at}, keys[at], algorithms=[alg])
        for at, alg in enumerate(algs)
    ]

    def work(number: int) -> None:
        for turn in range(16):
            at = (number + turn // 2) % len(algs)
            alg, token = [algs[at]], tokens[at]
            bad = [tamper(token), tokens[(at + len(CURVES)) % len(algs)]]
            # Objects of this turn only: other keys reuse their addresses later.
            objects: list[Any] = [pems[at], serialization.load_pem_public_key(pems[at])]
            for given in objects:
                assert jwt.decode(token, given, algorithms=alg) == {"n": at}
                for wrong in bad:
                    with pytest.raises(jwt.InvalidSignatureError):
                        jwt.decode(wrong, given, algorithms=alg)
            key = ECKey.import_key(pems[at])
            assert jose.decode(token, key, algorithms=alg).claims == {"n": at}
            for wrong in bad:
                with pytest.raises(BadSignatureError):
                    jose.decode(wrong, key, algorithms=alg)
            assert len(store) <= size + THREADS

    together(work)
    assert len(store) == size


def test_stores_are_bounded() -> None:
    store = sigmill.jwt.KeyStore(size=2, prepare_at=2)
    keys = [sigmill.SigningKey.generate("P-256").public_key() for _ in range(3)]
    for key in keys:
        assert store.get(key.to_pem(), None, lambda key=key: key) is key  # type: ignore[misc]
    assert len(store) == 2
    again = store.get(keys[2].to_pem(), None, lambda: keys[0])
    assert isinstance(again, sigmill.PreparedKey)
    assert again.verifying_key() == keys[2]
    # The first key was evicted.
    assert store.get(keys[0].to_pem(), None, lambda: keys[1]) is keys[1]
    for wrong in ({"size": 0}, {"prepare_at": 0}):
        with pytest.raises(ValueError, match="must be at least 1"):
            sigmill.jwt.KeyStore(**wrong)


def test_tokens_in_columns(engine: sigmill.Engine) -> None:
    """A gateway verifies a log of tokens."""
    key = ec.generate_private_key(ec.SECP256R1())
    tokens = [jwt.encode({"n": i}, key, algorithm="ES256") for i in range(20)]
    tokens[4] = tamper(tokens[4])
    parts = [token.rsplit(".", 1) for token in tokens]
    verdicts = engine.verify(
        "ES256",
        public_pem(key),
        messages=[head.encode() for head, _ in parts],
        signatures=[jwt.utils.base64url_decode(signature) for _, signature in parts],
        format="p1363",
    )
    assert [row for row, reason in enumerate(verdicts) if reason is not None] == [4]
    payload = jwt.utils.base64url_decode(parts[0][0].split(".")[1])
    assert json.loads(payload) == {"n": 0}
