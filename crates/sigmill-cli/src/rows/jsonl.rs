//! A line of JSON Lines: one object, whose members are the columns.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::rows::columns::Wanted;
use crate::rows::defect::RowDefect;
use crate::rows::fields::{Column, Field, RawRow};

/// The length at which the parser's message is truncated.
const MAX_RULE_LEN: usize = 120;

/// Reads `line` into `row`. After an error `row` holds what precedes the error, so that an id is
/// not lost.
pub(crate) fn read_row<'a>(
    line: &'a [u8],
    wanted: &Wanted,
    row: &mut RawRow<'a>,
) -> Result<(), RowDefect> {
    // This includes members that do not matter: JSON text is UTF-8 (RFC 8259 §8.1).
    let line = std::str::from_utf8(line)
        .map_err(|e| RowDefect::Json(format!("invalid UTF-8 at byte {}", e.valid_up_to() + 1)))?;
    let mut deserializer = serde_json::Deserializer::from_str(line);
    (&mut deserializer)
        .deserialize_map(RowVisitor { wanted, row })
        .and_then(|()| deserializer.end())
        .map_err(|e| RowDefect::Json(describe(&e)))
}

/// Returns the message of serde_json, with the position counted in the line.
fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let rule = text.strip_suffix(&place).unwrap_or(&text);
    // The rule may quote the line.
    let shown: String = rule.chars().take(MAX_RULE_LEN).collect();
    format!("{shown} at byte {}", error.column())
}

struct RowVisitor<'r, 'a> {
    wanted: &'r Wanted,
    row: &'r mut RawRow<'a>,
}

impl<'a> Visitor<'a> for RowVisitor<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(column) = map.next_key_seed(NameSeed(self.wanted))? {
            let Some(column) = column else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = map.next_value_seed(FieldSeed(column))?;
            let field = self.row.field_mut(column);
            *field = match field {
                Field::Missing => value,
                _ => Field::Duplicate,
            };
        }
        Ok(())
    }
}

/// Reads the name of a member, and returns its column if it is one to read.
struct NameSeed<'r>(&'r Wanted);

impl<'a> DeserializeSeed<'a> for NameSeed<'_> {
    type Value = Option<Column>;

    fn deserialize<D: serde::Deserializer<'a>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NameSeed<'_> {
    type Value = Option<Column>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.column(name))
    }
}

/// Reads the value of a member that matters.
struct FieldSeed(Column);

impl FieldSeed {
    fn number<'a>(self, number: impl ToString) -> Field<'a> {
        match self.0 {
            Column::Id | Column::Hint => Field::Text(Cow::Owned(number.to_string().into_bytes())),
            _ => Field::Wrong("a number"),
        }
    }
}

impl<'a> DeserializeSeed<'a> for FieldSeed {
    type Value = Field<'a>;

    fn deserialize<D: serde::Deserializer<'a>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for FieldSeed {
    type Value = Field<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<Field<'a>, E> {
        Ok(Field::Text(Cow::Borrowed(text.as_bytes())))
    }

    fn visit_str<E>(self, text: &str) -> Result<Field<'a>, E> {
        Ok(Field::Text(Cow::Owned(text.as_bytes().to_vec())))
    }

    fn visit_unit<E>(self) -> Result<Field<'a>, E> {
        Ok(Field::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Field<'a>, E> {
        Ok(Field::Wrong("a boolean"))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Field<'a>, E> {
        Ok(self.number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Field<'a>, E> {
        Ok(self.number(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Field<'a>, E> {
        Ok(self.number(number))
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<Field<'a>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Field::Wrong("an array"))
    }

    /// A key may be a JWK that is an object in the row instead of text.
    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Field<'a>, A::Error> {
        if self.0 != Column::Key {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Field::Wrong("an object"));
        }
        // The text is passed on unchanged, so that the library judges duplicate members and
        // strings.
        let mut jwk = String::from("{");
        while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
            if jwk.len() > 1 {
                jwk.push(',');
            }
            jwk.push_str(&serde_json::Value::String(name).to_string());
            jwk.push(':');
            jwk.push_str(value.get());
        }
        jwk.push('}');
        Ok(Field::Text(Cow::Owned(jwk.into_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::columns::ColumnNames;

    fn wanted() -> Wanted {
        let names = ColumnNames {
            signature: "sig".to_owned(),
            ..ColumnNames::default()
        };
        Wanted::new(names, &[]).unwrap()
    }

    fn read(line: &str) -> (Result<(), String>, RawRow<'_>) {
        let mut row = RawRow::default();
        let result = read_row(line.as_bytes(), &wanted(), &mut row).map_err(|e| e.to_string());
        (result, row)
    }

    fn text(text: &str) -> Field<'_> {
        Field::Text(Cow::Borrowed(text.as_bytes()))
    }

    #[test]
    fn members_become_fields() {
        let (result, row) = read(concat!(
            r#"{"x":[{}],"alg":"ES256","key":{"kty":"EC"},"#,
            r#""message":"a\nb","digest":null,"sig":7,"id":17}"#,
        ));
        assert_eq!(result, Ok(()));
        assert_eq!(row.alg, text("ES256"));
        assert_eq!(row.key, text(r#"{"kty":"EC"}"#));
        assert_eq!(row.message, text("a\nb"));
        assert_eq!(row.digest, Field::Null);
        assert_eq!(row.signature, Field::Wrong("a number"));
        assert_eq!(row.id, text("17"));
    }

    #[test]
    fn the_common_case_borrows() {
        let (_, row) = read(r#"{"sig":"abcd"}"#);
        assert!(matches!(row.signature, Field::Text(Cow::Borrowed(_))));
        assert_eq!(row.key, Field::Missing);
    }

    #[test]
    fn twice_is_not_once() {
        assert_eq!(
            read(r#"{"sig":"a","sig":"b"}"#).1.signature,
            Field::Duplicate
        );
        assert_eq!(
            read(r#"{"s\u0069g":null,"sig":"b","sig":"c"}"#).1.signature,
            Field::Duplicate
        );
    }

    #[test]
    fn what_is_no_object_is_told_where() {
        let (result, row) = read(r#"{"id":"seven","sig":}"#);
        assert_eq!(
            result.unwrap_err(),
            "row: must be one JSON object: expected value at byte 21"
        );
        assert_eq!(row.id, text("seven"));
        for line in [
            "[]",
            "7",
            "\"a\"",
            "null",
            "{} {}",
            "{",
            "{\"a\":1,}",
            "\u{0}",
        ] {
            assert!(
                read(line)
                    .0
                    .unwrap_err()
                    .starts_with("row: must be one JSON object: "),
                "{line}"
            );
        }
        let mut row = RawRow::default();
        assert!(read_row(b"{\"sig\":\"\xff\"}", &wanted(), &mut row).is_err());
    }
}
