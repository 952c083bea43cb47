//! The handwritten `abi.rs` matches the installed headers of OpenSSL.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::mem::offset_of;
use std::process::Command;

use common::{Place, compile, text};
use sigmill_openssl::abi::{
    NAMES, NUMBERS, OSSL_PARAM_UNMODIFIED, OsslAlgorithm, OsslDispatch, OsslItem, OsslParam,
};

macro_rules! layout {
    ($source:ident: $($kind:ident $c:literal { $($field:ident)* })*) => {
        $(
            let size = size_of::<$kind>();
            writeln!($source, "same(sizeof({}), {size}, \"{}\");", $c, $c).unwrap();
            $(
                let (field, offset) = (stringify!($field), offset_of!($kind, $field));
                writeln!(
                    $source,
                    "same(offsetof({}, {field}), {offset}, \"{}.{field}\");",
                    $c, $c
                )
                .unwrap();
            )*
        )*
    };
}

#[test]
fn numbers_names_and_structures_are_those_of_the_headers() {
    let mut source = String::from(
        "#include <openssl/core.h>\n#include <openssl/core_dispatch.h>\n\
         #include <openssl/core_names.h>\n#include <openssl/params.h>\n\
         #include <openssl/prov_ssl.h>\n#include <openssl/provider.h>\n\
         #include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n\
         static int wrong, seen;\n\
         static void same(long long theirs, long long ours, const char *what) {\n\
         seen++; if (theirs != ours) { wrong = 1; printf(\"%s is %lld\\n\", what, theirs); } }\n\
         static void same_text(const char *theirs, const char *ours, const char *what) {\n\
         seen++; if (strcmp(theirs, ours)) {\n\
         wrong = 1; printf(\"%s is %s\\n\", what, theirs); } }\n\
         OSSL_provider_init_fn OSSL_provider_init;\n\
         int main(void) {\n",
    );
    for (name, number) in NUMBERS {
        writeln!(source, "same({name}, {number}LL, \"{name}\");").unwrap();
    }
    for (name, value) in NAMES {
        let value = value.to_str().unwrap();
        // Some names are newer than 3.0.
        writeln!(source, "#ifdef {name}").unwrap();
        writeln!(
            source,
            "same_text({name}, \"{value}\", \"{name}\");\n#endif"
        )
        .unwrap();
    }
    let unmodified = OSSL_PARAM_UNMODIFIED as i64;
    writeln!(
        source,
        "same((long long)OSSL_PARAM_UNMODIFIED, {unmodified}LL, \"OSSL_PARAM_UNMODIFIED\");"
    )
    .unwrap();
    layout!(source:
        OsslDispatch "OSSL_DISPATCH" { function_id function }
        OsslAlgorithm "OSSL_ALGORITHM" {
            algorithm_names property_definition implementation algorithm_description
        }
        OsslItem "OSSL_ITEM" { id ptr }
        OsslParam "OSSL_PARAM" { key data_type data data_size return_size }
    );
    source.push_str("printf(\"%d\\n\", seen); return wrong; }\n");

    let place = Place::new();
    let file = place.path("headers.c");
    fs::write(&file, source).unwrap();
    let Some(program) = compile(&place, &file, "headers", &[]) else {
        return;
    };
    let seen = text(Command::new(program).output().unwrap()).unwrap();
    let seen: usize = seen.trim().parse().unwrap();
    // All numbers and structures, and all names except the newer ones.
    assert!(seen >= NUMBERS.len() + NAMES.len() - 2 + 18, "{seen}");
}
