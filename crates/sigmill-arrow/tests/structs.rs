//! Structs that break a rule, also in columns that nobody reads, and columns of every type that may
//! be accepted. False statements in arrays of bytes are tested where those come from: by the C
//! interface (`tests/bad_inputs/arrow.rs`) and by Python (`tests/test_hostile.py`).

use std::ffi::{CStr, c_void};
use std::ptr;

use sigmill_arrow::ErrorKind::{self, *};
use sigmill_arrow::{Accepted, ArrowArray, ArrowSchema, Fields};

const BYTES: Accepted = Accepted {
    text: false,
    integers: false,
    nulls: false,
    name: "bytes",
};

unsafe extern "C" fn release_schema(_: *mut ArrowSchema) {}

unsafe extern "C" fn release_array(_: *mut ArrowArray) {}

fn schema(format: &'static CStr, name: &'static CStr) -> ArrowSchema {
    ArrowSchema {
        format: format.as_ptr(),
        name: name.as_ptr(),
        metadata: ptr::null(),
        flags: 2,
        n_children: 0,
        children: ptr::null(),
        dictionary: ptr::null(),
        release: Some(release_schema),
        private_data: ptr::null_mut(),
    }
}

fn array(length: i64, buffers: &[*const c_void]) -> ArrowArray {
    ArrowArray {
        length,
        null_count: -1,
        offset: 0,
        n_buffers: buffers.len() as i64,
        n_children: 0,
        buffers: buffers.as_ptr(),
        children: ptr::null(),
        dictionary: ptr::null(),
        release: Some(release_array),
        private_data: ptr::null_mut(),
    }
}

/// A struct of three rows with the columns `a`, whose values are `aa`, null and `cc`, and `b`.
struct Table {
    schema: ArrowSchema,
    array: ArrowArray,
    schemas: [*const ArrowSchema; 2],
    arrays: [*const ArrowArray; 2],
    a: (ArrowSchema, ArrowArray),
    b: (ArrowSchema, ArrowArray),
}

/// Returns the values of column `a`, or the error. `change` adapts the table, `link` the pointers
/// to its columns.
fn read(
    change: impl FnOnce(&mut Table),
    link: impl FnOnce(&mut Table),
    accepted: &Accepted,
) -> Result<Vec<Option<Vec<u8>>>, (ErrorKind, String)> {
    let (validity, bytes, none) = ([0b101_u8], *b"aabbcc", [ptr::null()]);
    let fixed = [validity.as_ptr().cast(), bytes.as_ptr().cast()];
    let mut table = Table {
        schema: schema(c"+s", c""),
        array: array(3, &none),
        schemas: [ptr::null(); 2],
        arrays: [ptr::null(); 2],
        a: (schema(c"w:2", c"a"), array(3, &fixed)),
        b: (schema(c"w:1", c"b"), array(3, &fixed)),
    };
    (table.schema.n_children, table.array.n_children) = (2, 2);
    change(&mut table);
    table.schemas = [&raw const table.a.0, &raw const table.b.0];
    table.arrays = [&raw const table.a.1, &raw const table.b.1];
    table.schema.children = table.schemas.as_ptr();
    table.array.children = table.arrays.as_ptr();
    link(&mut table);
    // SAFETY: schema and array match their formats, numbers and lengths, or are rejected.
    let read = || unsafe {
        let Some(fields) = Fields::of(&table.schema)? else {
            return Ok(None);
        };
        let rows = fields.rows(&table.array)?;
        let number = fields.find("a")?.expect("there is such a column");
        rows.column(number, accepted).map(Some)
    };
    let column = read().map_err(|error| (error.kind, error.rule))?;
    let column = column.expect("it is a struct");
    let value = |row| column.value(row).unwrap().map(<[u8]>::to_vec);
    Ok((0..column.rows()).map(value).collect())
}

#[test]
fn a_column_is_read() {
    let values = [Some(b"aa".to_vec()), None, Some(b"cc".to_vec())];
    assert_eq!(read(|_| {}, |_| {}, &BYTES), Ok(values.to_vec()));
    let part = |table: &mut Table| (table.array.offset, table.array.length) = (1, 2);
    assert_eq!(read(part, |_| {}, &BYTES), Ok(values[1..].to_vec()));
    let both = |table: &mut Table| {
        part(table);
        (table.a.1.offset, table.a.1.length) = (1, 2);
        table.array.offset = 0;
    };
    assert_eq!(read(both, |_| {}, &BYTES), Ok(values[1..].to_vec()));
}

