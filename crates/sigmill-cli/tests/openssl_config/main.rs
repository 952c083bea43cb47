//! `sigmill openssl-config` through the command. Whether OpenSSL takes it is tested in
//! `crates/sigmill-openssl`.

use assert_cmd::cargo::cargo_bin_cmd;

fn printed(arguments: &[&str]) -> Result<String, String> {
    let output = cargo_bin_cmd!("sigmill")
        .arg("openssl-config")
        .args(arguments)
        .output()
        .unwrap();
    match output.status.code() {
        Some(0) => Ok(String::from_utf8(output.stdout).unwrap()),
        Some(2) => Err(String::from_utf8(output.stderr).unwrap()),
        other => panic!("exit code {other:?}"),
    }
}

#[test]
fn a_configuration_says_what_was_asked_for() {
    let text = printed(&["--module", "/opt/a b/sigmill.so", "--no-include"]).unwrap();
    assert!(
        text.starts_with("[default]\nopenssl_conf = openssl_init\n"),
        "{text}"
    );
    assert!(text.contains("\nmodule = /opt/a b/sigmill.so\n"), "{text}");
    assert!(text.contains("\nsigmill_key_memory = 64M\n"), "{text}");
    assert!(text.contains("\nsigmill_window = 10\n"), "{text}");
    assert!(text.contains("\nsigmill_ecdh = no\n"), "{text}");
    let default = text.find("\ndefault = sigmill_default\n").unwrap();
    assert!(default < text.find("\nsigmill = sigmill_provider\n").unwrap());
    assert!(!text.contains('@'), "{text}");

    let more = [
        "--key-memory",
        "0",
        "--window",
        "4",
        "--ecdh",
        "--include",
        "x.cnf",
    ];
    let text = printed(&more).unwrap();
    let here = std::env::current_dir().unwrap();
    assert!(
        text.starts_with(&format!(".include = {}/x.cnf\n", here.display())),
        "{text}"
    );
    assert!(text.contains("\nsigmill_key_memory = 0M\n"), "{text}");
    assert!(text.contains("\nsigmill_window = 4\n"), "{text}");
    assert!(text.contains("\nsigmill_ecdh = yes\n"), "{text}");
}

#[test]
fn what_a_configuration_cannot_say_is_refused() {
    for wrong in [
        "/opt/$HOME/x.so",
        "/opt/x\n.so",
        "/opt/#x.so",
        "/opt/\"x.so",
        "/opt/x.so ",
    ] {
        let error = printed(&["--module", wrong]).unwrap_err();
        assert!(error.contains("cannot name such a file"), "{error}");
    }
    assert!(printed(&["--window", "12"]).is_err());
    assert!(printed(&["--include", "x", "--no-include"]).is_err());
}
