//! JSON Lines: the cells are the members that serde_json finds, repeated ones included.
#![no_main]

use std::fmt;

use libfuzzer_sys::fuzz_target;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use sigmill_cli::fuzzing::{COLUMNS, Cell, read_table};

/// An object with all of its members, in order.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Members;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = vec![];
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Pairs)
    }
}

fuzz_target!(|data: &[u8]| {
    let table = read_table(data, "jsonl");
    assert_eq!(table.error, None);
    let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let lines: Vec<&[u8]> = text
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
        .collect();
    assert_eq!(table.rows.len(), lines.len());
    for (line, row) in lines.into_iter().zip(&table.rows) {
        let members = match (serde_json::from_slice::<Members>(line), row) {
            (Ok(members), _) => members.0,
            (Err(_), Err(_)) => continue,
            // Members that do not matter are checked less closely.
            (Err(e), Ok(_)) if e.to_string().contains("number out of range") => continue,
            (Err(e), Ok(_)) if e.to_string().contains("surrogate") => continue,
            (Err(e), Ok(_)) if e.to_string().contains("hex escape") => continue,
            (Err(e), Ok(_)) => panic!("{e}"),
        };
        let Ok(cells) = row else {
            assert!(std::str::from_utf8(line).is_err() || row.is_err());
            continue;
        };
        for (name, cell) in COLUMNS.iter().zip(cells) {
            let mut values = members.iter().filter(|(n, _)| n == name).map(|(_, v)| v);
            let expected = match (values.next(), values.next()) {
                (None, _) => Cell::Missing,
                (Some(_), Some(_)) => Cell::Wrong,
                (Some(Value::Null), None) => Cell::Null,
                (Some(Value::String(text)), None) => Cell::Value(text.clone().into_bytes()),
                // Ids may be numbers, and keys objects: other rules apply.
                _ => continue,
            };
            assert_eq!(*cell, expected, "{name}");
        }
    }
});
