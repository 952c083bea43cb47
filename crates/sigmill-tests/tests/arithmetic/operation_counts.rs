//! The operation counts in the costs of the bulk engine, against the library's code over a field
//! that counts.

use sigmill::HashName;
use sigmill::MessageDigest;
use sigmill::bulk::Speed;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{
    BrainpoolP256r1, Curve as _, Group, LanesOperation as _, NamedCurve, Operation, P384, Secp256k1,
};
use sigmill::hazmat::ecdsa::{BatchOutcome, Batches, HintedVerify, Verify, VerifyMany};
use sigmill::hazmat::plan::{Costs, Work};
use sigmill::hazmat::table::{WindowTable, generator_table};
use sigmill::hazmat::{KeyParts as _, SignatureParts as _};
use sigmill::keys::{SigningKey, VerifyingKey};
use sigmill::{Hint, RecoveryId};
use sigmill_tests::counting::{Count, Counting, count};
use sigmill_tests::hints::y_of;
use sigmill_tests::rounds;

/// Well-formed but wrong signatures, which cost the same as valid ones.
fn signatures<C: NamedCurve>(domain: C, number: usize) -> Vec<(MessageDigest, Signature<C>)> {
    let length = domain.name().field_len();
    let digest = |i: u64| HashName::Sha512.digest(&i.to_be_bytes());
    let numbers = (0..).map(|i| [digest(3 * i), digest(3 * i + 1), digest(3 * i + 2)]);
    let signatures = numbers.filter_map(|[r, s, message]| {
        let signature = Signature::from_scalars_on(domain, &r[..length], &s[..length]);
        Some((message, signature.ok()?))
    });
    signatures.take(number).collect()
}

/// Checks products, squares and inversions within the given percentages; an inversion includes a
/// conversion.
fn compare(what: &str, counted: Count, said: &Work, per_cent: [f64; 3]) {
    let operations = said.operations();
    let pairs = [
        (counted.products, operations.products),
        (counted.squares, operations.squares),
        (counted.inversions, said.inversions),
    ];
    for ((counted, said), per_cent) in pairs.into_iter().zip(per_cent) {
        let off = (said / counted - 1.0).abs() * 100.0;
        assert!(off <= per_cent, "{what}: {counted} counted, {said} said");
    }
}

fn check<C: NamedCurve>(domain: C) {
    let (name, curve) = (domain.name(), domain.curve());
    // One lane wide.
    let costs = Costs::at(Speed::Fixed);
    let (base, order) = (Counting(curve.base_field()), Counting(curve.scalar_field()));
    let group = Group::new(curve, base);
    // The generator's table is built before counting starts.
    generator_table(&group);
    for window in 1..=rounds(7, 11) as u32 {
        let counted = count(|| {
            WindowTable::build_vartime(&group, curve.generator(), window).unwrap();
        });
        let said = costs.build_work(name, window);
        compare(&format!("table {window}"), counted, &said, [0.1; 3]);
    }

    let signatures = signatures(domain, 512);
    // Every second x belongs to a point.
    let length = name.field_len();
    let keys = (0_u64..).map(|i| {
        let x = HashName::Sha512.digest(&i.to_be_bytes());
        VerifyingKey::from_sec1_bytes_on(domain, &[&[2], &x[..length]].concat())
    });
    let key = keys.flatten().next().unwrap();
    for window in [0, 4, 7, 10] {
        let table = (window > 0).then(|| key.prepare_with_window(window).unwrap());
        let strategy = table
            .as_ref()
            .map_or(key.strategy(), |table| table.strategy());
        let rows = signatures.iter().map(|(digest, signature)| Verify {
            strategy,
            digest,
            signature: signature.scalars(),
        });
        let rows: Vec<Verify<'_, C::Curve>> = rows.collect();
        // Fresh keys have separate steps from 256 rows on.
        let more: &[usize] = if window == 0 { &[192, 512] } else { &[] };
        for &together in [1, 2, 64].iter().chain(more) {
            let counted = count(|| {
                for rows in rows.chunks(together) {
                    match rows {
                        [row] => assert!(Operation::run(*row, curve, base, order).is_err()),
                        rows => {
                            let mut verdicts = vec![Ok(()); rows.len()];
                            let verdicts = &mut verdicts[..];
                            let ids = None;
                            let many = VerifyMany {
                                rows,
                                verdicts,
                                ids,
                            };
                            many.run(curve, base, order);
                        }
                    }
                }
            });
            let said = costs.row_work(name, window, together as u64);
            let what = format!("window {window}, {together} rows");
            // How often a term stays unpaired depends on digits.
            compare(&what, counted.over(rows.len()), &said, [2.0; 3]);
        }
    }
}

