//! The header matches the sources.

use std::path::Path;
use std::{env, fs};

use cbindgen::{Builder, Config};

/// `SIGMILL_BLESS=1 cargo test -p sigmill-capi --test header` rewrites the header.
#[test]
fn the_header_is_generated_from_the_sources() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = Config::from_file(here.join("cbindgen.toml")).unwrap();
    let builder = Builder::new().with_config(config);
    let builder = builder.with_src(here.join("src/lib.rs"));
    let mut generated = vec![];
    builder.generate().unwrap().write(&mut generated);
    let generated = String::from_utf8(generated).unwrap();
    let header = here.join("include/sigmill.h");
    if env::var_os("SIGMILL_BLESS").is_some() {
        fs::write(&header, &generated).unwrap();
    }
    let found = fs::read_to_string(&header).unwrap();
    assert!(
        found == generated,
        "include/sigmill.h is not what the sources say: SIGMILL_BLESS=1 writes it anew"
    );
}
