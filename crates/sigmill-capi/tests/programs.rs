//! The examples, built and run as users do: installed by `install.sh`, found by `pkg-config`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use tempfile::TempDir;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the libraries that cargo built, which is that of this test.
fn built() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

fn is_there(program: &str) -> bool {
    let mut asked = Command::new(program);
    asked.arg(if program == "go" {
        "version"
    } else {
        "--version"
    });
    let quiet = asked.stdout(Stdio::null()).stderr(Stdio::null());
    let found = quiet.status().is_ok_and(|status| status.success());
    if !found {
        println!("skipped: there is no {program}");
    }
    found
}

/// Returns the output of a program, which must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    text(&output.stdout)
}

/// An installation of the library for one test.
struct Installed(TempDir);

impl Installed {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut install = Command::new("sh");
        install.arg(here().join("install.sh"));
        output(
            install
                .env("PREFIX", directory.path())
                .env("BUILT", built()),
        );
        Self(directory)
    }

    fn lib(&self) -> PathBuf {
        self.0.path().join("lib")
    }

    fn run(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("PKG_CONFIG_PATH", self.lib().join("pkgconfig"));
        command.env("LD_LIBRARY_PATH", self.lib());
        command
    }

    /// Compiles an example and returns its output.
    fn example(&self, compiler: &str, source: &str, is_static: bool) -> String {
        let mut asked = self.run("pkg-config");
        asked.args(["--cflags", "--libs"]);
        if is_static {
            asked.arg("--static");
        }
        let flags = output(asked.arg("sigmill")) + " -pthread";
        let flags = if is_static {
            flags.replace("-lsigmill", "-l:libsigmill.a")
        } else {
            flags
        };
        let program = self.0.path().join("program");
        let mut compile = self.run(compiler);
        compile.args(["-Wall", "-Wextra", "-Werror", "-O1", "-o"]);
        compile
            .arg(&program)
            .arg(here().join("examples").join(source));
        output(compile.args(flags.split_whitespace()));
        output(&mut self.run(&program))
    }
}

const VERIFIED: &str = "ok\nsignature-mismatch\n";

/// One installation serves all programs, because the static library is large.
#[test]
fn users_programs() {
    let installed = Installed::new();
    if is_there("cc") && is_there("c++") && is_there("pkg-config") {
        c_and_cpp(&installed);
        go(&installed);
    }
    python(&installed);
}

fn c_and_cpp(installed: &Installed) {
    assert_eq!(installed.example("cc", "verify.c", false), VERIFIED);
    assert_eq!(installed.example("cc", "verify.c", true), VERIFIED);
    assert_eq!(
        installed.example("cc", "sign.c", false),
        "generate: ok\ngenerate: ok\npublic key: ok\npublic key: ok\nsign: ok\nverify: ok\n\
         verify with another key: signature-mismatch\nverify with a hint: ok\n\
         recover: ok\nagree: ok\nagree: ok\nsame secret: yes\n"
    );
    assert_eq!(
        installed.example("cc", "rows.c", false),
        "900 of 1000 valid\nrow 10: signature-mismatch\nrow 11: ok\n"
    );
    assert_eq!(
        installed.example("cc", "prepared.c", false),
        "sign: ok\nverify: ok\nverify another message: signature-mismatch\n"
    );
    assert_eq!(
        installed.example("cc", "../tests/forks.c", false),
        "a child of an engine with threads: 400 of 600 valid\n0 children hung\n"
    );
    let printed = installed.example("c++", "sign.cpp", false);
    assert!(printed.starts_with("valid\nsignature: "), "{printed}");
}

fn python(installed: &Installed) {
    if !is_there("python3") {
        return;
    }
    let mut python = installed.run("python3");
    python.arg(here().join("examples/verify.py"));
    assert_eq!(output(&mut python), VERIFIED);
}

fn go(installed: &Installed) {
    if !is_there("go") {
        return;
    }
    let mut go = installed.run("go");
    go.current_dir(installed.0.path()).env("CGO_ENABLED", "1");
    go.env("GOFLAGS", "").env("GOTOOLCHAIN", "local");
    go.arg("run").arg(here().join("examples/sign.go"));
    assert_eq!(output(&mut go), "ok\nok\nsignature-mismatch\n");
}

/// The shared library exports exactly the functions of the header.
#[test]
fn symbols() {
    if !is_there("nm") {
        return;
    }
    let library = built().join("libsigmill_capi.so");
    let mut nm = Command::new("nm");
    let listed = output(nm.args(["-D", "--defined-only"]).arg(library));
    let mut found: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    found.sort_unstable();
    let header = fs::read_to_string(here().join("include/sigmill.h")).unwrap();
    let mut declared: Vec<&str> = header
        .lines()
        .filter(|line| !line.starts_with(['/', ' ', '#']))
        .filter_map(|line| line.split_once('(')?.0.split([' ', '*']).next_back())
        .collect();
    declared.sort_unstable();
    assert_eq!(found, declared);
    assert!(found.len() > 40, "{}", found.len());
}
