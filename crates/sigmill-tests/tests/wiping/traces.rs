//! The forms of secrets in memory.

use num_bigint::BigUint;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::KeyParts as _;
use sigmill::hazmat::curve::{
    BaseElement, Curve, Domain, ExtendedPoint, Group, NamedCurve, ScalarLanesOf, SecretLanesOf,
    SecretLanesOperation,
};
use sigmill::hazmat::field::{Limbs, PrimeField};
use sigmill::hazmat::multiply::{base_mul, base_mul_spread, variable_base_mul};
use sigmill::keys::SigningKey;
use sigmill::{HashName, Input, SignOptions};

use sigmill_tests::numbers::{big, from_hex, from_limbs, invert, to_bytes};
use sigmill_tests::referee::digest_integer;

use super::operations::{certificate, coordinate, digest, peer};

/// A name, and the bytes of a secret in one form.
pub(super) type Trace = (String, Vec<u8>);

/// A string as it is.
pub(super) fn string(name: &str, bytes: &[u8]) -> Vec<Trace> {
    vec![(name.to_owned(), bytes.to_vec())]
}

/// The forms of an integer modulo m in fields: in Montgomery form (single values, and lanes) or
/// not, in limbs of every length in use, or big-endian.
fn residue(name: &str, value: &BigUint, m: &BigUint) -> Vec<Trace> {
    let mut traces = vec![];
    // R is 1, 2^(64 N) for single values, 2^(52 L) in lanes, and 2^261 in lanes of 29-bit limbs.
    // Those limbs are too short to distinguish from small numbers.
    let bits = m.bits();
    let in_lanes = [52 * (bits + 4).div_ceil(52), 261];
    for r in [0, 64 * bits.div_ceil(64)].into_iter().chain(in_lanes) {
        let value: BigUint = (value << r) % m;
        // An element modulo 2^255 - 19 is any integer below 2^256 with the residue; modulo another
        // prime it can be above the prime in lanes, in limbs of 52 bits.
        let values = [&value, &(&value + m)];
        let forms = |is_either: bool| &values[..1 + usize::from(is_either)];
        for radix in [64, 62, 52, 51] {
            for &value in forms(bits == 255 || (radix == 52 && m.bit(0))) {
                let count = bits.div_ceil(radix);
                let limbs = (0..count).flat_map(|i| {
                    let limb: BigUint = (value >> (i * radix)) % (big(1) << radix);
                    limb.iter_u64_digits().next().unwrap_or(0).to_le_bytes()
                });
                traces.push((format!("{name} 2^{r}, limbs of {radix}"), limbs.collect()));
            }
        }
        for &value in forms(bits == 255) {
            let bytes = to_bytes(value, 8 * bits.div_ceil(64) as usize);
            traces.push((format!("{name} 2^{r}, bytes"), bytes));
        }
    }
    traces
}

/// A scalar and its negative, one of which is odd.
fn scalar(name: &str, value: &BigUint, n: &BigUint) -> Vec<Trace> {
    [
        residue(name, value, n),
        residue(&format!("n - {name}"), &(n - value), n),
    ]
    .concat()
}

fn order<C: Domain + Default>() -> BigUint {
    from_limbs(C::default().curve().scalar_field().modulus().as_ref())
}

fn prime<C: Domain + Default>() -> BigUint {
    from_limbs(C::default().curve().base_field().modulus().as_ref())
}

/// k G, spread over the lanes of this machine.
struct Spread<'a, C: Curve>(&'a C::Integer);

impl<C: Curve> SecretLanesOperation<C> for Spread<'_, C> {
    type Output = ExtendedPoint<C::BaseElement>;

    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        lanes: L,
        order: S,
    ) -> Self::Output {
        let group = Group::new(curve, lanes.single());
        *base_mul_spread(&Group::wide(curve, lanes), &group, order.single(), self.0)
    }
}

fn integer<I: Limbs>(value: &BigUint) -> I {
    let mut integer = I::ZERO;
    for (limb, digit) in integer.as_mut().iter_mut().zip(value.iter_u64_digits()) {
        *limb = digit;
    }
    integer
}

/// The coordinates of k G, with the powers of Z and their inverses.
fn base<C: Domain + Default>(name: &str, k: &BigUint) -> Vec<Trace> {
    let curve = C::default().curve();
    let group = Group::new(curve, curve.base_field());
    let multiple = base_mul(&group, curve.scalar_field(), &integer(k));
    let mut traces = coordinates::<C>(name, &multiple);
    let multiple = curve.dispatch_secret_lanes(Spread(&integer(k)));
    traces.extend(coordinates::<C>(&format!("{name} spread"), &multiple));
    traces
}

