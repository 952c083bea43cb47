//! A table as a C array that OpenSSL's sources can include. The form is that of Drucker and Gueron,
//! "Speeding-Up P-256 ECDSA Verification on x86-64 Servers", Appendix B, and of OpenSSL's own table
//! of the generator.

use std::io::{self, Write};

use super::points::{Point, Rows};

/// Writes the array: each row of the table in braces, coordinates in Montgomery form, two limbs per
/// line, the lowest first.
///
/// For P-256 and a window of 7 bits the declaration is OpenSSL's, so that the array can replace it.
/// For other tables the dimensions and the names of the array and of its type differ accordingly.
pub(super) fn write(out: &mut impl Write, rows: Rows<'_>) -> io::Result<()> {
    let bits = rows.curve.field_bits();
    let name = format!("ecp_nistz{bits}_precomputed");
    let point = format!("P{bits}_POINT_AFFINE");
    let (len, row_len) = (rows.len, rows.row_len());
    write!(
        out,
        "\
#if defined(__GNUC__)
__attribute__((aligned(4096)))
#elif defined(_MSC_VER)
__declspec(align(4096))
#elif defined(__SUNPRO_C)
# pragma align 4096({name})
#endif
static const BN_ULONG {name}[{len}][{row_len} *
    sizeof({point}) / sizeof(BN_ULONG)] = {{
"
    )?;
    for (i, row) in rows.rows.enumerate() {
        out.write_all(b"    {\n")?;
        write_row(out, &row)?;
        out.write_all(if i + 1 < len { b"    },\n" } else { b"    }\n" })?;
    }
    out.write_all(b"};\n")
}

fn write_row(out: &mut impl Write, row: &[Point]) -> io::Result<()> {
    let limbs: Vec<u64> = row
        .iter()
        .flat_map(|point| [&point.x, &point.y])
        .flat_map(|coordinate| coordinate.limbs.iter().copied())
        .collect();
    let last = limbs.len() - 1;
    for (i, limb) in limbs.iter().enumerate() {
        let indent = if i % 2 == 0 { "        " } else { "" };
        let end = match (i == last, i % 2 == 0) {
            (true, _) => "\n",
            (false, true) => ", ",
            (false, false) => ",\n",
        };
        write!(
            out,
            "{indent}TOBN(0x{:08x}, 0x{:08x}){end}",
            limb >> 32,
            limb & 0xffff_ffff
        )?;
    }
    Ok(())
}
