//! Keys and signatures that the fuzzer puts together.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;
use std::rc::Rc;

use arbitrary::Arbitrary;

use super::LIBRARIES;
use super::evp::Key;

/// The object identifiers of curves with the lengths of their orders; the first are ours.
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

/// The first are hashes that the provider has.
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
    /// The same with bytes changed by exclusive or.
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
    Bytes(&'a [u8]),
}

/// A value of DER.
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

/// A private key (RFC 5915) without its public key, which OpenSSL computes.
fn private_key(curve: u8, which: u8) -> Vec<u8> {
    let (oid, length) = CURVES[usize::from(curve) % CURVES.len()];
    let mut scalar = vec![0x35 + which % 4; length];
    scalar[0] = 0;
    // Small ones are next to special cases of sums: 1 and n - 1 have the same x.
    if which.is_multiple_of(4) {
        scalar.fill(0);
        scalar[length - 1] = 1 + which / 4 % 4;
    }
    let parts = [
        tagged(2, &[1]),
        tagged(4, &scalar),
        tagged(0xa0, &tagged(6, oid)),
    ];
    tagged(0x30, &parts.concat())
}

/// SPKI of a point.
fn spki(curve: u8, point: &[u8]) -> Vec<u8> {
    let (oid, _) = CURVES[usize::from(curve) % CURVES.len()];
    let ec = tagged(6, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]);
    let algorithm = tagged(0x30, &[ec, tagged(6, oid)].concat());
    let point = tagged(3, &[&[0][..], point].concat());
    tagged(0x30, &[algorithm, point].concat())
}

/// A key that the fuzzer knows, as the stock library has it.
pub(crate) struct Known {
    private: Vec<u8>,
    /// Its point in uncompressed form.
    point: Vec<u8>,
    pub(crate) key: Key<'static>,
}

/// The key of this name, which is made once: OpenSSL takes its time to compute the public part.
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
        let private = private.clone();
        Rc::new(Known {
            private,
            point,
            key,
        })
    };
    KNOWN.with_borrow_mut(|keys| keys.entry(private.clone()).or_insert_with(make).clone())
}

impl Known {
    /// The public key; its point uncompressed, compressed or hybrid.
    fn spki(&self, curve: u8, form: u8) -> Vec<u8> {
        let coordinates = &self.point[1..];
        let parity = self.point[self.point.len() - 1] & 1;
        match form % 3 {
            0 => spki(curve, &self.point),
            1 => {
                let x = &coordinates[..coordinates.len() / 2];
                spki(curve, &[&[2 + parity], x].concat())
            }
            _ => spki(curve, &[&[6 + parity], coordinates].concat()),
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
    /// As DER, whether it is private, and the known key that it is, or was made from.
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
            Self::Spki(der) => (der.to_vec(), false, None),
            Self::PrivateDer(der) => (der.to_vec(), true, None),
            Self::Point { curve, point } => (spki(curve, point), false, None),
        }
    }
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
            Self::Bytes(bytes) => signature = bytes.to_vec(),
        }
        signature
    }
}
