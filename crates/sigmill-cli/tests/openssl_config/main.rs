//! The output of `sigmill openssl-config`, and its effect on the installed OpenSSL.

mod grammar;
mod refusals;
mod systems;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin_cmd;
use tempfile::TempDir;

/// Runs the command. Returns the configuration and the warnings, or the error.
fn printed(arguments: &[&str]) -> Result<(String, String), String> {
    let output = cargo_bin_cmd!("sigmill")
        .arg("openssl-config")
        .args(arguments)
        .env_remove("OPENSSL_CONF")
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    match output.status.code() {
        Some(0) => Ok((String::from_utf8(output.stdout).unwrap(), stderr)),
        Some(2) => Err(stderr),
        other => panic!("exit code {other:?}"),
    }
}

/// A configuration of a system, and the one that adds sigmill to it.
struct System {
    folder: TempDir,
    /// The text of the second one.
    added: String,
    warnings: String,
}

impl System {
    fn new(text: &str) -> Result<Self, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("system.cnf"), text).unwrap();
        let mut system = Self {
            folder,
            added: String::new(),
            warnings: String::new(),
        };
        let (module, file) = (module(), system.file("system.cnf"));
        let options = ["--module", path(&module), "--include", path(&file)];
        (system.added, system.warnings) = printed(&options)?;
        fs::write(system.file("added.cnf"), &system.added).unwrap();
        Ok(system)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the output of `openssl` with each of the two configurations; `Err` if it fails.
    fn openssl(&self, arguments: &str) -> [Result<String, String>; 2] {
        ["system.cnf", "added.cnf"].map(|name| openssl(&self.file(name), arguments))
    }

    /// Returns the providers with each of the two configurations.
    fn providers(&self) -> [Vec<String>; 2] {
        // Their names are the lines with one level of indentation.
        let is_name = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
        self.openssl("list -providers").map(|list| {
            let list = list.unwrap();
            list.lines()
                .filter(is_name)
                .map(|line| line.trim().into())
                .collect()
        })
    }

    /// Returns true if sigmill provides ECDSA. It does not sign messages hashed with MD5; the
    /// default provider does.
    fn uses_sigmill(&self) -> bool {
        let key = "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem";
        self.openssl(key)[0].as_ref().unwrap();
        fs::write(self.file("message"), "message").unwrap();
        let sign = |digest| self.openssl(&format!("dgst -{digest} -sign key.pem -out s message"));
        assert!(sign("sha256")[1].is_ok());
        let [stock, added] = sign("md5");
        assert!(stock.is_ok());
        added.is_err()
    }
}

/// Returns the output of `openssl` with a configuration, run in its folder; `Err` if it fails.
fn openssl(config: &Path, arguments: &str) -> Result<String, String> {
    let mut command = Command::new("openssl");
    command.args(arguments.split_whitespace());
    command.env("OPENSSL_CONF", config);
    command.current_dir(config.parent().unwrap());
    text(command.output().unwrap())
}

/// Returns the module that cargo built for the test.
fn module() -> PathBuf {
    let module = env::current_exe()
        .unwrap()
        .with_file_name("libsigmill_openssl.so");
    assert!(module.exists(), "{} is not built", module.display());
    module
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn text(output: Output) -> Result<String, String> {
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout).unwrap()),
        false => Err(String::from_utf8(output.stderr).unwrap()),
    }
}

#[test]
fn a_configuration_says_what_was_asked_for() {
    let options = ["--module", "/opt/a b/sigmill.so", "--no-include"];
    let (text, warnings) = printed(&options).unwrap();
    assert_eq!(warnings, "");
    assert!(
        text.starts_with("[default]\nopenssl_conf = sigmill_init\n"),
        "{text}"
    );
    assert!(text.contains("\nmodule = /opt/a b/sigmill.so\n"), "{text}");
    assert!(text.contains("\nsigmill_key_memory = 64M\n"), "{text}");
    assert!(text.contains("\nsigmill_window = 10\n"), "{text}");
    assert!(text.contains("\nsigmill_ecdh = no\n"), "{text}");
    let default = text.find("\ndefault = sigmill_default\n").unwrap();
    assert!(default < text.find("\nsigmill = sigmill_provider\n").unwrap());
    assert!(!text.contains('@'), "{text}");

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.cnf"), "").unwrap();
    let more = [
        "openssl-config",
        "--key-memory",
        "0",
        "--window",
        "4",
        "--ecdh",
        "--include",
        "x.cnf",
    ];
    let output = cargo_bin_cmd!("sigmill")
        .args(more)
        .current_dir(&folder)
        .output()
        .unwrap();
    let text = self::text(output).unwrap();
    let file = folder.path().canonicalize().unwrap().join("x.cnf");
    assert!(
        text.contains(&format!("\n.include = {}\n", file.display())),
        "{text}"
    );
    assert!(text.contains("\nsigmill_key_memory = 0M\n"), "{text}");
    assert!(text.contains("\nsigmill_window = 4\n"), "{text}");
    assert!(text.contains("\nsigmill_ecdh = yes\n"), "{text}");
}

/// A configuration from `OPENSSL_CONF` is not the system's.
#[test]
fn the_variable_is_not_passed_over_in_silence() {
    let warnings = |options: &[&str]| {
        let mut command = cargo_bin_cmd!("sigmill");
        command.arg("openssl-config").args(options);
        let output = command.env("OPENSSL_CONF", "/my.cnf").output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(warnings(&[]).contains("OPENSSL_CONF: /my.cnf is not included"));
    assert_eq!(warnings(&["--no-include"]), "");
    assert_eq!(warnings(&["--include", "/dev/null"]), "");
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
        let error = printed(&["--module", wrong, "--no-include"]).unwrap_err();
        assert!(
            error.contains("an OpenSSL configuration cannot hold"),
            "{error}"
        );
    }
    assert!(printed(&["--window", "12"]).is_err());
    assert!(printed(&["--include", "x", "--no-include"]).is_err());
    let error = printed(&["--include", "/no/such.cnf"]).unwrap_err();
    assert!(error.starts_with("error: /no/such.cnf: "), "{error}");
}
