//! Finds the number of a transaction that exceeds its type.

use alloy_rlp::Header;

use crate::recover::defect::Defect;

/// A number of a transaction: its place in the list, its name, and its maximum size in bits.
type Number = (usize, &'static str, usize);

/// The numbers of a list without a type. All existing ether is less than 2^96 wei, so nobody can
/// pay a gas price of 2^128. The Yellow Paper allows 256 bits for it.
const LEGACY: &[Number] = &[
    (0, "nonce", 64),
    (1, "gas price", 128),
    (2, "gas limit", 64),
    (4, "value", 256),
];

/// The numbers of EIP-2930.
const EIP_2930: &[Number] = &[
    (0, "chain id", 64),
    (1, "nonce", 64),
    (2, "gas price", 128),
    (3, "gas limit", 64),
    (5, "value", 256),
];

/// The numbers of EIP-1559 and of later types. The last one belongs to EIP-4844 only.
const EIP_1559: &[Number] = &[
    (0, "chain id", 64),
    (1, "nonce", 64),
    (2, "max priority fee per gas", 128),
    (3, "max fee per gas", 128),
    (4, "gas limit", 64),
    (6, "value", 256),
    (9, "max fee per blob gas", 128),
];

/// Returns the first number that is too large, if the list has the expected number of fields. A
/// number with leading zeros does not count.
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
    // A transaction with blobs is the first item of a list.
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

/// Splits off the next item. Returns whether it is a list, and its content.
fn item<'a>(rest: &mut &'a [u8]) -> Option<(bool, &'a [u8])> {
    let header = Header::decode(rest).ok()?;
    let (item, behind) = rest.split_at_checked(header.payload_length)?;
    *rest = behind;
    Some((header.list, item))
}
