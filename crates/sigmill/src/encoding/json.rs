//! JSON that every reader interprets in the same way.
//!
//! The visitors are written by hand, because the derive macros cost more compile time than all of
//! JSON.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The number of characters of a member's name that a message quotes.
const MAX_SHOWN_LEN: usize = 40;

/// The names of an object's members so far. Each may occur only once.
#[derive(Debug, Default)]
pub(crate) struct Names<'de>(BTreeSet<Cow<'de, str>>);

impl<'de> Names<'de> {
    /// Returns the name of the next member, whose value must be read next. Fails if the name has
    /// occurred before.
    pub(crate) fn next<A: MapAccess<'de>>(
        &mut self,
        map: &mut A,
    ) -> Result<Option<Cow<'de, str>>, A::Error> {
        let Some(Text(name)) = map.next_key()? else {
            return Ok(None);
        };
        if !self.0.insert(name.clone()) {
            // The message quotes the input, so the name is truncated.
            let shown: String = name.chars().take(MAX_SHOWN_LEN).collect();
            return Err(A::Error::custom(format_args!(
                "the member {shown:?} must not be given twice"
            )));
        }
        Ok(Some(name))
    }
}

/// A text, borrowed if possible.
#[derive(Debug)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor).map(Self)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.into()))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }
}

/// The value of a member that should be a text or an array of texts. The caller decides whether it
/// must be one. Checked like [`Unambiguous`], at any depth.
#[derive(Debug, Default)]
pub(crate) enum Member<'a> {
    /// The member is missing or null.
    #[default]
    Absent,
    /// A text.
    Text(Cow<'a, str>),
    /// An array of texts.
    Texts(Vec<String>),
    /// Anything else.
    Other,
}

impl<'a> Member<'a> {
    /// Returns the text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the texts, if it is an array of them.
    pub(crate) fn texts(&self) -> Option<&[String]> {
        match self {
            Self::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    /// Returns true if it is a text or missing.
    pub(crate) fn may_be_text(&self) -> bool {
        matches!(self, Self::Absent | Self::Text(_))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Member<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MemberVisitor)
    }
}

/// The methods for numbers and booleans, whose values are ignored.
macro_rules! scalars {
    ($value:expr) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a value")
        }

        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
}

struct MemberVisitor;

impl<'de> Visitor<'de> for MemberVisitor {
    type Value = Member<'de>;

    scalars!(Member::Other);

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Member::Absent)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        TextVisitor.visit_str(text).map(Member::Text)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        TextVisitor.visit_borrowed_str(text).map(Member::Text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let (mut texts, mut others) = (Vec::new(), false);
        while let Some(element) = seq.next_element()? {
            match element {
                Member::Text(text) => texts.push(text.into_owned()),
                _ => others = true,
            }
        }
        Ok(match others {
            false => Member::Texts(texts),
            true => Member::Other,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Unambiguous.visit_map(map).map(|_| Member::Other)
    }
}

/// A JSON value with one requirement only: every reader interprets it in the same way.
///
/// So no object may have a member twice, at any depth, because some readers use the first and
/// others the last. Texts must be Unicode without lone surrogates (RFC 7493 §2.1 and §2.3).
#[derive(Debug)]
pub(crate) struct Unambiguous;

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unambiguous {
    type Value = Self;

    scalars!(Unambiguous);

    fn visit_unit<E>(self) -> Result<Self, E> {
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
        let mut names = Names::default();
        while names.next(&mut map)?.is_some() {
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