#[test]
fn structs_that_break_a_rule() {
    let changed = |change: fn(&mut Table)| read(change, |_| {}, &BYTES).unwrap_err().0;
    let linked = |link: fn(&mut Table)| read(|_| {}, link, &BYTES).unwrap_err();
    assert_eq!(changed(|table| table.schema.release = None), Released);
    assert_eq!(changed(|table| table.array.release = None), Released);
    assert_eq!(changed(|table| table.a.1.release = None), Released);
    assert_eq!(changed(|table| table.schema.format = ptr::null()), Format);
    assert_eq!(changed(|table| table.b.0.name = c"a".as_ptr()), Columns);
    assert_eq!(changed(|table| table.schema.n_children = -2), Children);
    assert_eq!(changed(|table| table.schema.n_children = 1 << 60), Children);
    assert_eq!(changed(|table| table.array.n_children = 1), Children);
    assert_eq!(changed(|table| table.array.n_buffers = 0), Buffers);
    assert_eq!(changed(|table| table.array.n_buffers = 2), Buffers);
    assert_eq!(changed(|table| table.array.buffers = ptr::null()), Buffers);
    let beside = ptr::without_provenance(size_of::<usize>() + 1);
    assert_eq!(
        read(|table| table.array.buffers = beside, |_| {}, &BYTES)
            .unwrap_err()
            .0,
        Buffers
    );
    assert_eq!(changed(|table| table.array.length = 4), Length);
    assert_eq!(changed(|table| table.array.offset = 1), Length);
    assert_eq!(changed(|table| table.array.offset = i64::MAX), Length);
    assert_eq!(changed(|table| table.a.1.length = 2), Length);
    let null_row = |table: &mut Table| table.array.buffers = table.a.1.buffers;
    let error = read(null_row, |_| {}, &BYTES).unwrap_err();
    assert_eq!(error, (Nulls, "row 1 must not be null as a whole".into()));

    let of_schema = (Children, "the columns of the schema must be there".into());
    let of_array = (Children, "the columns must be there".into());
    assert_eq!(
        linked(|table| table.schema.children = ptr::null()),
        of_schema
    );
    assert_eq!(linked(|table| table.array.children = ptr::null()), of_array);
    assert_eq!(
        linked(|table| table.schema.children = ptr::without_provenance(1)),
        of_schema
    );
    assert_eq!(
        linked(|table| table.array.children = ptr::without_provenance(1)),
        of_array
    );
    // A column that nobody reads is also checked.
    assert_eq!(linked(|table| table.schemas[1] = ptr::null()).0, Children);
    assert_eq!(linked(|table| table.arrays[1] = ptr::null()).0, Children);
    let beside = (
        Children,
        "the columns must be there, each of them, and aligned".into(),
    );
    assert_eq!(
        linked(|table| table.arrays[0] = ptr::without_provenance(1)),
        beside
    );
    let dictionaries = |table: &mut Table| {
        table.a.0.format = c"c".as_ptr();
        table.a.0.dictionary = ptr::without_provenance(1);
        table.a.1.dictionary = ptr::without_provenance(1);
    };
    let error = read(dictionaries, |_| {}, &BYTES).unwrap_err();
    let rule = "the dictionaries of schema and array must be aligned";
    assert_eq!(error, (Children, rule.into()));
}

#[test]
fn types_are_accepted_where_they_are_to_be() {
    let formats: [(&CStr, Accepted); 3] = [
        (
            c"C",
            Accepted {
                integers: true,
                ..BYTES
            },
        ),
        (
            c"n",
            Accepted {
                nulls: true,
                ..BYTES
            },
        ),
        (
            c"u",
            Accepted {
                text: true,
                ..BYTES
            },
        ),
    ];
    let offsets = [0_i32, 1, 2, 3];
    for (format, accepted) in formats {
        let text = [ptr::null(), offsets.as_ptr().cast(), c"abc".as_ptr().cast()];
        let change = |table: &mut Table| {
            table.a.0.format = format.as_ptr();
            if format == c"u" {
                table.a.1 = array(3, &text);
            }
        };
        assert_eq!(read(change, |_| {}, &accepted).unwrap().len(), 3);
        assert_eq!(read(change, |_| {}, &BYTES).unwrap_err().0, Format);
        // An array with children has another error than one of another type.
        let with_children = |table: &mut Table| {
            table.a.0.format = c"+l".as_ptr();
            table.a.1.n_children = 1;
        };
        let error = read(with_children, |_| {}, &accepted).unwrap_err();
        let rule = "must be bytes, not Arrow's format \"+l\"";
        assert_eq!(error, (Children, rule.into()));
    }
}
