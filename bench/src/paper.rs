//! The tables of R. Struik's *Fast ECDSA*, measured anew: `--paper struik` writes `docs/struik.md`
//! and its chart.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use sigmill::CurveName;
use sigmill::curves::{P256, P384, P521};
use sigmill::hazmat::curve::{Curve, Domain as _, Group};
use sigmill::hazmat::field::{Limbs as _, PrimeField as _};
use sigmill::hazmat::recode::{WnafVartime, odd_digits};
use sigmill::hazmat::scalar::halves_vartime;
use sigmill::hazmat::table::generator_table;

use crate::inputs::{Inputs, prefix, random};
use crate::measure::{Measured, Schedule, measure_group};
use crate::peers::rsa;
use crate::plot::{self, Bar};
use crate::registry::{OPENSSL, OURS, Registry};

/// The only paper.
const STRUIK: &str = "struik";

/// Curves, their level of security in bits, and the length of an RSA modulus of the same level.
const LEVELS: [(CurveName, u32, i32); 3] = [
    (CurveName::P256, 128, 3072),
    (CurveName::P384, 192, 7680),
    (CurveName::P521, 256, 15_360),
];

/// The cost of a doubling in additions, in the paper.
const DOUBLING: f64 = 0.69;

/// Measures, and writes the document and its chart; returns their paths.
pub(crate) fn write(
    paper: &str,
    registry: &Registry,
    inputs: &Inputs,
    schedule: Schedule,
    method: &str,
) -> Result<Vec<PathBuf>> {
    if paper != STRUIK {
        bail!("--paper {paper}: unknown; expected {STRUIK}");
    }
    let measured = measure(registry, inputs, schedule)?;
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let pages = [
        ("struik.md", page(&measured, method)?),
        ("struik.svg", chart(&measured)?),
    ];
    let mut written = vec![];
    for (name, text) in pages {
        let path = docs.join(name);
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        written.push(path);
    }
    Ok(written)
}

fn measure(registry: &Registry, inputs: &Inputs, schedule: Schedule) -> Result<Vec<Measured>> {
    let mut bases = vec![];
    for (curve, ..) in LEVELS {
        let prefix = prefix(curve);
        bases.push(format!("{prefix}/agreement/single"));
        bases.push(format!("{prefix}/verify/hinted/single"));
        bases.push(format!("{prefix}/verify/hinted/single-full"));
    }
    bases.extend(rsa::BITS.map(|bits| format!("rsa{bits}/verify/single")));
    let mut measured = vec![];
    for base in &bases {
        measured.extend(measure_group(registry, base, |_| true, inputs, schedule)?);
    }
    Ok(measured)
}

/// Microseconds per operation.
fn time(measured: &[Measured], op: &str, implementation: &str) -> Option<f64> {
    let of = |m: &&Measured| m.op == op && m.implementation == implementation;
    Some(1e6 / measured.iter().find(of)?.ops_per_s)
}

/// The measured times of a curve, in microseconds.
struct Times {
    agreement: f64,
    verify: f64,
    hinted: Option<f64>,
    full: Option<f64>,
    combined: f64,
    combined_bit: f64,
}

impl Times {
    fn of(measured: &[Measured], curve: CurveName) -> Result<Self> {
        let ours = |op: &str| time(measured, &format!("{}/{op}", prefix(curve)), OURS);
        let needed = |op: &str| ours(op).with_context(|| format!("{curve}: no {op}"));
        Ok(Self {
            agreement: needed("agreement/single")?,
            verify: needed("agreement/verify")?,
            hinted: ours("verify/hinted/single"),
            full: ours("verify/hinted/single-full"),
            combined: needed("agreement/with-certificate")?,
            combined_bit: needed("agreement/with-certificate-bit")?,
        })
    }

    /// The cost of the certificate in addition to the agreement, with R in full.
    fn incremental(&self) -> f64 {
        self.combined - self.agreement
    }
}

/// Additions and doublings of a computation, tables included.
#[derive(Clone, Copy)]
struct Steps {
    additions: f64,
    doublings: f64,
}

impl Steps {
    fn together(self) -> f64 {
        self.additions + DOUBLING * self.doublings
    }
}

