//! Shared code of the tests: the module, configurations, and programs that may not be installed.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs, thread};

use tempfile::TempDir;

/// Returns the module that cargo has built for the test or the example.
pub(crate) fn module() -> PathBuf {
    let program = env::current_exe().unwrap();
    let profile = program.ancestors().nth(2).unwrap();
    let module = profile.join("deps/libsigmill_openssl.so");
    assert!(module.exists(), "{} is not built", module.display());
    module
}

/// Returns the output of `sigmill openssl-config` without a file of the system.
pub(crate) fn config(key_memory: &str, window: &str) -> String {
    include_str!("../../../sigmill-cli/src/openssl_config/template.cnf")
        .replace("@module@", module().to_str().unwrap())
        .replace("@key_memory@", key_memory)
        .replace("@window@", window)
        .replace("@ecdh@", "no")
}

/// A directory for the files of a test.
pub(crate) struct Place {
    pub(crate) directory: TempDir,
}

impl Place {
    /// A directory with the configuration `sigmill.cnf`.
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let config = config("64M", "10");
        // `openssl req` needs these sections.
        let request = "\n[req]\ndistinguished_name = name\nx509_extensions = ca\nprompt = no\n\
                       [name]\nCN = sigmill\n[ca]\nbasicConstraints = critical, CA:TRUE\n\
                       subjectKeyIdentifier = hash\nsubjectAltName = DNS:localhost\n";
        fs::write(directory.path().join("sigmill.cnf"), config + request).unwrap();
        fs::write(directory.path().join("stock.cnf"), request).unwrap();
        Self { directory }
    }

    /// Returns the path of a file in the directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes `ecdh.cnf`, the same configuration with ECDH by sigmill.
    pub(crate) fn with_ecdh(&self) -> PathBuf {
        let config = fs::read_to_string(self.path("sigmill.cnf")).unwrap();
        let file = self.path("ecdh.cnf");
        fs::write(
            &file,
            config.replace("sigmill_ecdh = no", "sigmill_ecdh = yes"),
        )
        .unwrap();
        file
    }

    /// Returns a program that runs in the directory, with the module's configuration or without.
    pub(crate) fn program(&self, program: &str, with_sigmill: bool) -> Command {
        let mut command = Command::new(program);
        let config = if with_sigmill {
            "sigmill.cnf"
        } else {
            "stock.cnf"
        };
        command.current_dir(self.directory.path());
        command.env("OPENSSL_CONF", self.path(config));
        command
    }

    /// Returns the output of `openssl` with the provider or without, or `Err` if it fails.
    pub(crate) fn openssl(&self, with_sigmill: bool, arguments: &str) -> Result<String, String> {
        let mut command = self.program("openssl", with_sigmill);
        text(command.args(arguments.split_whitespace()).output().unwrap())
    }
}

/// Returns the output of a program that succeeded, otherwise everything that it printed.
pub(crate) fn text(output: Output) -> Result<String, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(text(&output.stdout) + &text(&output.stderr))
    }
}

/// Returns true if a program can be started; otherwise prints that the test is skipped.
pub(crate) fn is_there(program: &str, argument: &str) -> bool {
    let is_there = Command::new(program).arg(argument).output().is_ok();
    if !is_there {
        println!("SKIPPED: {program} is not installed");
    }
    is_there
}

/// Compiles a program in C. Returns `None` without a compiler or the headers of OpenSSL 3.
pub(crate) fn compile(
    place: &Place,
    source: &Path,
    program: &str,
    libraries: &[&str],
) -> Option<PathBuf> {
    if !is_there("cc", "--version") {
        return None;
    }
    let check = place.path("check.c");
    fs::write(&check, "#include <openssl/core_dispatch.h>\n").unwrap();
    let mut preprocess = Command::new("cc");
    if !preprocess
        .arg("-E")
        .arg(&check)
        .output()
        .unwrap()
        .status
        .success()
    {
        println!("SKIPPED: the headers of OpenSSL 3 are not installed");
        return None;
    }
    let output = place.path(program);
    compile_c(source, &output, libraries);
    Some(output)
}

fn compile_c(source: &Path, output: &Path, flags: &[&str]) {
    let mut compiler = Command::new("cc");
    compiler.args(["-Wall", "-Wextra", "-Werror", "-O1", "-g", "-o"]);
    let compiled = compiler.arg(output).arg(source).args(flags).output();
    text(compiled.unwrap()).unwrap();
}

/// Compiles the C program with this name in the folder of the tests.
pub(crate) fn program(place: &Place, name: &str, libraries: &[&str]) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/{name}.c"));
    compile(place, &source, name, libraries)
}

/// Returns commands that run a program of these tests: as it is, and, with glibc, inside an
/// asynchronous job and on threads with 16 KiB of stack (`small_stack.c`).
pub(crate) fn on_every_stack(program: &Path) -> Vec<Command> {
    let mut commands = vec![Command::new(program)];
    if cfg!(target_env = "gnu") {
        let library = small_stack(program.parent().unwrap());
        for stack in ["job", "16384"] {
            let mut command = Command::new(program);
            command
                .env("LD_PRELOAD", &library)
                .env("SMALL_STACK", stack);
            commands.push(command);
        }
    }
    commands
}

/// Returns the library that runs programs on small stacks.
fn small_stack(directory: &Path) -> PathBuf {
    let library = directory.join("small_stack.so");
    if !library.exists() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/small_stack.c");
        let flags = ["-shared", "-fPIC", "-pthread", "-ldl"];
        compile_c(&source, &library, &flags);
    }
    library
}

/// Returns a program's answer to each line. On small stacks, its answers to every seventh line must
/// be the same.
pub(crate) fn answers(
    program: &Path,
    arguments: [&Path; 2],
    questions: impl Iterator<Item = impl AsRef<str>>,
) -> Vec<String> {
    let lines: Vec<String> = questions
        .map(|line| line.as_ref().to_owned() + "\n")
        .collect();
    let mut commands = on_every_stack(program);
    let small = commands.split_off(1);
    let answers = ask(commands[0].args(arguments), lines.concat());
    assert_eq!(answers.len(), lines.len());
    let every_seventh: String = lines.iter().step_by(7).map(String::as_str).collect();
    for mut command in small {
        let others = ask(command.args(arguments), every_seventh.clone());
        let is_same = others.iter().eq(answers.iter().step_by(7));
        assert!(is_same, "answers on a small stack are others");
    }
    answers
}

/// Returns the lines that a command prints for its input.
pub(crate) fn ask(command: &mut Command, lines: String) -> Vec<String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    // A program that has ended does not read its input.
    let written = writer.join().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", output.status);
    written.unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    answers.lines().map(|line| line.trim().into()).collect()
}

/// Runs a program on every stack, and under Valgrind, which does not support AVX-512. Nothing may
/// leak.
pub(crate) fn run_for_leaks(program: &Path, arguments: &[&Path]) {
    for mut command in on_every_stack(program) {
        text(command.args(arguments).output().unwrap()).unwrap();
    }
    if !is_there("valgrind", "--version") {
        return;
    }
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--error-exitcode=99", "--leak-check=full"]);
    // Memory without a pointer to it at the end is lost.
    valgrind.arg("--errors-for-leak-kinds=definite,indirect,possible");
    text(valgrind.arg(program).args(arguments).output().unwrap()).unwrap();
}

/// Returns bytes in the programs' notation; `.` for none.
pub(crate) fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return ".".into();
    }
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
