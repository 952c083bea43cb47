//! Batches of rows with hints: every verdict is that of the single call, for good, bad and
//! malformed rows, wrong hints, rows that repeat, and pairs that cancel under equal weights.
#![no_main]

use std::sync::OnceLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use p256::elliptic_curve::PrimeField;
use p256::elliptic_curve::ops::Reduce;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{FieldBytes, ProjectivePoint, Scalar};
use sigmill::bulk::{Column, Engine, Hints, Inputs, Rows, Signatures, Speed};
use sigmill::{
    Algorithm, AnySigningKey, AnyVerifyingKey, CurveName, Error, HashName, Input, Policy,
    RecoveryId, SignOptions, SignatureFormat,
};

/// The valid rows of a curve, before the fuzzer changes them: keys, and signatures of each.
const KEYS: usize = 4;
const SIGNATURES: usize = 6;

#[derive(Arbitrary, Debug)]
struct AnyRow<'a> {
    curve: u8,
    /// Its index among the whole rows of the curve.
    whole: u8,
    change: Change<'a>,
    told: Told<'a>,
    /// The number of times that it comes, one after the other.
    repeat: u8,
}

#[derive(Arbitrary, Debug)]
enum Change<'a> {
    Nothing,
    Digest(u8, u8),
    Signature(u8, u8),
    /// The key of another row.
    Key(u8),
    /// Bytes in place of a well-formed value.
    KeyBytes(&'a [u8]),
    SignatureBytes(&'a [u8]),
    DigestBytes(&'a [u8]),
}

#[derive(Arbitrary, Debug)]
enum Told<'a> {
    Right,
    OtherParity,
    Reduced,
    Anything(&'a [u8]),
}

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    rows: Vec<AnyRow<'a>>,
    /// The number of times that all rows come.
    repeat: u8,
    are_y: bool,
    memory: u32,
    threads: u8,
}

#[derive(Clone)]
struct Row {
    curve: CurveName,
    key: Vec<u8>,
    digest: Vec<u8>,
    signature: Vec<u8>,
    id: u8,
    y: Vec<u8>,
}

/// Returns the y of the point that r and a recovery id determine, if x(R) is r.
fn y(curve: CurveName, signature: &[u8], id: RecoveryId) -> Vec<u8> {
    let r = &signature[..signature.len() / 2];
    let compressed = [&[2 + u8::from(id.is_y_odd())], r].concat();
    let point = AnyVerifyingKey::from_sec1_bytes(curve, &compressed).unwrap();
    point.to_sec1_bytes(false)[1 + r.len()..].to_vec()
}

/// Returns valid rows.
fn valid(curve: CurveName) -> Vec<Row> {
    let mut rows = vec![];
    for key in 0..KEYS {
        let mut secret = vec![0; curve.order_len()];
        *secret.last_mut().unwrap() = 3 + key as u8;
        let signing = AnySigningKey::from_be_bytes(curve, &secret).unwrap();
        for number in 0..SIGNATURES {
            let digest = vec![number as u8 + 1; 32];
            let options = SignOptions::new().hash(HashName::Sha256);
            let format = SignatureFormat::P1363;
            let signed = signing.sign_with(Input::Digest(&digest), format, &options);
            let (signature, id) = signed.unwrap();
            rows.push(Row {
                curve,
                key: signing.verifying_key().to_sec1_bytes(key % 2 == 0),
                digest,
                y: y(curve, &signature, id),
                signature,
                id: id.to_byte(),
            });
        }
    }
    rows
}

/// Returns two rows (r, s) of one key that are not valid: with s = (e1 + e2 + 2 r d) / (2 k), the
/// error of one is the negative of the error of the other.
fn cancelling(number: u64) -> [Row; 2] {
    let [d, k, e1, e2] = [5, 1000, 77, 2000].map(|start| Scalar::from(start + number));
    let point = |scalar| {
        (ProjectivePoint::GENERATOR * scalar)
            .to_affine()
            .to_sec1_point(false)
    };
    let r_point = point(k);
    let r = <Scalar as Reduce<FieldBytes>>::reduce(r_point.x().unwrap());
    let twice = |scalar: Scalar| scalar + scalar;
    let s = (e1 + e2 + twice(r * d)) * twice(k).invert().unwrap();
    let y = r_point.y().unwrap().to_vec();
    [e1, e2].map(|e| Row {
        curve: CurveName::P256,
        key: point(d).as_bytes().to_vec(),
        digest: e.to_repr().to_vec(),
        signature: [r.to_repr().to_vec(), s.to_repr().to_vec()].concat(),
        id: y[31] & 1,
        y: y.clone(),
    })
}

/// Returns the whole rows of each curve; the pairs follow those of P-256.
fn whole() -> &'static [Vec<Row>] {
    static WHOLE: OnceLock<Vec<Vec<Row>>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let of_curve = |curve| {
            let mut rows = valid(curve);
            if curve == CurveName::P256 {
                rows.extend((0..4).flat_map(cancelling));
            }
            rows
        };
        CurveName::ALL.iter().copied().map(of_curve).collect()
    })
}