/// The steps on a curve: ordinary verification, half-size verification, a certificate in addition
/// to an agreement, and the agreement alone.
fn steps<C: Curve>(curve: C) -> Result<[Steps; 4]> {
    const SAMPLES: usize = 2000;
    let (order, group) = (curve.scalar_field(), Group::new(curve, curve.base_field()));
    let bits = order.bits();
    let scalar = || -> Result<C::Integer> {
        loop {
            let bytes: [u8; 66] = random()?;
            let mut integer = C::Integer::ZERO;
            for (limb, bytes) in integer.as_mut().iter_mut().zip(bytes.chunks(8)) {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                *limb = u64::from_le_bytes(word);
            }
            if let Some(top) = integer.as_mut().last_mut() {
                *top >>= 63 - (bits - 1) % 64;
            }
            if order.from_integer(&integer).is_some() {
                return Ok(integer);
            }
        }
    };
    // Half-size scalars of at most 128 bits use width 4, four multiples; all others use width 5.
    let half_width = if bits <= 256 { 4 } else { 5 };
    let nonzero = |digits: &WnafVartime| digits.digits().iter().filter(|&&d| d != 0).count() as f64;
    let [mut ordinary, mut half] = [Steps {
        additions: 0.0,
        doublings: 0.0,
    }; 2];
    let mut start_terms = 0.0;
    for _ in 0..SAMPLES {
        let (u1, u2) = (scalar()?, scalar()?);
        let of_generator = generator_table(&group).terms_vartime(u1.as_ref()).count() as f64;
        let digits = WnafVartime::new(u2.as_ref(), 5);
        let mut start = u1;
        start.as_mut()[2..].fill(0);
        start.as_mut()[2] = 1;
        start_terms += generator_table(&group)
            .terms_vartime(start.as_ref())
            .count() as f64;
        ordinary.additions += nonzero(&digits) + of_generator + 7.0;
        ordinary.doublings += digits.digits().len() as f64 + 1.0;
        let halves = halves_vartime(&order.modulus(), &u2);
        let [l, m] = [&halves.lambda, &halves.mu.magnitude]
            .map(|half| WnafVartime::new(half.as_ref(), half_width));
        let table = f64::from((1 << (half_width - 2)) - 1);
        half.additions += nonzero(&l) + nonzero(&m) + of_generator + 2.0 * table;
        half.doublings += l.digits().len().max(m.digits().len()) as f64 + 2.0;
    }
    for steps in [&mut ordinary, &mut half] {
        steps.additions /= SAMPLES as f64;
        steps.doublings /= SAMPLES as f64;
    }
    let digits = |bits: u32| f64::from(odd_digits(bits, 5));
    let rows = |bits: u32| f64::from(odd_digits(bits, curve.base_window()));
    // Q and R with their tables of 16, the multiple of G, the start, and their sum.
    let combined = Steps {
        additions: digits(bits)
            + digits(129)
            + 2.0 * 15.0
            + (rows(bits) - 1.0)
            + start_terms / SAMPLES as f64,
        doublings: 2.0,
    };
    let agreement = Steps {
        additions: digits(bits) - 1.0 + 15.0,
        doublings: 5.0 * (digits(bits) - 1.0) + 1.0,
    };
    Ok([ordinary, half, combined, agreement])
}

fn steps_on(curve: CurveName) -> Result<[Steps; 4]> {
    match curve {
        CurveName::P256 => steps(P256),
        CurveName::P384 => steps(P384.curve()),
        CurveName::P521 => steps(P521.curve()),
        other => bail!("{other} is not in the tables"),
    }
}

fn micro(time: Option<f64>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| format!("{time:.1}"))
}

fn times(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2} x"))
}