/// The coordinates of a multiple by a secret, with the powers of Z and their inverses.
fn coordinates<C: Domain + Default>(
    name: &str,
    multiple: &ExtendedPoint<BaseElement<C>>,
) -> Vec<Trace> {
    let (p, field) = (prime::<C>(), C::default().curve().base_field());
    let mut traces = vec![];
    let [x, y, zz, zzz] = [&multiple.x, &multiple.y, &multiple.zz, &multiple.zzz]
        .map(|coordinate| from_limbs(field.to_integer(coordinate).as_ref()));
    let zzz_inverse = invert(&zzz, &p);
    let values = [
        ("X", x),
        ("Y", y),
        ("1/Z", &zz * &zzz_inverse % &p),
        ("1/Z^2", invert(&zz, &p)),
        ("1/Z^3", zzz_inverse),
        ("Z^2", zz),
        ("Z^3", zzz),
    ];
    for (coordinate, value) in values {
        traces.extend(residue(&format!("{coordinate} of {name}"), &value, &p));
    }
    traces
}

/// A private key d, and d G.
pub(super) fn key<C: Domain + Default>(d: &[u8]) -> Vec<Trace> {
    let d = BigUint::from_bytes_be(d);
    [scalar("d", &d, &order::<C>()), base::<C>("d G", &d)].concat()
}

/// The nonce of the signature of a row, and values computed with it.
pub(super) fn nonce<C: NamedCurve + Default>(d: &[u8], row: usize) -> Vec<Trace> {
    let key = SigningKey::<C>::from_be_bytes(d).unwrap();
    nonce_of(d, row, key.sign_prehash(&digest(row)).unwrap())
}

/// The same with the nonce from a generator with this hash and entropy, including the generator's
/// state.
pub(super) fn nonce_by<C: NamedCurve + Default>(
    d: &[u8],
    hash: HashName,
    entropy: &[u8],
) -> Vec<Trace> {
    let key = SigningKey::<C>::from_be_bytes(d).unwrap();
    let options = SignOptions::new().hash(hash).entropy(entropy);
    let signed = key.sign_with(Input::Digest(&digest(0)), &options);
    let traces = nonce_of(d, 0, signed.unwrap().0);
    let (of_generator, t) = generator::<C>(d, hash, entropy);
    // If the first candidate is below n, it is the nonce: so these are the right traces.
    let n = order::<C>();
    let candidate = BigUint::from_bytes_be(&t[..d.len()]) >> (8 * d.len() as u64 - n.bits());
    let bytes = to_bytes(&candidate, 8 * n.bits().div_ceil(64) as usize);
    assert!(candidate >= n || traces.iter().any(|(_, trace)| *trace == bytes));
    [traces, of_generator].concat()
}

/// Keys and values of the generator of the first nonce of row 0, from step d of RFC 6979 §3.2 on:
/// as strings, and as words of the hash. Also T, from which the nonce is taken.
fn generator<C: NamedCurve + Default>(
    d: &[u8],
    hash: HashName,
    entropy: &[u8],
) -> (Vec<Trace>, Vec<u8>) {
    let (block, word) = match hash {
        HashName::Sha256 => (64, 4),
        _ => (128, 8),
    };
    let hmac = |key: &[u8], message: &[u8]| {
        let pad = |byte: u8| (0..block).map(move |i| byte ^ key.get(i).copied().unwrap_or(0));
        let inner: Vec<u8> = pad(0x36).chain(message.iter().copied()).collect();
        let outer: Vec<u8> = pad(0x5c).chain(hash.digest(&inner).to_vec()).collect();
        hash.digest(&outer).to_vec()
    };
    let h1 = to_bytes(&digest_integer(&digest(0), &order::<C>()), d.len());
    let seed = [d, &h1, entropy].concat();
    let (mut k, mut v) = (vec![0; hash.output_len()], vec![1; hash.output_len()]);
    let mut traces = vec![];
    let mut add = |name: String, value: &[u8]| {
        let words: Vec<u8> = value
            .chunks(word)
            .flat_map(|word| word.iter().rev().copied())
            .collect();
        traces.extend(string(&format!("{name}, words"), &words));
        traces.extend(string(&name, value));
    };
    for step in [0, 1] {
        k = hmac(&k, &[&v[..], &[step], &seed].concat());
        v = hmac(&k, &v);
        add(format!("K {step}"), &k);
        add(format!("V {step}"), &v);
    }
    let mut t = vec![];
    while t.len() < d.len() {
        v = hmac(&k, &v);
        add(format!("V at {} of T", t.len()), &v);
        t.extend(&v);
    }
    (traces, t)
}

