//! Numbers of transactions, up to their limits and beyond.

use crate::support::*;

/// Every number up to its limit is read. A number beyond it is reported with the limit.
#[test]
fn numbers_beyond_the_types_are_named() {
    let [word, price, value] = [64, 128, 256];
    let fees = [
        (2, "max priority fee per gas", price),
        (3, "max fee per gas", price),
    ];
    let common = [(0, "chain id", word), (1, "nonce", word)];
    let later = [(4, "gas limit", word), (6, "value", value)];
    let forms: [(Option<u8>, usize, Vec<_>); 5] = [
        (
            None,
            3,
            vec![
                (0, "nonce", word),
                (1, "gas price", price),
                (2, "gas limit", word),
                (4, "value", value),
            ],
        ),
        (
            Some(1),
            4,
            [
                &common[..],
                &[
                    (2, "gas price", price),
                    (3, "gas limit", word),
                    (5, "value", value),
                ],
            ]
            .concat(),
        ),
        (Some(2), 5, [&common[..], &fees, &later].concat()),
        (
            Some(3),
            5,
            [
                &common[..],
                &fees,
                &later,
                &[(9, "max fee per blob gas", price)],
            ]
            .concat(),
        ),
        (Some(4), 5, [&common[..], &fees, &later].concat()),
    ];
    for (ty, to, numbers) in forms {
        for (place, name, bits) in numbers {
            let line = |number: &[u8]| {
                let mut fields = match ty {
                    None => vec![item(&[]); 6],
                    Some(ty) => {
                        let mut fields = vec![item(&[]); [8, 9, 9, 9][usize::from(ty) - 1] - 1];
                        // The lists: accesses, and blobs or authorizations.
                        fields.push(list(&[]));
                        match ty {
                            3 => fields.extend([item(&[]), list(&[])]),
                            4 => fields.push(list(&[])),
                            _ => {}
                        }
                        fields
                    }
                };
                fields[to] = item(&[0x35; 20]);
                fields[place] = item(number);
                fields.extend([item(&[27]), item(&[3]), item(&[4])]);
                if ty.is_some() {
                    let parity = fields.len() - 3;
                    fields[parity] = item(&[]);
                }
                let ty = ty.map(|ty| format!("{ty:02x}")).unwrap_or_default();
                ty + &hex(list(&fields))
            };
            let most = outcome(&line(&vec![0xff; bits / 8]), &[]);
            assert!(most.starts_with("0x"), "{ty:?} {name}: {most}");
            let mut beyond = vec![0; bits / 8 + 1];
            beyond[0] = 1;
            let run = recover(&[line(&beyond)], &[]);
            assert_eq!(run.outcomes(), ["transaction-number"], "{ty:?} {name}");
            let detail = format!("transaction: {name} must be below 2^{bits}");
            assert_eq!(run.rows()[0]["detail"], detail);
            // A number with leading zeros is not a number.
            beyond[0] = 0;
            assert_eq!(outcome(&line(&beyond), &[]), "transaction-rlp");
        }
    }
}
