//! Writes, for each version of jsonwebtoken, a source file that includes the tests of its package
//! as modules.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

/// The files that cargo builds as tests.
const TESTS: [&str; 2] = ["hmac.rs", "lib.rs"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../Cargo.lock");
    let metadata = Command::new(env::var_os("CARGO").expect("cargo sets CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        // Packages for other targets need not be fetched.
        .arg("--filter-platform")
        .arg(env::var_os("TARGET").expect("cargo sets TARGET"))
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&metadata.stderr);
    assert!(metadata.status.success(), "{errors}");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    for package in packages
        .iter()
        .filter(|package| package["name"] == "jsonwebtoken")
    {
        let manifest = package["manifest_path"].as_str().expect("it has a path");
        let version = package["version"].as_str().expect("it has a version");
        let major = version.split('.').next().expect("it has numbers");
        write(major, &Path::new(manifest).with_file_name("tests"));
    }
}

fn write(major: &str, tests: &Path) {
    let modules = TESTS.map(|file| {
        let path = tests.join(file);
        assert!(path.exists(), "{} is missing", path.display());
        let name = Path::new(file)
            .file_stem()
            .expect("it has a name")
            .display();
        format!("#[path = {path:?}]\n#[allow(warnings, clippy::all)]\nmod {name}_tests;\n")
    });
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join(format!("v{major}.rs")), modules.concat()).expect("OUT_DIR can be written");
}