fn page(measured: &[Measured], method: &str) -> Result<String> {
    let mut page = String::from(INTRODUCTION);
    counts(&mut page)?;
    page += "\n## Time\n\n";
    writeln!(page, "```text\n{method}\n```\n")?;
    page += AGAINST_RSA;
    page += "\n| security | curve | RSA | ordinary | two bits of R | R in full | RSA, OpenSSL | \
             RSA, AWS-LC | RSA, OpenSSL / R in full |\n|---|---|---|---|---|---|---|---|---|\n";
    let rsa = |bits, by: &str| time(measured, &format!("rsa{bits}/verify/single"), by);
    for bits in rsa::BITS.into_iter().filter(|&bits| bits < 3072) {
        let [openssl, aws_lc] = [OPENSSL, "AWS-LC"].map(|by| micro(rsa(bits, by)));
        writeln!(page, "| | | {bits} | | | | {openssl} | {aws_lc} | |")?;
    }
    for (curve, level, bits) in LEVELS {
        let of = Times::of(measured, curve)?;
        let (openssl, aws_lc) = (rsa(bits, OPENSSL), rsa(bits, "AWS-LC"));
        let best = of.full.or(Some(of.verify));
        let ratio = openssl.zip(best).map(|(rsa, ours)| rsa / ours);
        writeln!(
            page,
            "| {level} | {curve} | {bits} | {:.1} | {} | {} | {} | {} | {} |",
            of.verify,
            micro(of.hinted),
            micro(of.full),
            micro(openssl),
            micro(aws_lc),
            times(ratio)
        )?;
    }
    page += COMBINED;
    page += "\n| curve | agreement | ordinary verification | together | combined | incremental | \
             of ordinary | of R in full | two bits of R | RSA, OpenSSL / incremental |\n\
             |---|---|---|---|---|---|---|---|---|---|\n";
    for (curve, _, bits) in LEVELS {
        let of = Times::of(measured, curve)?;
        let incremental = of.incremental();
        writeln!(
            page,
            "| {curve} | {:.1} | {:.1} | {:.1} | {:.1} | {incremental:.1} | {:.2} x | {} | {:.1} \
             | {} |",
            of.agreement,
            of.verify,
            of.agreement + of.verify,
            of.combined,
            of.verify / incremental,
            times(of.full.map(|full| full / incremental)),
            of.combined_bit - of.agreement,
            times(rsa(bits, OPENSSL).map(|rsa| rsa / incremental)),
        )?;
    }
    page += "\n![Cost of a certificate](struik.svg)\n";
    page += SHARES;
    page += BYTES;
    for (curve, level, bits) in LEVELS {
        let (ecc, rsa) = (3 * curve.field_len(), 2 * bits / 8);
        let ratio = f64::from(rsa) / ecc as f64;
        writeln!(page, "| {level} | {curve} | {ecc} | {rsa} | {ratio:.0} x |")?;
    }
    page += WITHOUT_HINT;
    Ok(page)
}

fn counts(page: &mut String) -> Result<()> {
    *page += "\n| | additions | doublings | together |\n|---|---|---|---|\n\
              | paper, P-384, ECDH | 128 | 384 | 393 |\n\
              | paper, P-384, ordinary verification | 194 | 384 | 459 |\n\
              | paper, P-384, fast | 196 | 192 | 328 |\n\
              | paper, P-384, combined with ECDH | 195 | 0 | 195 |\n\
              | paper, P-384, combined with ECMQV | 196 | 0 | 196 |\n";
    let names = [
        "ordinary verification",
        "half-size",
        "combined with ECDH or ECMQV",
        "ECDH alone",
    ];
    for (curve, ..) in LEVELS {
        let all = steps_on(curve)?;
        for (name, steps) in names.iter().zip(all) {
            writeln!(
                page,
                "| {curve}, {name} | {:.0} | {:.0} | {:.0} |",
                steps.additions,
                steps.doublings,
                steps.together()
            )?;
        }
    }
    Ok(())
}

fn chart(measured: &[Measured]) -> Result<String> {
    let mut bars = vec![];
    for (curve, _, bits) in LEVELS {
        let of = Times::of(measured, curve)?;
        let mut bar = |name: String, time: Option<f64>, ours: bool| {
            if let Some(value) = time {
                let label = format!("{value:.0}");
                bars.push(Bar {
                    name,
                    value,
                    label,
                    ours,
                });
            }
        };
        bar(format!("{curve}, ordinary"), Some(of.verify), true);
        bar(format!("{curve}, R in full"), of.full, true);
        bar(format!("{curve}, combined"), Some(of.incremental()), true);
        let rsa = time(measured, &format!("rsa{bits}/verify/single"), OPENSSL);
        bar(format!("RSA {bits}, OpenSSL"), rsa, false);
    }
    let unit = "microseconds on one core; combined: in addition to an agreement";
    plot::bars("Cost of verifying a certificate", unit, &bars)
}

const INTRODUCTION: &str = "\
# The tables of Struik's talk

