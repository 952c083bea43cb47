//! `sigmill recover --transactions` without the feature that reads transactions.

use assert_cmd::cargo::cargo_bin_cmd;

#[test]
fn the_missing_feature_is_named() {
    let mut command = cargo_bin_cmd!("sigmill");
    let output = command
        .args(["recover", "-", "--transactions"])
        .write_stdin("0xf86c09\n")
        .assert()
        .code(2);
    let error = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(error.contains("feature \"transactions\""), "{error}");
    assert!(error.contains("--features transactions"), "{error}");
    assert!(output.get_output().stdout.is_empty());
}
