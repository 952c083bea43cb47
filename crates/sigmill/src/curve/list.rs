//! The list of curves: every property of a curve other than its arithmetic, stated only here.

use core::fmt;
use core::str::FromStr;

use crate::error::Error;
use crate::hash::HashName;

/// A curve that this crate supports. Each variant exists if its feature is on.
///
/// Displays as the JOSE name if there is one ("P-256", "P-384", "P-521", "secp256k1"). Parses from
/// that name and from the names that SEC 2 and OpenSSL use.
///
/// ```
/// use sigmill::CurveName;
///
/// assert_eq!("prime256v1".parse(), Ok(CurveName::P256));
/// assert_eq!(CurveName::P384.to_string(), "P-384");
/// assert_eq!(CurveName::P384.field_len(), 48);
/// assert_eq!("secp256k1".parse(), Ok(CurveName::Secp256k1));
/// assert_eq!("secp521r1".parse(), Ok(CurveName::P521));
/// assert!("secp112r1".parse::<CurveName>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CurveName {
    /// NIST P-256, also prime256v1 and secp256r1 (FIPS 186-4 §D.1.2.3).
    #[cfg(feature = "p256")]
    P256,
    /// secp256k1, the curve of Bitcoin and Ethereum (SEC 2 §2.4.1).
    #[cfg(feature = "secp256k1")]
    Secp256k1,
    /// brainpoolP256r1 (RFC 5639 §3.4).
    #[cfg(feature = "brainpool-p256r1")]
    BrainpoolP256r1,
    /// NIST P-384, also secp384r1 (FIPS 186-4 §D.1.2.4).
    #[cfg(feature = "p384")]
    P384,
    /// NIST P-521, also secp521r1 (FIPS 186-4 §D.1.2.5).
    #[cfg(feature = "p521")]
    P521,
}

/// A row of the list.
struct CurveRow {
    curve: CurveName,
    /// Its name in messages: the JOSE name if there is one.
    name: &'static str,
    /// Its other names in SEC 2, in ANSI X9.62 and in OpenSSL.
    aliases: &'static [&'static str],
    /// Its JOSE algorithm, for curves that JOSE knows (RFC 7518 §3.4, RFC 8812 §3.2).
    jose_algorithm: Option<&'static str>,
    /// The object identifier, in dotted form (RFC 5480 §2.1.1.1, SEC 2 §A.2.1).
    object_identifier: &'static str,
    /// Its number in saved stores of keys. Numbers are never reused.
    #[cfg_attr(
        not(feature = "bulk"),
        allow(dead_code, reason = "only `bulk` has stores")
    )]
    store_number: u8,
    /// The hash used with it.
    hash: HashName,
    /// The length of p in bits.
    field_bits: u32,
    /// The length of n in bits.
    order_bits: u32,
    /// The number of points divided by n.
    cofactor: u32,
    /// True if no other curve, compiled in or not, has coordinates of this length. A point then
    /// identifies its curve. Cargo features do not change which keys are accepted.
    has_length_of_its_own: bool,
}

/// The curves by size; of the same size, the more common first.
const LIST: &[CurveRow] = &[
    #[cfg(feature = "p256")]
    CurveRow {
        curve: CurveName::P256,
        name: "P-256",
        aliases: &["prime256v1", "secp256r1"],
        jose_algorithm: Some("ES256"),
        object_identifier: "1.2.840.10045.3.1.7",
        store_number: 1,
        hash: HashName::Sha256,
        field_bits: 256,
        order_bits: 256,
        cofactor: 1,
        has_length_of_its_own: false,
    },
    #[cfg(feature = "secp256k1")]
    CurveRow {
        curve: CurveName::Secp256k1,
        name: "secp256k1",
        aliases: &[],
        jose_algorithm: Some("ES256K"),
        object_identifier: "1.3.132.0.10",
        store_number: 3,
        hash: HashName::Sha256,
        field_bits: 256,
        order_bits: 256,
        cofactor: 1,
        has_length_of_its_own: false,
    },
    #[cfg(feature = "brainpool-p256r1")]
    CurveRow {
        curve: CurveName::BrainpoolP256r1,
        name: "brainpoolP256r1",
        aliases: &[],
        jose_algorithm: None,
        object_identifier: "1.3.36.3.3.2.8.1.1.7",
        store_number: 4,
        hash: HashName::Sha256,
        field_bits: 256,
        order_bits: 256,
        cofactor: 1,
        has_length_of_its_own: false,
    },
    #[cfg(feature = "p384")]
    CurveRow {
        curve: CurveName::P384,
        name: "P-384",
        aliases: &["secp384r1"],
        jose_algorithm: Some("ES384"),
        object_identifier: "1.3.132.0.34",
        store_number: 2,
        hash: HashName::Sha384,
        field_bits: 384,
        order_bits: 384,
        cofactor: 1,
        has_length_of_its_own: true,
    },
    #[cfg(feature = "p521")]
    CurveRow {
        curve: CurveName::P521,
        name: "P-521",
        aliases: &["secp521r1"],
        jose_algorithm: Some("ES512"),
        object_identifier: "1.3.132.0.35",
        store_number: 5,
        hash: HashName::Sha512,
        field_bits: 521,
        order_bits: 521,
        cofactor: 1,
        has_length_of_its_own: true,
    },
];

