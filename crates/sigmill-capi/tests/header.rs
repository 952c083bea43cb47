//! The header matches the sources.

use std::path::Path;
use std::{env, fs};

use cbindgen::{Builder, Config};

/// `SIGMILL_BLESS=1 cargo test -p sigmill-capi --test header` rewrites the header.
#[test]
fn the_header_is_generated_from_the_sources() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let errors = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sigmill_error.rs");
    fs::write(&errors, enum_of_errors()).unwrap();
    let config = Config::from_file(here.join("cbindgen.toml")).unwrap();
    let builder = Builder::new().with_config(config).with_src(errors);
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

/// Returns the enum of all errors as Rust, from which cbindgen makes that of C.
fn enum_of_errors() -> String {
    let mut text = String::from(
        "/// The result of a function: `SIGMILL_OK`, or the rule that is broken.
         /// `sigmill_error_name` and `sigmill_error_message` return it in words. Numbers and names
         /// stay the same between versions; a later version may add more. Missing numbers belong
         /// to rules that no function of this interface checks.
         #[repr(i32)]
         pub enum sigmill_error {\n",
    );
    for rule in sigmill_capi::error::rules() {
        let number = rule.number.unwrap();
        // The documentation of a rule of the library adds to its message.
        if number >= 100 {
            text += &comment(rule.message.to_str().unwrap());
        }
        for doc in rule.docs {
            text += &format!("///{doc}\n");
        }
        let name = rule.reason.to_str().unwrap().replace('-', "_");
        let name = if number == 0 {
            name
        } else {
            format!("error_{name}")
        };
        text += &format!("SIGMILL_{} = {number},\n", name.to_uppercase());
    }
    text + "}\n"
}

/// Returns a message as a comment, in lines of at most 100 bytes.
fn comment(message: &str) -> String {
    let (mut text, mut line) = (String::new(), String::from("///"));
    for word in message.split(' ') {
        if line.len() + word.len() > 98 {
            text += &format!("{line}\n");
            line = String::from("///");
        }
        line += &format!(" {word}");
    }
    text + &format!("{line}.\n")
}
