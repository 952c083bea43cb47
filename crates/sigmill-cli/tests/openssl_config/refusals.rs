//! Configurations that sigmill cannot be added to, and the reasons.

use std::fs;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;

use super::{System, path, printed};

#[track_caller]
fn refusal(system: &str) -> String {
    match System::new(system) {
        Ok(system) => panic!("{}", system.added),
        Err(error) => error,
    }
}

#[track_caller]
fn assert_refused(system: &str, reason: &str) {
    let error = refusal(system);
    assert!(error.contains(reason), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

const INIT: &str = "openssl_conf = init\n[init]\n";

#[test]
fn limited_providers_are_not_extended() {
    // fips_module(7), for systems on which programs may use nothing else.
    let fips = "config_diagnostics = 1\nopenssl_conf = openssl_init\n[fips_sect]\nactivate = 1\n\
                [openssl_init]\nproviders = provider_sect\n\
                [provider_sect]\nfips = fips_sect\nbase = base_sect\n[base_sect]\nactivate = 1\n";
    let reason = "activates fips, base but not the default provider";
    assert_refused(fips, reason);
    let named = fips.replace("fips = fips_sect", "default = fips_sect");
    let named = named.replace("[fips_sect]", "[fips_sect]\nidentity = fips");
    assert_refused(&named, reason);
    // With properties that require what sigmill lacks, it is loaded but not used.
    let demanding = "[openssl_init]\nalg_section = a\n[a]\ndefault_properties = fips=yes\n";
    let system = System::new(&(fips.to_owned() + demanding)).unwrap();
    assert!(system.warnings.contains("programs use sigmill only if"));
    assert!(
        !system.added.contains("sigmill_default"),
        "{}",
        system.added
    );
}

/// The shell empties the file before the command reads it.
#[test]
#[cfg(unix)]
fn what_is_printed_does_not_replace_what_it_includes() {
    let system = System::new("").unwrap();
    let file = system.file("system.cnf");
    let output = Command::new(cargo_bin!("sigmill"))
        .args(["openssl-config", "--include", path(&file)])
        .stdout(fs::File::create(&file).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("standard output is this file"), "{said}");
}

#[test]
fn providers_that_are_activated_or_not_are_refused() {
    for value in ["0", "no", "off", "2", "", "$ENV::HOME"] {
        let text = format!("{INIT}providers = list\n[list]\nx = y\n[y]\nactivate = {value}\n");
        assert_refused(&text, "[list] x: activate: OpenSSL versions interpret");
    }
    let list = format!("{INIT}providers = list\n[list]\n");
    assert_refused(&format!("{list}x = y\n"), "[list] x: no such section");
    assert_refused(&format!("{list}x = $ENV::HOME\n"), "[list] x: depends");
    assert_refused(
        &format!("{list}a.sigmill = y\n[y]\n"),
        "[list] a.sigmill: already",
    );
    assert_refused(
        &format!("{list}x = y\n[y]\nidentity = sigmill\n"),
        "[list] x: already",
    );
}

#[test]
fn a_configuration_has_sigmill_once() {
    let (text, _) = printed(&["--no-include"]).unwrap();
    assert_refused(&text, "sections: a name begins with sigmill_ already");
    let system = System::new("").unwrap();
    let again = printed(&["--include", path(&system.file("added.cnf"))]);
    assert!(
        again
            .unwrap_err()
            .contains("sections: a name begins with sigmill_ already")
    );
}

#[test]
fn properties_that_cannot_be_added_to_are_refused() {
    for (value, reason) in [
        (
            "?provider=tpm2,tpm2.digest!=yes",
            "already chooses a provider",
        ),
        (
            "fips=yes, Provider != default",
            "already chooses a provider",
        ),
        ("-provider", "already chooses a provider"),
        (
            "x.y='a,b'",
            "expected clauses such as fips=yes, separated by commas",
        ),
        (
            "fips=yes,",
            "expected clauses such as fips=yes, separated by commas",
        ),
        ("$ENV::HOME", "value depends on the environment"),
    ] {
        let value = value.replace('\'', "\\'");
        let text = format!("{INIT}alg_section = a\n[a]\ndefault_properties = {value}\n");
        assert_refused(&text, &format!("[a] default_properties: {reason}"));
    }
    let more = format!("{INIT}alg_section = a\n[a]\ndefault_properties = fips=yes\nx = y\n");
    assert_refused(
        &more,
        "[a] default_properties: must be the last line of its section",
    );
    let two = format!("{INIT}alg_section = a\nalg_section.2 = b\n");
    assert_refused(&two, "openssl_conf: section has more than one alg_section");
    let mode = format!("{INIT}alg_section = a\n[a]\nfips_mode = on\n");
    assert_refused(&mode, "[a] fips_mode: must be yes or no");
}

#[test]
fn names_that_are_not_certain_are_refused() {
    assert_refused(
        "openssl_conf = $ENV::HOME\n",
        "openssl_conf: must be the name of a section",
    );
    assert_refused(
        "openssl_conf = 'a b'\n",
        "openssl_conf: must be the name of a section",
    );
    assert_refused(
        "openssl_conf = sigmill_init\n",
        "openssl_conf: must be the name of a section",
    );
    assert_refused(
        "openssl_conf =\n",
        "openssl_conf: must be the name of a section",
    );
    assert_refused(
        &format!("{INIT}providers = a#\n[a#]"),
        "missing closing bracket",
    );
    assert_refused(
        &format!("{INIT}prov = $ENV::HOME\n"),
        "prov: must be the name of a section",
    );
    assert_refused(
        &format!("{INIT}alg_section.x = a\\#\n"),
        "alg_section.x: must be the name of",
    );
}

/// Node looks for its own name. A file that has it keeps it.
#[test]
fn a_section_for_node_stays() {
    let system = System::new(&format!("nodejs_conf = other\n{INIT}")).unwrap();
    assert!(system.warnings.contains("Node.js will not use sigmill"));
    let system = System::new(&format!("nodejs_conf = init\n{INIT}")).unwrap();
    assert_eq!(system.warnings, "");
}

#[test]
fn includes_that_are_not_certain_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        path(&file).to_owned()
    };
    assert_refused(".include x.cnf", "line 1: .include: path must be absolute");
    // OpenSSL skips this mark only in the first file, and the first file is the printed one.
    assert_refused("\u{feff}openssl_conf = i", "line 1: missing equal sign");
    assert_refused(".include $ENV::HOME/x", "line 1: .include: depends");
    let itself = folder.path().join("itself.cnf");
    let itself = file("itself.cnf", &format!(".include {}", itself.display()));
    assert_refused(
        &format!("\n.include {itself}"),
        "nested too deeply, or circular",
    );
    fs::create_dir(folder.path().join("d")).unwrap();
    file("d/x.conf", "a = b\n.include = /no/such\n");
    let include = format!(".include = {}", folder.path().join("d").display());
    assert_refused(
        &include,
        "d/x.conf, line 2: .include: not supported in a file of an included folder",
    );
    let long = file("long.cnf", &"#".repeat(1 << 20));
    assert_refused(
        &format!(".include {long}"),
        "configuration longer than 1 MiB",
    );
    // Values count too: each of these is 60 KiB from 12 bytes.
    let many = format!(
        "a = {}\n{}",
        "x".repeat(60_000),
        "b = $a$ENV::X\nc = $a\nd=$a\n".repeat(9)
    );
    assert_refused(&many, "configuration longer than 1 MiB");
    assert_refused(
        &format!("a = {}\nb = $a$a\n", "x".repeat(60_000)),
        "longer than 64 KiB",
    );
}
