//! `sigmill cpu` through the command.

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;

fn cpu(forbid: Option<&str>) -> Command {
    let mut command = cargo_bin_cmd!("sigmill");
    command.arg("cpu").env_remove("SIGMILL_CPU");
    if let Some(value) = forbid {
        command.env("SIGMILL_CPU", value);
    }
    command
}

fn backends(forbid: Option<&str>) -> Vec<Value> {
    let output = cpu(forbid)
        .arg("--json")
        .assert()
        .code(0)
        .get_output()
        .clone();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn used(backends: &[Value]) -> Vec<&str> {
    let used = backends.iter().filter(|backend| backend["used"] == true);
    used.map(|backend| backend["name"].as_str().unwrap())
        .collect()
}

#[test]
fn one_backend_is_used_and_it_is_available() {
    let backends = backends(None);
    assert_eq!(used(&backends).len(), 1);
    for backend in &backends {
        assert_eq!(backend["type"], "backend");
        assert!(backend["used"] == false || backend["available"] == true);
        assert!(!backend["why"].as_str().unwrap().is_empty());
    }
}

#[test]
fn the_environment_forbids_backends() {
    let portable = backends(Some("portable"));
    assert_eq!(used(&portable), ["portable"]);
    for other in portable
        .iter()
        .filter(|backend| backend["name"] != "portable")
    {
        assert_eq!(other["used"], false);
    }
    assert_eq!(backends(Some("auto")), backends(None));
}

#[test]
fn an_unknown_name_in_the_environment_is_an_error() {
    let output = cpu(Some("gpu"))
        .assert()
        .code(2)
        .stdout("")
        .get_output()
        .clone();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("SIGMILL_CPU") && text.contains("\"gpu\"") && text.contains("portable"),
        "{text}"
    );
}

#[test]
fn text_has_a_line_for_each_backend() {
    let output = cpu(None).assert().code(0).get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    let backends = backends(None);
    assert_eq!(text.lines().count(), backends.len());
    for (line, backend) in text.lines().zip(&backends) {
        assert!(
            line.starts_with(backend["name"].as_str().unwrap()),
            "{line}"
        );
        let second = line.split_whitespace().nth(1);
        assert_eq!(second == Some("used"), backend["used"] == true, "{line}");
    }
}
