//! Keys and signatures that the fuzzer builds.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;
use std::rc::Rc;

use arbitrary::Arbitrary;

use super::LIBRARIES;
use super::evp::Key;

/// The object identifiers of curves, with the lengths of their orders. The first ones are ours.
pub(crate) const CURVES: [(&[u8], usize); 9] = [
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7], 32), // P-256
    (&[0x2b, 0x81, 4, 0, 34], 48),                  // P-384
    (&[0x2b, 0x81, 4, 0, 35], 66),                  // P-521
    (&[0x2b, 0x81, 4, 0, 10], 32),                  // secp256k1
    (&[0x2b, 0x24, 3, 3, 2, 8, 1, 1, 7], 32),       // brainpoolP256r1
    (&[0x2b, 0x24, 3, 3, 2, 8, 1, 1, 8], 32),       // brainpoolP256t1
    (&[0x2b, 0x24, 3, 3, 2, 8, 1, 1, 11], 48),      // brainpoolP384r1
    (&[0x2b, 0x81, 4, 0, 33], 28),                  // P-224
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 1], 24), // P-192
];
pub(crate) const OUR_CURVES: usize = 5;

/// The first ones are hashes that the provider has.
pub(crate) const HASHES: [&CStr; 14] = [
    c"SHA1",
    c"SHA224",
    c"SHA256",
    c"SHA384",
    c"SHA512",
    c"SHA512-224",
    c"SHA512-256",
    c"SHA3-224",
    c"SHA3-256",
    c"SHA3-384",
    c"SHA3-512",
    c"MD5",
    c"SM3",
    c"BLAKE2S-256",
];
pub(crate) const OUR_HASHES: usize = 11;

