//! Big integers, seeded randomness, and hard values for long arithmetic.

use num_bigint::BigUint;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Randomness that is the same in every run.
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub fn big(value: u64) -> BigUint {
    BigUint::from(value)
}

pub fn from_hex(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).unwrap()
}

pub fn hex_bytes(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2));
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap())
        .collect()
}

/// Big-endian, `length` bytes long.
///
/// # Panics
/// If the value does not fit.
pub fn to_bytes(value: &BigUint, length: usize) -> Vec<u8> {
    let bytes = value.to_bytes_be();
    let bytes = if bytes == [0] { vec![] } else { bytes };
    [vec![0; length - bytes.len()], bytes].concat()
}

pub fn to_limbs<const N: usize>(value: &BigUint) -> [u64; N] {
    let mut limbs = [0; N];
    for (i, digit) in value.iter_u64_digits().enumerate() {
        limbs[i] = digit;
    }
    limbs
}

pub fn from_limbs(limbs: &[u64]) -> BigUint {
    limbs
        .iter()
        .rev()
        .fold(BigUint::ZERO, |value, &limb| (value << 64) + limb)
}

/// a^-1 mod a prime.
pub fn invert(a: &BigUint, prime: &BigUint) -> BigUint {
    a.modpow(&(prime - 2u32), prime)
}

/// A value in 0 .. bound.
pub fn random_below(rng: &mut ChaCha8Rng, bound: &BigUint) -> BigUint {
    let mut bytes = vec![0; bound.bits() as usize / 8 + 9];
    rng.fill_bytes(&mut bytes);
    BigUint::from_bytes_be(&bytes) % bound
}

/// A value in 1 .. bound.
pub fn random_nonzero(rng: &mut ChaCha8Rng, bound: &BigUint) -> BigUint {
    random_below(rng, &(bound - 1u32)) + 1u32
}

/// Values below a modulus at which carries, borrows and reductions change: small ones, those just
/// below the modulus, powers of two and their neighbours, limbs of zeros and ones in every pattern,
/// halves, and the residues of R and R^2.
pub fn nasty_below(modulus: &BigUint) -> Vec<BigUint> {
    let bits = modulus.bits();
    let limbs = bits.div_ceil(64);
    let mut values: Vec<BigUint> = (0..9).map(big).collect();
    for power in 0..=bits {
        let power = big(1) << power;
        for value in [power.clone(), &power - 1u32, &power + 1u32] {
            values.push(&value % modulus);
            values.push((modulus - (&value % modulus)) % modulus);
        }
    }
    // Each limb is all zeros, all ones, only its top bit, or only its low bit.
    for pattern in 0..4u64.pow(limbs.min(6) as u32) {
        let value = (0..limbs).fold(BigUint::ZERO, |value, i| {
            let limb = [0, u64::MAX, 1 << 63, 1][(pattern >> (2 * (i % 6)) & 3) as usize];
            (value << 64) + limb
        });
        if bits <= 256 || pattern % 7 == 0 {
            values.push(&value % modulus);
        }
    }
    let r = (big(1) << (64 * limbs)) % modulus;
    let inverse_r = invert(&r, modulus);
    for value in [&r * &r, &r * &r * &r, &inverse_r * &inverse_r, inverse_r, r] {
        values.push(&value % modulus);
        values.push((modulus - &value % modulus) % modulus);
    }
    for divisor in [2u32, 3, 5, 7] {
        for offset in 0..3u32 {
            values.push(modulus / divisor + offset);
        }
    }
    values.retain(|value| value < modulus);
    values.sort();
    values.dedup();
    values
}

/// One of the nasty values, or a random one, with equal probability.
pub fn pick(rng: &mut ChaCha8Rng, nasty: &[BigUint], modulus: &BigUint) -> BigUint {
    if rng.next_u32() & 1 == 0 {
        nasty[rng.next_u32() as usize % nasty.len()].clone()
    } else {
        random_below(rng, modulus)
    }
}
