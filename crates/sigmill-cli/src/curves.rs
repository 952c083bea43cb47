//! Names of curves for users: in arguments, messages and help texts.

use sigmill::{Algorithm, CurveName};

/// Returns the curve of this name. An error lists the possible names.
pub(crate) fn parse(name: &str) -> Result<CurveName, String> {
    let curve = name.parse();
    curve.map_err(|_| format!("must be {}", one_of(&[])))
}

/// Returns the algorithm of this name. An error has examples.
pub(crate) fn parse_algorithm(name: &str) -> Result<Algorithm, String> {
    name.parse()
        .map_err(|e: sigmill::Error| format!("{e} (examples: ES256, ES256K, P-384-SHA256)"))
}

/// Lists the curves as `P-256, secp256k1 or P-384`, followed by the names in `more`.
pub(crate) fn one_of(more: &[&str]) -> String {
    let names = CurveName::ALL.iter().map(|curve| curve.to_string());
    enumeration(names, more, "or")
}

/// Lists the curves as `P-256, secp256k1 and P-384`.
pub(crate) fn all() -> String {
    enumeration(CurveName::ALL.iter().map(ToString::to_string), &[], "and")
}

/// Like [`one_of`], with the aliases of each curve: `P-256 (also prime256v1, secp256r1)`.
pub(crate) fn one_of_with_aliases(more: &[&str]) -> String {
    let names = CurveName::ALL.iter().map(|curve| match curve.aliases() {
        [] => curve.to_string(),
        aliases => format!("{curve} (also {})", aliases.join(", ")),
    });
    enumeration(names, more, "or")
}

fn enumeration(names: impl Iterator<Item = String>, more: &[&str], conjunction: &str) -> String {
    let mut names: Vec<String> = names.chain(more.iter().map(ToString::to_string)).collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} {conjunction} {last}", names.join(", ")),
        last => last.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_lists() {
        let list = |names: &[&str]| {
            let owned = names.iter().map(ToString::to_string);
            enumeration(owned, &["X25519"], "or")
        };
        assert_eq!(list(&[]), "X25519");
        assert_eq!(list(&["P-256"]), "P-256 or X25519");
        assert_eq!(list(&["P-256", "P-384"]), "P-256, P-384 or X25519");
    }

    #[test]
    fn every_name_is_taken_and_told() {
        let error = parse("P-257").unwrap_err();
        for &curve in CurveName::ALL {
            for name in [curve.as_str()].iter().chain(curve.aliases()) {
                assert_eq!(parse(name), Ok(curve));
                assert!(one_of_with_aliases(&[]).contains(name));
            }
            assert!(error.contains(curve.as_str()), "{error}");
            assert!(all().contains(curve.as_str()));
        }
    }
}