R. Struik's *Fast ECDSA* (2005 to 2010) compares signatures whose R is known with ordinary ones, and
both with RSA. It also combines verification with a key agreement. This page has its tables, next to
the same figures for sigmill. A command writes this file and its chart:

```sh
cargo run --release --manifest-path bench/Cargo.toml -- --paper struik
```

[half-size.md](half-size.md) and [constant-time.md](constant-time.md) explain the two new methods
and why they are correct.

## Additions and doublings

The paper counts additions and doublings of P-384 without tables, and counts a doubling as 0.69
additions. Our counts include all tables that a call builds; the table of G is permanent. Ordinary
and half-size verification are averages over random scalars. The combined computation is constant
time, with fixed windows: each digit costs an addition, zero or not, which is 77 in place of 64 for
384 bits. Only the start, which is random, uses the table of verification. The counts are for one
lane.

The weight of a certificate is secret here, random, and has 128 bits. The paper's weight is half as
long as n and follows from the certificate, so anyone who knows the private key to the certified key
can compute the agreed key.
";

const AGAINST_RSA: &str = "\
Verification of one signature by a key that is used once, in microseconds. Digests are given, and
keys are parsed. RSA is PKCS#1 v1.5 with e = 65537. Its moduli are products of primes of 512 bits,
which a verifier cannot notice. AWS-LC accepts at most 8,192 bits.
";

const COMBINED: &str = "
A key agreement that also verifies the peer's certificate
(`agreement::diffie_hellman_with_certificate`), in microseconds. \"Incremental\" is its cost in
addition to the agreement alone. In the paper it is 2.4 times less than that of ordinary
verification, and 1.7 times less than that of verification with R.

With eight lanes (AVX-512 IFMA) the factor is larger on P-384 and P-521, because lanes compute the
multiples of all points, and add up the points of each digit before they go into the sum. On an
Intel Xeon (family 6 model 167) that is so even though lanes lower its clock for the whole combined
computation ([lanes.md](lanes.md#the-clock)).

In one lane the factor is smaller: with ADX on that Xeon, 1.7 and 1.2 times on P-384 and P-521, 1.2
times and nothing on P-256. Verification is in variable time and uses sparse digits, but the
combined computation is in constant time: each look-up reads every entry of a table, and every digit
costs an addition. RSA cannot be combined.
";

const SHARES: &str = "
The incremental cost on P-384, on that Xeon, by a clock around each part of a call (cycles of a TSC
of 2.6 GHz; runs at other hours were up to 7 % slower):

| | eight lanes | one lane, ADX |
|---|---|---|
| the signature: s^-1, the numbers, R | 6,000 | 6,000 |
| the start v G, in variable time | 13,000 | 12,000 |
| multiples of Q and R, in addition to those of the peer's key | 13,000 | 33,000 |
| the points of all digits, added up before the sum | 67,000 | |
| the sum, in addition to that of the agreement | 13,000 | 86,000 |
| the multiple of the generator | with the digits | 48,000 |
| together | 112,000 | 185,000 |

In eight lanes the sum needs as many additions as the agreement's; the extra cost is the lower
clock. In one lane, the paper's factor of 2.4 would be 128,000 cycles, and no part can be left out:

- The weight must have 128 random bits. A weight from the lattice of pairs for which l and l r / s
  are short would have 256 bits in both, in place of 129 and 384.
- Sparse digits would reveal something about the secret.
- A window of 6 bits saves 30 additions of 11 products, but needs 16 more points of 13 products for
  each of three points.
- Additions in affine coordinates before the sum cost 6 products in place of 11, but differences and
  choices of single values cost a third of a product each.
";

const BYTES: &str = "
## Bytes

A certificate without its names and dates: the subject's public key and the issuer's signature. Only
x of the key is counted; the compressed form is one byte longer. R in place of r adds one bit.

| security | curve | key and signature | RSA | ratio |
|---|---|---|---|---|
";

const WITHOUT_HINT: &str = "
## Without a hint

The paper guesses y(R). That is 40 % faster at best, 12 % slower at worst, and 8 % faster on
average. With our code, a guess costs 2,890 products on P-256, and ordinary verification 2,857
([half-size.md](half-size.md), \"Where it is not built\"): the paper's gain came from its slower
ordinary verification. So guessing is not built. P-192 and P-224, which the paper also covers, are
not curves of this library.
";