fn nonce_of<C: NamedCurve + Default>(d: &[u8], row: usize, signature: Signature<C>) -> Vec<Trace> {
    let n = order::<C>();
    let signature = signature.to_p1363();
    let (r, s) = signature.split_at(signature.len() / 2);
    let [d, r, s] = [d, r, s].map(BigUint::from_bytes_be);
    let r_d = &r * d % &n;
    let sum = (digest_integer(&digest(row), &n) + &r_d) % &n;
    // s = (e + r d) / k.
    let k = &sum * invert(&s, &n) % &n;
    let mut traces = scalar("k", &k, &n);
    traces.extend(residue("1/k", &invert(&k, &n), &n));
    traces.extend(residue("r d", &r_d, &n));
    traces.extend(residue("e + r d", &sum, &n));
    traces.extend(base::<C>("k G", &k));
    traces
}

/// A secret scalar d, and the secret shared with the peer.
pub(super) fn agreement<C: NamedCurve + Default>(d: &[u8]) -> Vec<Trace> {
    let scalar = sigmill::keys::SecretScalar::<C>::from_be_bytes(d).unwrap();
    let shared = sigmill::agreement::diffie_hellman(&scalar, &peer());
    let hash = sigmill::agreement::diffie_hellman_sha256(&scalar, &peer());
    let mut traces = key::<C>(d);
    let x = BigUint::from_bytes_be(shared.as_bytes());
    traces.extend(residue("x of d Q", &x, &prime::<C>()));
    traces.extend(string("the hash of d Q", hash.as_bytes()));
    let d = BigUint::from_bytes_be(d);
    let curve = C::default().curve();
    let group = Group::new(curve, curve.base_field());
    let peer = peer::<C>();
    let multiple = variable_base_mul(&group, curve.scalar_field(), &integer(&d), peer.as_affine());
    traces.extend(coordinates::<C>("d Q", &multiple));
    traces
}

/// A short integer, by its two lowest limbs, which no other numbers resemble.
fn low_limbs(name: &str, value: &BigUint) -> Vec<Trace> {
    let low: BigUint = value % (big(1) << 128);
    let limbs: Vec<u8> = low.iter_u64_digits().flat_map(u64::to_le_bytes).collect();
    string(name, &limbs)
}

/// A secret scalar d, the weight of a certificate, and values computed with it.
pub(super) fn with_certificate<C: NamedCurve + Default>(d: &[u8], weight: &[u8]) -> Vec<Trace> {
    let n = order::<C>();
    let (weight, start) = weight[..32].split_at(16);
    let start = BigUint::from_bytes_be(start) * 2u32 + 1u32;
    let l = BigUint::from_bytes_be(weight) * 2u32 + 1u32;
    let signature = certificate::<C>().0.to_p1363();
    let (r, s) = signature.split_at(signature.len() / 2);
    let [r, s] = [r, s].map(BigUint::from_bytes_be);
    let l_w = &l * invert(&s, &n) % &n;
    let l_u1 = digest_integer(&digest(0), &n) * &l_w % &n;
    let mut traces = agreement::<C>(d);
    traces.extend(string("the weight as drawn", weight));
    traces.extend(low_limbs("the weight", &l));
    traces.extend(scalar("weight u2", &(r * l_w % &n), &n));
    traces.extend(scalar("weight u1", &l_u1, &n));
    traces.extend(low_limbs("start", &start));
    // Window 5: the start is doubled this number of times.
    let blinding = (start << (5 * (n.bits().div_ceil(5) - 1))) % &n;
    traces.extend(residue("blinding", &blinding, &n));
    let rest = (l_u1 + &n - blinding) % &n;
    traces.extend(scalar("rest", &rest, &n));
    traces.extend(base::<C>("rest G", &rest));
    traces
}

/// A secret scalar d, static and ephemeral, and the secret shared by ECMQV with the peer, whose two
/// keys are the same.
pub(super) fn ecmqv<C: NamedCurve + Default>(d: &[u8]) -> Vec<Trace> {
    let n = order::<C>();
    let half = big(1) << n.bits().div_ceil(2);
    let value = |x: &[u8]| BigUint::from_bytes_be(x) % &half + &half;
    let scalar_of = |d| sigmill::keys::SecretScalar::<C>::from_be_bytes(d).unwrap();
    let own = value(&scalar_of(d).public_key().to_coordinates().0);
    let theirs = value(&peer::<C>().to_coordinates().0);
    let product = own * BigUint::from_bytes_be(d) % &n;
    let s = (BigUint::from_bytes_be(d) + &product) % &n;
    let k = &s * (big(1) + &theirs) % &n;
    let shared = sigmill::agreement::diffie_hellman(
        &scalar_of(&to_bytes(&k, C::default().name().order_len())),
        &peer(),
    );
    let x = BigUint::from_bytes_be(shared.as_bytes());
    let mut traces = key::<C>(d);
    traces.extend(residue("avf d", &product, &n));
    traces.extend(scalar("s", &s, &n));
    traces.extend(scalar("s avf", &(&s * theirs % &n), &n));
    traces.extend(residue("x", &x, &prime::<C>()));
    traces
}

