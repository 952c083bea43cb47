//! The grammar of configurations: the installed OpenSSL reads them as the command does.

use std::fs;

use super::{System, openssl};

/// Lines that lead to a section with the default properties.
const START: &str = "openssl_conf = i\n[i]\nalg_section = a\n[a]\n";

/// Texts that require `fips=yes`.
const DEMANDING: &[&str] = &[
    "openssl_conf=i\n[i]\nalg_section=a\n[a]\ndefault_properties=fips=yes",
    // Comments, spaces, and line endings.
    "openssl_conf = i # j\n [ i ] j\nalg_section\t=  a  \n[a]# '\n\
     default_properties = fips=yes#,x.y",
    "openssl_conf = i\r\n[i]\r\nalg_section = a\r\r\n[a]\r\ndefault_properties = fips=yes\r\n",
    "openssl_conf = i\n[i]\nalg_section = a\n[ a  b ]\nx\\=y = '#' \"\\\"#\n[a]\n\
     default_properties = fips=yes",
    // Continued lines, and lines that end with two backslashes.
    "openssl_\\\nconf = i\n[i]\nalg_section = \\\r\n a\n[a]\ndefault_properties = fi\\\nps=yes",
    "openssl_conf = i\n[x]\ny = z\\\\\n[i]\nalg_section = a\n[a]\ndefault_properties = fips=yes",
    "openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = fips=yes\\",
    // Quotes and escapes.
    "openssl_conf = 'i'\n[i]\nalg_section = \"\\a\"\n[a]\ndefault_properties = `fips`\\=y\"e\"s",
    "openssl_conf = i\n[i]\nalg_section = a\\-b\n[\\a-b]\ndefault_properties = fips=yes",
    // Variables of this section, of another one, of none, and one that only looks like another.
    "yes = yes\nv = i\nopenssl_conf = $v\n[w]\nv = a\n[i]\nalg_section = ${w::v}\n[a]\n\
     default_properties = fips\ndefault_properties = $default_properties=$(yes)",
    "v = fips\nopenssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = $none::v=yes",
    "openssl_conf = i\n[i]\nENV::HOME = a\nalg_section = $ENV::HOME\n[a]\n\
     default_properties = fips=yes",
    // The last line of a name takes effect, wherever it is.
    "openssl_conf = j\nopenssl_conf = i\n[i]\nalg_section = b\nalg_section = a\n\
     a::default_properties = fips=yes",
    "openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = ?x.y=1\n[b]\n[a]\n\
     default_properties = fips=yes",
    // Modules under other names.
    "openssl_conf = i\n[i]\nalg_section.x = a\n[a]\ndefault_properties = fips=yes",
    "openssl_conf = i\n[i]\nalg = a\n[a]\ndefault_properties = fips=yes",
    // Pragmas.
    ".pragma dollarid : TRUE\nopenssl_conf = i\n[$i]\n[i]\nalg_section = a\nx::$v = fips\n[a]\n\
     default_properties = ${x::$v}=yes",
    ".pragma=dollarid:on\n.pragma = dollarid: off\nv = i\nopenssl_conf = $v\n[i]\n\
     alg_section = a\n[a]\ndefault_properties = fips=yes",
    ".pragmax = other:thing\nopenssl_conf = i\n[i]\nalg_section = a\n[a]\n\
     default_properties = fips=yes",
];

/// Texts that do not require `fips=yes`.
const OTHERS: &[&str] = &[
    "openssl_conf = i\n[i]\nalg_section = a\n[a]\n  #default_properties = fips=yes",
    "openssl_conf = i\n[i]\nalg_section = a\n[a]\n# it goes on \\\ndefault_properties = fips=yes",
    "openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = fips=yes\n[b]\n[a]\n\
     default_properties = ?x.y=1",
    "openssl_conf = i\n[j]\nalg_section = a\n[a]\ndefault_properties = fips=yes",
    "[i]\nopenssl_conf = i\nalg_section = a\n[a]\ndefault_properties = fips=yes",
    "openssl_conf = i\n[i]\nx::alg_section = a\n[a]\ndefault_properties = fips=yes",
];

/// Lines that OpenSSL refuses, with the lines before them.
const ERRORS: &[&str] = &[
    "a",
    "a b = c",
    "a = $b",
    "a = ${b",
    "b = 1\nc = ${b",
    "b = 1\nc = ${b)",
    "a = $(b::c)",
    "[a",
    "[a$]",
    ".pragma x",
    ".pragma = :x",
    ".pragma = x:",
    ".pragma = dollarid:maybe",
    "\u{e4} = b",
    "x = 'y\\' # '\n-",
];

#[test]
fn openssl_and_the_command_agree() {
    for text in DEMANDING {
        agree(text, true);
    }
    for text in OTHERS {
        agree(text, false);
    }
}

#[track_caller]
fn agree(text: &str, demands_fips: bool) {
    let system = System::new(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(system.warnings.contains("fips=yes"), demands_fips, "{text}");
    for answer in system.openssl("dgst -md5 added.cnf") {
        assert_eq!(answer.is_err(), demands_fips, "{text}: {answer:?}");
    }
}

#[test]
fn openssl_and_the_command_refuse_the_same() {
    for line in ERRORS {
        let text = format!("{START}default_properties = fips=yes\n{line}\n");
        let Err(error) = System::new(&text) else {
            panic!("{line}");
        };
        assert!(error.contains(", line "), "{line}: {error}");
        // The lines before this one would make OpenSSL refuse MD5.
        let file = tempfile::NamedTempFile::with_suffix(".cnf").unwrap();
        fs::write(&file, text).unwrap();
        assert!(
            openssl(file.path(), "dgst -md5 /dev/null").is_ok(),
            "{line}"
        );
    }
}

#[test]
fn included_files_and_folders_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let write = |name: &str, text: &str| fs::write(path(name), text).unwrap();
    fs::create_dir(path("d")).unwrap();
    // A section continues after the include, and beyond the included file.
    write("one", "[i]\nalg_section = a\n[a]\n");
    write("two", &format!(".include {}", path("three")));
    write("three", "default_properties = fips=yes\\\n");
    write("d/x.CNF", "default_properties = fips=yes");
    write("d/y.txt", "default_properties = ?x.y=1");
    write("d/.cnf", "default_properties = ?x.y=1");
    let [one, two, d] = ["one", "two", "d"].map(path);
    for (includes, demands_fips) in [
        (format!(".include = {one}\n.include={two}"), true),
        (format!(".include {one}\n.include {d}"), true),
        (
            format!("x = {one}\n.include = $x\n.includes {two}\n.include /no/such/file"),
            true,
        ),
        (
            format!(".include = {one}\n#.include {two}\n.include {two}/x"),
            false,
        ),
        (format!(".include = {two}\n.include {one}"), false),
    ] {
        agree(&format!("openssl_conf = i\n{includes}"), demands_fips);
    }
}