// Each variant has its row. A cofactor of 1 justifies trust in public keys and shared secrets:
// every point on the curve except infinity has order n.
const _: () = {
    let mut i = 0;
    while i < LIST.len() {
        assert!(
            LIST[i].curve as usize == i,
            "rows stand in the order of the variants"
        );
        assert!(LIST[i].cofactor == 1, "points would need another check");
        let mut j = i + 1;
        while j < LIST.len() {
            let same = LIST[i].field_bits.div_ceil(8) == LIST[j].field_bits.div_ceil(8);
            assert!(
                !same || !(LIST[i].has_length_of_its_own || LIST[j].has_length_of_its_own),
                "two curves have coordinates of one length"
            );
            j += 1;
        }
        i += 1;
    }
};

/// Evaluates an expression with the domain parameters that a [`CurveName`] names. This is the only
/// place where a name becomes a value, whose type is that of the curve's kind.
macro_rules! for_curve {
    ($name:expr, $domain:ident => $result:expr) => {
        match $name {
            #[cfg(feature = "p256")]
            $crate::curve::CurveName::P256 => {
                let $domain = $crate::curve::P256;
                $result
            }
            #[cfg(feature = "secp256k1")]
            $crate::curve::CurveName::Secp256k1 => {
                let $domain = $crate::curve::Secp256k1;
                $result
            }
            #[cfg(feature = "brainpool-p256r1")]
            $crate::curve::CurveName::BrainpoolP256r1 => {
                let $domain = $crate::curve::NamedPrime::of($crate::curve::BrainpoolP256r1);
                $result
            }
            #[cfg(feature = "p384")]
            $crate::curve::CurveName::P384 => {
                let $domain = $crate::curve::NamedPrime::of($crate::curve::P384);
                $result
            }
            #[cfg(feature = "p521")]
            $crate::curve::CurveName::P521 => {
                let $domain = $crate::curve::NamedPrime::of($crate::curve::P521);
                $result
            }
        }
    };
}

pub(crate) use for_curve;

impl CurveName {
    /// Every curve, by size; of the same size, the more common first.
    pub const ALL: &'static [CurveName] = &{
        let mut all = [LIST[0].curve; LIST.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = LIST[i].curve;
            i += 1;
        }
        all
    };

    /// The length of the longest coordinate of any curve, in bytes.
    #[cfg(feature = "jwk")]
    pub(crate) const MAX_FIELD_LEN: usize = {
        let (mut longest, mut i) = (0, 0);
        while i < LIST.len() {
            let len = LIST[i].curve.field_len();
            longest = if len > longest { len } else { longest };
            i += 1;
        }
        longest
    };

    const fn row(self) -> &'static CurveRow {
        &LIST[self as usize]
    }

    /// Returns the name that messages use, which is the JOSE name if there is one (RFC 7518
    /// §6.2.1.1, RFC 8812 §3.1): "P-256", "P-521", "secp256k1", "brainpoolP256r1".
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Returns the other names of the curve, as SEC 2 and OpenSSL write them: "prime256v1" and
    /// "secp256r1" for P-256. [`from_str`](Self::from_str) accepts them.
    #[must_use]
    pub const fn aliases(self) -> &'static [&'static str] {
        self.row().aliases
    }

    /// Returns the member `crv` of a JWK (RFC 7518 §6.2.1.1, RFC 8812 §3.1); `None` for a curve
    /// without a JOSE name.
    #[must_use]
    pub const fn jwk_name(self) -> Option<&'static str> {
        match self.row().jose_algorithm {
            Some(_) => Some(self.as_str()),
            None => None,
        }
    }

    /// Returns the JOSE algorithm for the curve and its hash (RFC 7518 §3.4, RFC 8812 §3.2):
    /// "ES256" for P-256; `None` for a curve without a JOSE name.
    #[must_use]
    pub const fn jose_algorithm(self) -> Option<&'static str> {
        self.row().jose_algorithm
    }

    /// Returns the object identifier in dotted form: "1.2.840.10045.3.1.7" for P-256.
    #[must_use]
    pub const fn object_identifier(self) -> &'static str {
        self.row().object_identifier
    }

    /// Returns the number of the curve in saved stores of keys.
    #[cfg(feature = "bulk")]
    pub(crate) const fn store_number(self) -> u8 {
        self.row().store_number
    }

    /// Returns the hash used with the curve.
    pub(crate) const fn default_hash(self) -> HashName {
        self.row().hash
    }

    /// Returns the length of the prime p in bits.
    #[must_use]
    pub const fn field_bits(self) -> u32 {
        self.row().field_bits
    }

    /// Returns the length of the order n in bits.
    #[must_use]
    pub const fn order_bits(self) -> u32 {
        self.row().order_bits
    }

    /// Returns the length in bytes of one coordinate of a point, and of a secret of ECDH: 48 for
    /// P-384, 66 for P-521, otherwise 32.
    #[must_use]
    pub const fn field_len(self) -> usize {
        self.field_bits().div_ceil(8) as usize
    }

    /// Returns true if a point of this length can only be on this curve.
    pub(crate) const fn has_length_of_its_own(self) -> bool {
        self.row().has_length_of_its_own
    }

    /// Returns the length in bytes of a private key, and of r and of s: 48 for P-384, 66 for P-521,
    /// otherwise 32. On other curves it may differ from [`field_len`](Self::field_len).
    #[must_use]
    pub const fn order_len(self) -> usize {
        self.order_bits().div_ceil(8) as usize
    }
}