/// A secret of X25519, and the secret shared with the peer of a row.
pub(super) fn x25519(secret: &[u8], row: Option<usize>) -> Vec<Trace> {
    let p = (big(1) << 255) - 19u32;
    let mut bytes: [u8; 32] = secret.try_into().unwrap();
    let mut traces = string("secret", &bytes);
    bytes[0] &= 248;
    bytes[31] = bytes[31] & 127 | 64;
    let k = BigUint::from_bytes_le(&bytes);
    traces.extend(residue("clamped", &k, &(big(1) << 255)));
    traces.extend(residue("changes", &(&k ^ (&k >> 1)), &(big(1) << 255)));
    let u = match row {
        Some(row) => BigUint::from_bytes_le(&coordinate(row)) % (big(1) << 255),
        None => {
            // The origin of the digits for the base point: k / 8, or L minus that.
            let order = (big(1) << 252) + 27_742_317_777_372_353_535_851_937_790_883_648_493u128;
            let eighth: BigUint = &k >> 3;
            traces.extend(residue("other eighth", &(&order - &eighth), &order));
            traces.extend(residue("eighth", &eighth, &order));
            big(9)
        }
    };
    for (i, [x, z]) in ladders(&k, &u, &p).into_iter().enumerate() {
        let z_inverse = invert(&z, &p);
        let shared = &x * &z_inverse % &p;
        if let Some(row) = row {
            let ours =
                sigmill::agreement::x25519::x25519(secret.try_into().unwrap(), coordinate(row));
            assert_eq!(
                to_bytes(&shared, 32),
                ours.into_iter().rev().collect::<Vec<_>>()
            );
            traces.extend(residue("shared", &shared, &p));
        }
        for (name, value) in [("X", x), ("Z", z), ("1/Z", z_inverse)] {
            traces.extend(residue(&format!("{name} of ladder {i}"), &value, &p));
        }
    }
    traces
}

/// X : Z in both ladders: the one that begins with P and 2P, and the one that begins with infinity
/// and P.
fn ladders(k: &BigUint, u: &BigUint, p: &BigUint) -> [[BigUint; 2]; 2] {
    let double = |[x, z]: &[BigUint; 2]| {
        let (sum, difference) = (x + z, x + p - z);
        let (aa, bb) = (&sum * &sum % p, &difference * &difference % p);
        let e = (&aa + p - &bb) % p;
        [&aa * bb % p, &e * (aa + 121_665u32 * &e) % p]
    };
    let add = |[x2, z2]: &[BigUint; 2], [x3, z3]: &[BigUint; 2]| {
        let da = (x3 + p - z3) * (x2 + z2) % p;
        let cb = (x3 + z3) * (x2 + p - z2) % p;
        let (sum, difference) = (&da + &cb, da + p - cb);
        [&sum * &sum % p, u * (&difference * &difference % p) % p]
    };
    let climb = |mut doubled: [BigUint; 2], mut sum: [BigUint; 2], first: u64| {
        for i in (0..=first).rev() {
            let next = add(&doubled, &sum);
            let differs = k.bit(i) != k.bit(i + 1);
            doubled = double(if differs { &sum } else { &doubled });
            sum = next;
        }
        doubled
    };
    let point = [u.clone(), big(1)];
    let infinity = [big(1), BigUint::ZERO];
    [
        climb(double(&point), point.clone(), 253),
        climb(infinity, point, 254),
    ]
}

/// Checks the forms of a number modulo P-256's prime, which the tests here rely on.
#[test]
fn a_residue_has_the_forms_that_fields_have() {
    let p = from_hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
    let traces = residue("p - 1", &(&p - 1u32), &p);
    assert_eq!(traces.len(), 4 * 6);
    assert_eq!(traces[0].1[..8], [0xfe, 255, 255, 255, 255, 255, 255, 255]);
    assert_eq!(traces[2].1[..8], [0xfe, 255, 255, 255, 255, 255, 15, 0]);
}