/// A batch of the given numbers of rows and keys, all valid, like those of archives: keys, digests,
/// signatures, and hints to R.
fn batch<C: NamedCurve + Default>(
    rows: usize,
    keys: usize,
) -> Vec<(VerifyingKey<C>, MessageDigest, Signature<C>, RecoveryId)> {
    let keys_of = SigningKey::<C>::generate_many(keys).unwrap();
    let row = |row: usize| {
        let key = &keys_of[row * keys / rows];
        let digest = HashName::Sha512.digest(&row.to_be_bytes());
        let (signature, id) = key.sign_prehash_recoverable(&digest).unwrap();
        (*key.verifying_key(), digest, signature, id)
    };
    (0..rows).map(row).collect()
}

/// The requested number of weights.
fn weights(count: usize) -> Option<Vec<u128>> {
    let digest = |i: usize| HashName::Sha256.digest(&i.to_be_bytes());
    let weight = |i| u128::from_le_bytes(digest(i)[..16].try_into().unwrap());
    Some((0..count).map(weight).collect())
}

fn check_batches<C: NamedCurve + Default>(domain: C) {
    let (name, curve) = (domain.name(), domain.curve());
    let costs = Costs::at(Speed::Fixed);
    let (base, order) = (Counting(curve.base_field()), Counting(curve.scalar_field()));
    let sizes = [(16, 16), (64, 1), (64, 64), (512, 20), (512, 512)];
    let more = [(4096, 1), (4096, 500), (4096, 4096)];
    for (rows, keys) in sizes.into_iter().chain(more.into_iter().take(rounds(1, 3))) {
        let cases = batch::<C>(rows, keys);
        for takes_roots in [true, false] {
            let y: Vec<_> = cases
                .iter()
                .map(|(_, _, signature, id)| y_of(signature, *id).unwrap())
                .collect();
            let hinted = cases
                .iter()
                .zip(&y)
                .map(|((key, digest, signature, id), y)| HintedVerify {
                    verify: Verify {
                        strategy: key.strategy(),
                        digest,
                        signature: signature.scalars(),
                    },
                    hint: Some(match takes_roots {
                        true => Hint::Id(*id),
                        false => Hint::Y(y),
                    }),
                });
            let hinted: Vec<HintedVerify<'_, C::Curve>> = hinted.collect();
            let counted = count(|| {
                let (weights, fewest) = (&mut weights, 1);
                let rows = &hinted[..];
                let batches = Batches {
                    rows,
                    weights,
                    fewest,
                };
                let (outcomes, _) = batches.run(curve, base, order);
                assert!(
                    outcomes
                        .iter()
                        .all(|outcome| *outcome == BatchOutcome::Accepted)
                );
            });
            let work = costs.batch_work(name, rows as u64, keys as u64, takes_roots);
            let said = work.row + work.key * (keys as f64 / rows as f64);
            let what = format!("batch of {rows} rows, {keys} keys, roots {takes_roots}");
            // The number of empty buckets and the lengths of lists depend on digits.
            compare(&what, counted.over(rows), &said, [15.0, 12.0, 50.0]);
        }
    }
}

#[test]
fn operations_of_batches_are_as_many_as_the_costs_say() {
    check_batches(Secp256k1);
    check_batches(P384);
}

#[test]
fn operations_are_as_many_as_the_costs_say() {
    check(Secp256k1);
    check(BrainpoolP256r1);
    check(P384);
}
