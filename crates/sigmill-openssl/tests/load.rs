//! Servers under load: memory stays flat over handshakes, reloads and forks. `SIGMILL_LOAD_SECONDS`
//! sets the duration. Times are not judged here.

mod common;

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use common::{Place, is_there, on_every_stack, text};

/// Returns the number of seconds for which each test puts load on its server.
fn seconds() -> u64 {
    let asked = env::var("SIGMILL_LOAD_SECONDS");
    asked.map_or(5, |seconds| seconds.parse().expect("a number of seconds"))
}

/// Returns a place with a certificate and its key, `tls.pem` and `tls.key`, or `None` without
/// OpenSSL.
fn with_certificate(curve: &str) -> Option<Place> {
    if !is_there("openssl", "version") {
        return None;
    }
    let place = Place::new();
    let new = format!("-newkey ec -pkeyopt ec_paramgen_curve:{curve} -noenc -days 9");
    let make = format!("req -x509 {new} -keyout tls.key -out tls.pem");
    place.openssl(true, &make).unwrap();
    Some(place)
}

/// Both sides run in one process, which can report its allocated memory, on every stack.
#[test]
fn memory_stays_flat_over_handshakes() {
    let Some(place) = with_certificate("P-256") else {
        return;
    };
    let Some(program) = common::program(&place, "load", &["-lssl", "-lcrypto"]) else {
        return;
    };
    for mut load in on_every_stack(&program) {
        load.arg(place.path("sigmill.cnf"))
            .arg(seconds().to_string())
            .args([place.path("tls.pem"), place.path("tls.key")]);
        memory_stays_flat(&text(load.output().unwrap()).unwrap());
    }
}

/// Checks the program's reports of its memory.
fn memory_stays_flat(said: &str) {
    let (server, worker) = (rounds(said, "server "), rounds(said, "worker "));
    assert!(server.len() >= 24 && worker.len() >= 24, "{said}");
    // A worker has eight rounds, and a key store that is empty before the first one.
    for (who, rounds, of_process, first) in [
        ("server", &server, server.len(), server.len().min(14) / 2),
        ("worker", &worker, 8, 3),
    ] {
        // Fifty handshakes import more than a hundred keys of some 300 bytes. Allocations at the
        // beginning and occasional ones, such as the wider table of a key that returns, do not
        // affect the median.
        let mut grown: Vec<_> = rounds
            .chunks(of_process)
            .flat_map(|rounds| rounds[first..].windows(2))
            .map(|pair| pair[1].1 - pair[0].1)
            .collect();
        grown.sort_unstable();
        let median = grown[grown.len() / 2];
        println!(
            "{who}: {} rounds, {median} bytes more in a round",
            rounds.len()
        );
        assert!(
            median < 4 << 10,
            "{who}: {median} bytes more in a round\n{said}"
        );
    }
    // All tables of one key are smaller than that.
    let grown = server.last().unwrap().0 - server[2].0;
    assert!(grown < 4 << 20, "{grown} bytes more are resident\n{said}");
}

/// Returns the resident and the allocated bytes after each round.
fn rounds(said: &str, who: &str) -> Vec<(i64, i64)> {
    let lines = said.lines().filter_map(|line| line.strip_prefix(who));
    let numbers = lines.map(|line| line.split_once(' ').unwrap());
    numbers
        .map(|(resident, allocated)| (resident.parse().unwrap(), allocated.parse().unwrap()))
        .collect()
}

/// A running server, which is ended when this value is dropped.
struct Nginx {
    master: Child,
    port: u16,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.signal("TERM");
        let _ = self.master.wait();
    }
}

