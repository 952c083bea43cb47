//! JSON that every reader reads alike.

use alloc::collections::BTreeSet;
use alloc::string::String;
use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON value of which only one thing is asked: that every reader reads the same from it.
///
/// So no object has a member twice, at any depth, of which one reader takes the first and another
/// the last, and texts hold Unicode without lone surrogates (RFC 7493 §2.1 and §2.3).
#[derive(Debug)]
pub struct Unambiguous;

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unambiguous {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if names.contains(&name) {
                // The message quotes the input, so it is cut off.
                let shown: String = name.chars().take(40).collect();
                return Err(A::Error::custom(format_args!(
                    "the member {shown:?} must not be given twice"
                )));
            }
            names.insert(name);
            map.next_value::<Self>()?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    fn read(text: &str) -> Result<(), String> {
        let read = serde_json::from_str::<Unambiguous>(text);
        read.map(|_| ()).map_err(|e| e.to_string())
    }

    #[test]
    fn takes_every_kind_of_value() {
        let text = r#" {"a":[null,true,-1,1,1.5e3,"\ud83d\ude00\u0000",{}],"b":{"a":{"a":0}}} "#;
        assert_eq!(read(text), Ok(()));
    }

    #[test]
    fn refuses_a_member_twice_at_any_depth() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"b":2,"\u0061":3}"#,
            r#"{"b":[0,{"c":{"a":1,"a":2}}]}"#,
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(r#""a" must not be given twice"#), "{error}");
            let error = serde_json::from_str::<Unambiguous>(text).unwrap_err();
            assert!(error.is_data());
        }
        let long = "x".repeat(1000);
        let error = read(&alloc::format!(r#"{{"{long}":1,"{long}":1}}"#)).unwrap_err();
        assert!(error.len() < 120, "{error}");
    }

    #[test]
    fn refuses_what_is_no_json_where_a_lenient_reader_would_skip_it() {
        let deep = "[".repeat(1000) + &"]".repeat(1000);
        for text in [
            r#"{"a":"\ud800"}"#,
            r#"{"a":"\udc00\ud800"}"#,
            r#"{"\ud800":1}"#,
            "{\"a\":\"\u{0}\"}",
            "\u{feff}{}",
            "{} {}",
            r#"{"a":1e999}"#,
            &deep,
        ] {
            let error = serde_json::from_str::<Unambiguous>(text).unwrap_err();
            assert!(!error.is_data(), "{text}: {error}");
        }
    }
}
