//! Choices by name.

use pyo3::prelude::*;
use sigmill::{
    Algorithm, CurveName, Error, HashName, Hint, Policy, RecoveryId, SignatureFormat, VerifyOptions,
};

use crate::errors;

/// A curve by any of its names: "P-256", "secp256r1", "prime256v1".
pub(crate) fn curve(py: Python<'_>, name: &str) -> PyResult<CurveName> {
    name.parse().map_err(|error| errors::error(py, error))
}

/// An algorithm: "ES256", or a curve with a hash: "P-256-SHA512".
pub(crate) fn algorithm(py: Python<'_>, name: &str) -> PyResult<Algorithm> {
    name.parse().map_err(|error| errors::error(py, error))
}

/// A hash by name, with or without a hyphen, in any case; by default the hash of the curve.
pub(crate) fn hash(py: Python<'_>, name: Option<&str>, curve: CurveName) -> PyResult<HashName> {
    let Some(name) = name else {
        return Ok(curve.default_algorithm().hash);
    };
    let plain = |name: &str| name.replace('-', "").to_ascii_uppercase();
    let found = HashName::ALL
        .iter()
        .find(|hash| plain(hash.as_str()) == plain(name));
    found.copied().ok_or_else(|| {
        let rule = format!("must be SHA-256, SHA-384 or SHA-512, not {name:?}");
        errors::column(py, "hash", &rule)
    })
}

/// The encoding of signatures: "der", "p1363" or "auto".
pub(crate) fn format(py: Python<'_>, name: &str) -> PyResult<SignatureFormat> {
    name.parse()
        .map_err(|error: Error| errors::error(py, error))
}

/// The rules beyond the equation, by name.
pub(crate) fn policy(py: Python<'_>, name: &str) -> PyResult<Policy> {
    Ok(match name {
        "default" => Policy::default(),
        "low-s" => Policy::LOW_S,
        "friendly" => Policy::FRIENDLY,
        "ethereum-precompile" => Policy::ETHEREUM_PRECOMPILE,
        "ethereum-transaction" => Policy::ETHEREUM_TRANSACTION,
        _ => {
            let rule = format!(
                "must be default, low-s, friendly, ethereum-precompile or ethereum-transaction, \
                 not {name:?}"
            );
            return Err(errors::column(py, "policy", &rule));
        }
    })
}

/// The options of a verification: a policy, and a recovery id as a hint.
pub(crate) fn verify_options(
    py: Python<'_>,
    policy: &str,
    hint: Option<u8>,
) -> PyResult<VerifyOptions<'static>> {
    let options = VerifyOptions::new().policy(self::policy(py, policy)?);
    let Some(id) = hint else {
        return Ok(options);
    };
    let id = RecoveryId::from_byte(id).map_err(|error| errors::error(py, error))?;
    Ok(options.hint(Hint::Id(id)))
}
