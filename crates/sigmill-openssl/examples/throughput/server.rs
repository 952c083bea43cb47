//! A server with one worker, and the programs that put load on it.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use crate::common::{Place, text};
use crate::{LOAD, MEASURED};

/// A running server, which is ended when this value is dropped.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server also ends its worker.
        let _ = Command::new("kill")
            .arg(self.process.id().to_string())
            .status();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts a program on the measured CPU. `configure` writes its configuration for a free port
    /// and returns the arguments.
    pub(crate) fn start(
        place: &Place,
        with_sigmill: bool,
        program: &str,
        configure: impl Fn(u16) -> Vec<String>,
    ) -> Self {
        for _ in 0..5 {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let port = listener.local_addr().expect("an address").port();
            drop(listener);
            let arguments = configure(port);
            let mut command = place.program("taskset", with_sigmill);
            command.args(["-c", MEASURED, program]).args(arguments);
            let process = command.spawn().expect("taskset starts");
            let mut server = Self { process, port };
            while server.process.try_wait().expect("its state").is_none() {
                if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    return server;
                }
                thread::sleep(Duration::from_millis(20));
            }
        }
        panic!("{program} does not start");
    }

    /// Returns the process that does the work: the only child, or the server itself.
    pub(crate) fn worker(&self) -> u32 {
        let id = self.process.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let children = children.unwrap_or_default();
        let mut children = children.split_whitespace();
        let first = children.next().map(|child| child.parse().expect("an id"));
        assert_eq!(children.next(), None, "more than one worker");
        first.unwrap_or(id)
    }

    /// Returns true if the worker has loaded the module.
    pub(crate) fn has_sigmill(&self) -> bool {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.worker()));
        maps.expect("its memory").contains("libsigmill_openssl.so")
    }

    /// Returns the worker's CPU time so far.
    fn cpu(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/schedstat", self.worker()));
        let stat = stat.expect("times of the worker");
        let nanoseconds = stat.split(' ').next().expect("a time");
        Duration::from_nanos(nanoseconds.parse().expect("nanoseconds"))
    }

    /// Returns the work done per second of the worker's CPU, and per second of the clock.
    pub(crate) fn rates(&self, load: impl FnOnce() -> u64) -> [f64; 2] {
        let (cpu, start) = (self.cpu(), Instant::now());
        let done = load();
        let (taken, elapsed) = (self.cpu() - cpu, start.elapsed());
        assert!(done > 0, "nothing was done");
        [taken, elapsed].map(|time| done as f64 / time.as_secs_f64())
    }
}

/// Returns a client with sigmill on the CPU of the load.
pub(crate) fn client(place: &Place, program: &str, arguments: &str) -> Command {
    let mut command = place.program("taskset", true);
    command.args(["-c", LOAD, program]);
    command.args(arguments.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the output of a client, which must succeed.
pub(crate) fn said(output: std::io::Result<Output>) -> String {
    text(output.expect("taskset starts")).unwrap_or_else(|said| panic!("{said}"))
}

/// Returns the number before some words, as in `5021 requests in 1.00s`.
fn number_before(said: &str, words: &str) -> u64 {
    let at = said.find(words).unwrap_or_else(|| panic!("{said}"));
    let digits = said[..at]
        .rsplit(|letter: char| !letter.is_ascii_digit())
        .next();
    digits
        .and_then(|digits| digits.parse().ok())
        .unwrap_or_else(|| panic!("{said}"))
}

/// Returns the number of requests that `wrk` made. All of them must have succeeded.
pub(crate) fn wrk(place: &Place, options: &[&str], url: &str) -> u64 {
    let mut wrk = client(place, "wrk", "-t1 -c16 -d1s");
    let said = said(wrk.args(options).arg(url).output());
    for bad in ["Non-2xx", "Socket errors"] {
        assert!(!said.contains(bad), "{said}");
    }
    number_before(&said, " requests in ")
}

/// Returns the number of new connections of several parallel `openssl s_time`.
pub(crate) fn s_time(place: &Place, arguments: &str) -> u64 {
    let clients: Vec<Child> = (0..4)
        .map(|_| client(place, "openssl", arguments).spawn())
        .map(|client| client.expect("taskset starts"))
        .collect();
    clients
        .into_iter()
        .map(|client| number_before(&said(client.wait_with_output()), " connections in "))
        .sum()
}