fn row(any: &AnyRow<'_>) -> Row {
    let all = whole();
    let of_curve = &all[usize::from(any.curve) % all.len()];
    let at = |place: u8| &of_curve[usize::from(place) % of_curve.len()];
    let mut row = at(any.whole).clone();
    match any.told {
        Told::Right => {}
        Told::OtherParity => {
            row.id ^= 1;
            *row.y.last_mut().unwrap() ^= 1;
        }
        Told::Reduced => row.id |= 2,
        Told::Anything(bytes) => {
            row.id = bytes.first().copied().unwrap_or(255);
            row.y = bytes.to_vec();
        }
    }
    let flip = |bytes: &mut [u8], place: u8, value: u8| {
        bytes[usize::from(place) % bytes.len()] ^= value;
    };
    match any.change {
        Change::Nothing => {}
        Change::Digest(place, value) => flip(&mut row.digest, place, value),
        Change::Signature(place, value) => flip(&mut row.signature, place, value),
        Change::Key(place) => row.key = at(place).key.clone(),
        Change::KeyBytes(bytes) => row.key = bytes.to_vec(),
        Change::SignatureBytes(bytes) => row.signature = bytes.to_vec(),
        Change::DigestBytes(bytes) => row.digest = bytes.to_vec(),
    }
    row
}

fn single(row: &Row) -> Result<(), Error> {
    let key = AnyVerifyingKey::from_encoded(Some(row.curve), &row.key)?;
    key.verify_prehash(&row.digest, &row.signature, SignatureFormat::P1363)
}

fuzz_target!(|case: Case<'_>| {
    let (mut rows, mut expected) = (vec![], vec![]);
    for any in &case.rows {
        let (row, times) = (row(any), 1 + usize::from(any.repeat % 4));
        expected.extend(vec![single(&row); times]);
        rows.extend(vec![row; times]);
    }
    let times = 1 + usize::from(case.repeat % 32);
    let (rows, expected) = (vec![rows; times].concat(), expected.repeat(times));

    let algorithms: Vec<Algorithm> = rows
        .iter()
        .map(|row| Algorithm::new(row.curve, HashName::Sha256))
        .collect();
    let column = |part: fn(&Row) -> &[u8]| -> Vec<&[u8]> { rows.iter().map(part).collect() };
    let (keys, digests) = (column(|row| &row.key), column(|row| &row.digest));
    let (signatures, y) = (column(|row| &row.signature), column(|row| &row.y));
    let ids: Vec<u8> = rows.iter().map(|row| row.id).collect();
    let hints = match case.are_y {
        true => Hints::Y(Column::slices(&y)),
        false => Hints::Ids(Column::fixed(&ids, 1)),
    };
    let columns = Rows::new(
        &algorithms[..],
        Column::slices(&keys),
        Inputs::Digests(Column::slices(&digests)),
        Signatures::P1363(Column::slices(&signatures)),
    );
    let columns = columns.unwrap().hints(hints).unwrap();
    let engine = Engine::builder()
        .speed(Speed::Fixed)
        .policy(Policy::default().with_batch(true))
        .key_memory(case.memory as usize % (1 << 20))
        .threads(1 + usize::from(case.threads % 2));
    let engine = engine.build().unwrap();
    // Also when the keys come for the second time.
    for _ in 0..2 {
        assert_eq!(engine.verify(&columns).as_slice(), expected);
    }
});
