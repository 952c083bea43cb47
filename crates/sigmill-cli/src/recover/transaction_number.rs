//! Which number of a transaction is larger than the types that it is read into.

use alloy_rlp::Header;

use super::defect::Defect;

/// A number of a transaction: its place in the list, its name, and the bits that it may have.
type Number = (usize, &'static str, usize);

/// Those of a list without a type. All ether there is has fewer than 2^96 wei, so a price of 2^128
/// for a unit of gas is one that nobody can pay; the Yellow Paper has 256 bits for it.
const LEGACY: &[Number] = &[
    (0, "nonce", 64),
    (1, "gas price", 128),
    (2, "gas limit", 64),
    (4, "value", 256),
];

/// Those of EIP-2930.
const EIP_2930: &[Number] = &[
    (0, "chain id", 64),
    (1, "nonce", 64),
    (2, "gas price", 128),
    (3, "gas limit", 64),
    (5, "value", 256),
];

/// Those of EIP-1559, and of what came later; the last one is that of EIP-4844 alone.
const EIP_1559: &[Number] = &[
    (0, "chain id", 64),
    (1, "nonce", 64),
    (2, "max priority fee per gas", 128),
    (3, "max fee per gas", 128),
    (4, "gas limit", 64),
    (6, "value", 256),
    (9, "max fee per blob gas", 128),
];

/// The first number that is too large, if there is one and there are as many fields as there should
/// be. Numbers with leading zeros are none.
pub(super) fn too_large(bytes: &[u8]) -> Option<Defect> {
    let (first, mut rest) = bytes.split_first()?;
    let (numbers, fields) = match first {
        1 => (EIP_2930, 11),
        2 => (&EIP_1559[..6], 12),
        3 => (EIP_1559, 14),
        4 => (&EIP_1559[..6], 13),
        _ => {
            rest = bytes;
            (LEGACY, 9)
        }
    };
    let (_, mut items) = item(&mut rest)?;
    // With its blobs, a transaction is the first item of a list.
    if let (true, inner) = item(&mut &*items)? {
        items = inner;
    }
    let (mut place, mut found) = (0, None);
    while !items.is_empty() {
        let (is_list, number) = item(&mut items)?;
        let limit = numbers.iter().find(|limit| limit.0 == place);
        if let Some(&(_, field, bits)) = limit
            && !is_list
            && number.len() * 8 > bits
            && number[0] != 0
        {
            found = found.or(Some(Defect::TransactionNumber { field, bits }));
        }
        place += 1;
    }
    found.filter(|_| place == fields)
}

/// Takes the next item: whether it is a list, and what is in it.
fn item<'a>(rest: &mut &'a [u8]) -> Option<(bool, &'a [u8])> {
    let header = Header::decode(rest).ok()?;
    let (item, behind) = rest.split_at_checked(header.payload_length)?;
    *rest = behind;
    Some((header.list, item))
}