impl Nginx {
    /// Starts nginx with two workers that require clients' certificates.
    fn start(place: &Place) -> Self {
        // A free port. It is released before nginx binds it, so another attempt may be needed.
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port();
            let here = place.directory.path().to_str().unwrap();
            let config = include_str!("nginx.conf").replace("@here@", here);
            let config = config.replace("@port@", &port.to_string());
            fs::write(place.path("nginx.conf"), config).unwrap();
            let mut command = place.program(nginx().to_str().unwrap(), true);
            command.arg("-e").arg(place.path("error.log"));
            command.arg("-c").arg(place.path("nginx.conf"));
            let mut server = Self {
                master: command.spawn().unwrap(),
                port,
            };
            while server.master.try_wait().unwrap().is_none() {
                // nginx accepts signals once it has workers.
                let is_up = TcpStream::connect(("127.0.0.1", port)).is_ok();
                if is_up && server.workers().len() == 2 {
                    return server;
                }
                thread::sleep(Duration::from_millis(50));
            }
        }
        let log = fs::read_to_string(place.path("error.log"));
        panic!("nginx does not start: {log:?}");
    }

    fn signal(&self, signal: &str) {
        let mut kill = Command::new("sh");
        let script = format!("kill -{signal} {}", self.master.id());
        let _ = kill.arg("-c").arg(script).status();
    }

    /// Returns its current processes, except the master.
    fn workers(&self) -> Vec<u32> {
        let master = self.master.id();
        let children = fs::read_to_string(format!("/proc/{master}/task/{master}/children"));
        let children = children.unwrap_or_default();
        children
            .split_whitespace()
            .filter_map(|id| id.parse().ok())
            .collect()
    }

    /// Replaces all workers and waits until they are replaced.
    fn reload(&self) {
        let before = self.workers();
        self.signal("HUP");
        for _ in 0..600 {
            let now = self.workers();
            if now.len() == 2 && now.iter().all(|worker| !before.contains(worker)) {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("nginx does not replace its workers");
    }
}

/// Returns the path of nginx: Debian's is only in the administrator's `PATH`.
fn nginx() -> PathBuf {
    let installed = PathBuf::from("/usr/sbin/nginx");
    if installed.exists() {
        installed
    } else {
        "nginx".into()
    }
}

/// Returns the resident memory of a process in KiB.
fn resident(process: u32) -> Option<i64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Makes handshakes of one version for some time with a client without the provider. Returns their
/// number.
fn connect(place: &Place, port: u16, version: &str, seconds: u64) -> u64 {
    let arguments = format!(
        "s_time -connect 127.0.0.1:{port} -new -time {seconds} -{version} -cert tls.pem \
         -key tls.key -CAfile tls.pem"
    );
    let said = place.openssl(false, &arguments).unwrap();
    // "123 connections in 0.45s; 273.33 connections/user sec, ..."
    let at = said
        .find(" connections in ")
        .unwrap_or_else(|| panic!("{said}"));
    let digits = said[..at]
        .rsplit(|letter: char| !letter.is_ascii_digit())
        .next();
    digits.unwrap().parse().unwrap()
}

#[test]
fn nginx_reloads_and_its_memory_stays_flat() {
    if !is_there(nginx().to_str().unwrap(), "-v") {
        return;
    }
    let Some(place) = with_certificate("P-256") else {
        return;
    };
    let server = Nginx::start(&place);
    let round = || ["tls1_2", "tls1_3"].map(|version| connect(&place, server.port, version, 1));
    let end = Instant::now() + Duration::from_secs(seconds());
    let (mut handshakes, mut rounds) = (0, 0);
    let mut masters = vec![];
    while rounds < 2 || Instant::now() < end {
        server.reload();
        let made = round();
        assert!(made.iter().all(|&made| made > 0), "{made:?}");
        for worker in server.workers() {
            let maps = fs::read_to_string(format!("/proc/{worker}/maps")).unwrap();
            assert!(
                maps.contains("libsigmill_openssl.so"),
                "the module is not loaded"
            );
        }
        handshakes += made.iter().sum::<u64>();
        rounds += 1;
        masters.push(resident(server.master.id()).unwrap());
    }
    // The workers of the last reload.
    let workers = server.workers();
    let now = || -> i64 {
        let each = workers.iter().map(|&worker| resident(worker));
        each.map(|kibibytes| kibibytes.expect("a worker has ended"))
            .sum()
    };
    let mut samples = vec![now()];
    for _ in 0..seconds().div_ceil(5) {
        handshakes += round().iter().sum::<u64>();
        samples.push(now());
    }
    println!("{handshakes} handshakes, {rounds} reloads");
    println!("in KiB: the master {masters:?}, the last workers {samples:?}");
    assert_eq!(server.workers(), workers, "a worker has ended");
    // Two workers hold the tables of one key, which become wider while it returns, and then stay.
    let last = samples.last().unwrap();
    let grown = last - samples[0];
    assert!(grown < 12 << 10, "the workers have grown: {samples:?}");
    if samples.len() > 12 {
        let grown = last - samples[samples.len() / 2];
        assert!(grown < 1 << 10, "the workers go on to grow: {samples:?}");
    }
    let grown = masters.last().unwrap() - masters[0];
    assert!(
        grown < 4 << 10,
        "the master has grown by {grown} KiB: {masters:?}"
    );
    let log = fs::read_to_string(place.path("error.log")).unwrap();
    let bad = |line: &&str| {
        ["[alert]", "[crit]", "[emerg]"]
            .iter()
            .any(|level| line.contains(level))
    };
    assert_eq!(log.lines().find(bad), None);
}