impl fmt::Display for CurveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for CurveName {
    type Err = Error;

    /// Accepts the displayed name or one of the [`aliases`](Self::aliases), in exactly their
    /// spelling.
    ///
    /// # Errors
    /// Returns [`Error::UnknownCurve`] for every other text.
    fn from_str(name: &str) -> Result<Self, Error> {
        let is_named = |row: &&CurveRow| row.name == name || row.aliases.contains(&name);
        let found = LIST.iter().find(is_named).map(|row| row.curve);
        found.ok_or(Error::UnknownCurve)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;
    use crate::curve::{Curve as _, Domain as _, NamedCurve as _};
    use crate::field::PrimeField as _;

    #[test]
    fn the_types_say_the_same() {
        for &curve in CurveName::ALL {
            for_curve!(curve, domain => {
                assert_eq!(domain.name(), curve);
                let on = domain.curve();
                assert_eq!(on.label(), curve.as_str());
                assert_eq!(on.base_field().bits(), curve.field_bits());
                assert_eq!(on.base_field().bytes(), curve.field_len());
                assert_eq!(on.scalar_field().bits(), curve.order_bits());
                assert_eq!(on.scalar_field().bytes(), curve.order_len());
            });
        }
    }

    #[test]
    fn no_name_and_no_number_stands_twice() {
        let mut names: Vec<_> = LIST.iter().map(|row| row.name).collect();
        names.extend(LIST.iter().flat_map(|row| row.aliases));
        names.extend(LIST.iter().map(|row| row.object_identifier));
        names.extend(LIST.iter().filter_map(|row| row.jose_algorithm));
        let mut numbers: Vec<_> = LIST.iter().map(|row| row.store_number).collect();
        let counts = (names.len(), numbers.len());
        names.sort_unstable();
        names.dedup();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!((names.len(), numbers.len()), counts);
    }

    #[test]
    fn every_name_parses() {
        for &curve in CurveName::ALL {
            assert_eq!(curve.to_string().parse(), Ok(curve));
            for alias in curve.aliases() {
                assert_eq!(alias.parse(), Ok(curve));
            }
            assert!(curve.jwk_name().is_none_or(|name| name == curve.as_str()));
        }
        assert_eq!("prime256v1".parse(), Ok(CurveName::P256));
        assert_eq!("secp256r1".parse(), Ok(CurveName::P256));
        assert_eq!("secp384r1".parse(), Ok(CurveName::P384));
    }

    #[test]
    fn rejects_other_names_and_spellings() {
        for name in ["", "P256", "p-256", "P521", "SECP256K1", "K-256", " P-256"] {
            assert_eq!(name.parse::<CurveName>(), Err(Error::UnknownCurve));
        }
    }

    #[test]
    fn display_honours_width() {
        assert_eq!(alloc::format!("{:>7}", CurveName::P256), "  P-256");
    }
}