#[derive(Arbitrary, Debug)]
pub(crate) enum AnyKey<'a> {
    /// A key that the fuzzer knows, with the form of its point.
    Whole {
        curve: u8,
        which: u8,
        form: u8,
    },
    /// The same, with some bytes changed by exclusive or.
    Changed {
        curve: u8,
        which: u8,
        form: u8,
        changes: Vec<(u8, u8)>,
    },
    Private {
        curve: u8,
        which: u8,
        changes: Vec<(u8, u8)>,
    },
    Spki(&'a [u8]),
    PrivateDer(&'a [u8]),
    /// A private key with a public key that may belong to another one.
    Pair {
        curve: u8,
        which: u8,
        others: u8,
        form: u8,
    },
    /// A point of any bytes.
    Point {
        curve: u8,
        point: &'a [u8],
    },
}

#[derive(Arbitrary, Debug)]
pub(crate) enum AnySignature<'a> {
    Whole,
    Changed(Vec<(u8, u8)>),
    Cut(u8),
    Longer(&'a [u8]),
    /// The contents of two integers.
    Integers(&'a [u8], &'a [u8]),
    /// The right integers, in an encoding that is not DER.
    Ber(u8),
    Bytes(&'a [u8]),
}

/// Encodes a value in DER.
fn tagged(tag: u8, value: &[u8]) -> Vec<u8> {
    let length = value.len();
    let mut der = vec![tag];
    match length {
        0..0x80 => der.push(length as u8),
        0x80..0x100 => der.extend([0x81, length as u8]),
        _ => der.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    der.extend(value);
    der
}

/// Returns a private key (RFC 5915) without its public key, which OpenSSL computes.
fn private_key(curve: u8, which: u8) -> Vec<u8> {
    with_public_key(curve, which, None)
}

/// Returns a private key with a public key, which OpenSSL accepts unchecked.
fn with_public_key(curve: u8, which: u8, point: Option<&[u8]>) -> Vec<u8> {
    let (oid, length) = CURVES[usize::from(curve) % CURVES.len()];
    let mut scalar = vec![0x35 + which % 4; length];
    scalar[0] = 0;
    // Small keys are next to special cases of sums: 1 and n - 1 have the same x.
    if which.is_multiple_of(4) {
        scalar.fill(0);
        scalar[length - 1] = 1 + which / 4 % 4;
    }
    let parts = [
        tagged(2, &[1]),
        tagged(4, &scalar),
        tagged(0xa0, &tagged(6, oid)),
        point.map_or(vec![], |point| {
            tagged(0xa1, &tagged(3, &[&[0][..], point].concat()))
        }),
    ];
    tagged(0x30, &parts.concat())
}

/// Returns the SPKI of a point.
fn spki(curve: u8, point: &[u8]) -> Vec<u8> {
    let (oid, _) = CURVES[usize::from(curve) % CURVES.len()];
    let ec = tagged(6, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]);
    let algorithm = tagged(0x30, &[ec, tagged(6, oid)].concat());
    let point = tagged(3, &[&[0][..], point].concat());
    tagged(0x30, &[algorithm, point].concat())
}

/// A key that the fuzzer knows, as the stock library represents it.
pub(crate) struct Known {
    private: Vec<u8>,
    /// Its point in uncompressed form.
    point: Vec<u8>,
    /// The public key with explicit parameters in place of the curve's name.
    explicit: Vec<u8>,
    pub(crate) key: Key<'static>,
}

/// Returns the key of this name, created once: OpenSSL needs some time to compute the public part.
fn known(curve: u8, which: u8) -> Rc<Known> {
    thread_local! {
        static KNOWN: RefCell<HashMap<Vec<u8>, Rc<Known>>> = RefCell::default();
    }
    let private = private_key(curve, which);
    let make = || {
        let (_, length) = CURVES[usize::from(curve) % CURVES.len()];
        let key = LIBRARIES[0].key(&private, true).unwrap();
        let der = key.spki();
        let point = der[der.len() - 1 - 2 * length..].to_vec();
        assert_eq!(point[0], 4);
        let explicit = LIBRARIES[0].key(&private, true).unwrap().explicit_spki();
        let private = private.clone();
        Rc::new(Known {
            private,
            point,
            explicit,
            key,
        })
    };
    KNOWN.with_borrow_mut(|keys| keys.entry(private.clone()).or_insert_with(make).clone())
}

impl Known {
    /// Returns the point: uncompressed, compressed, hybrid, or hybrid with the parity of the other
    /// one.
    fn point(&self, form: u8) -> Vec<u8> {
        let coordinates = &self.point[1..];
        let parity = self.point[self.point.len() - 1] & 1;
        match form % 4 {
            0 => self.point.clone(),
            1 => [&[2 + parity], &coordinates[..coordinates.len() / 2]].concat(),
            2 => [&[6 + parity], coordinates].concat(),
            _ => [&[7 - parity], coordinates].concat(),
        }
    }

    /// Returns the public key, with its point in some form or with explicit parameters.
    fn spki(&self, curve: u8, form: u8) -> Vec<u8> {
        match form % 5 {
            4 => self.explicit.clone(),
            form => spki(curve, &self.point(form)),
        }
    }
}

fn change(bytes: &mut [u8], changes: &[(u8, u8)]) {
    for (at, with) in changes.iter().take(8) {
        let length = bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(usize::from(*at) % length) {
            *byte ^= with;
        }
    }
}

impl AnyKey<'_> {
    /// Returns the DER, whether it is private, and the known key that it is or was created from.
    pub(crate) fn der(&self) -> (Vec<u8>, bool, Option<Rc<Known>>) {
        match *self {
            Self::Whole { curve, which, form } => {
                let known = known(curve, which);
                (known.spki(curve, form), false, Some(known))
            }
            Self::Changed {
                curve,
                which,
                form,
                ref changes,
            } => {
                let known = known(curve, which);
                let mut der = known.spki(curve, form);
                change(&mut der, changes);
                (der, false, Some(known))
            }
            Self::Private {
                curve,
                which,
                ref changes,
            } => {
                let known = known(curve, which);
                let mut der = known.private.clone();
                change(&mut der, changes);
                (der, true, Some(known))
            }
            Self::Pair {
                curve,
                which,
                others,
                form,
            } => {
                let known = (known(curve, which), known(curve, others));
                let point = known.1.point(form);
                let der = with_public_key(curve, which, Some(&point));
                (der, true, Some(known.0))
            }
            Self::Spki(der) => (der.to_vec(), false, None),
            Self::PrivateDer(der) => (der.to_vec(), true, None),
            Self::Point { curve, point } => (spki(curve, point), false, None),
        }
    }
}

/// Returns the first value of some DER with less than 256 bytes: its contents, and the rest.
fn first_value(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = match der {
        [_, 0x81, length, rest @ ..] => (*length, rest),
        [_, length, rest @ ..] if *length < 0x80 => (*length, rest),
        _ => return None,
    };
    rest.split_at_checked(length.into())
}

/// Returns a signature in an encoding that is not DER, or of other integers.
fn ber(whole: &[u8], kind: u8) -> Option<Vec<u8>> {
    let integers = first_value(whole)?.0;
    let (r, rest) = first_value(integers)?;
    let (s, _) = first_value(rest)?;
    let sequence = |parts: [&[u8]; 2]| tagged(0x30, &parts.concat());
    let [r_der, s_der] = [r, s].map(|integer| tagged(2, integer));
    // A length in two bytes where one suffices, or one after 81.
    let long = |tag: u8, value: &[u8]| [&[tag, 0x82, 0, value.len() as u8], value].concat();
    Some(match kind % 10 {
        0 => long(0x30, integers),
        1 => sequence([&long(2, r), &s_der]),
        2 => sequence([&r_der, &long(2, s)]),
        // Ended by two zeros.
        3 => [&[0x30, 0x80], integers, &[0, 0]].concat(),
        4 => sequence([&tagged(2, &[&[0], r].concat()), &s_der]),
        5 => sequence([&r_der, &tagged(2, &[&[0], s].concat())]),
        // Negative, if the first byte is a zero for the sign.
        6 => sequence([&tagged(2, r.strip_prefix(&[0]).unwrap_or(r)), &s_der]),
        7 => sequence([&s_der, &r_der]),
        // One integer too many, and a value after the end.
        8 => tagged(0x30, &[integers, &tagged(2, &[1])].concat()),
        _ => [whole, &tagged(5, &[])].concat(),
    })
}

impl AnySignature<'_> {
    pub(crate) fn der(&self, whole: &[u8]) -> Vec<u8> {
        let mut signature = whole.to_vec();
        match self {
            Self::Whole => {}
            Self::Changed(changes) => change(&mut signature, changes),
            Self::Cut(length) => signature.truncate(usize::from(*length)),
            Self::Longer(more) => signature.extend_from_slice(more),
            Self::Integers(r, s) => {
                signature = tagged(0x30, &[tagged(2, r), tagged(2, s)].concat());
            }
            Self::Ber(kind) => signature = ber(whole, *kind).unwrap_or_default(),
            Self::Bytes(bytes) => signature = bytes.to_vec(),
        }
        signature
    }
}
