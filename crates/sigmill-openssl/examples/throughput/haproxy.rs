//! HAProxy that verifies ES256 tokens, one for each request, over persistent connections.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use base64ct::{Base64UrlUnpadded, Encoding};
use sigmill::p256::SigningKey;

use crate::common::{Place, is_there};
use crate::server::{Server, wrk};
use crate::{heading, print};

const CONFIG: &str = r#"
global
    nbthread 1
defaults
    mode http
    timeout client 10s
    timeout server 10s
    timeout connect 10s
frontend tokens
    bind 127.0.0.1:@port@
    http-request set-var(txn.token) http_auth_bearer
    http-request deny if { path / } !{ var(txn.token),jwt_verify("ES256","public.pem") -m int 1 }
    http-request return status 200
"#;

/// The number of tokens used in rotation: more than a branch predictor learns.
const TOKENS: usize = 1000;

/// A script for requests with the tokens in rotation.
const SCRIPT: &str = r#"
local tokens = {}
for line in io.lines("tokens.txt") do
    tokens[#tokens + 1] = wrk.format("GET", "/", { ["Authorization"] = "Bearer " .. line })
end
local at = 0
request = function()
    at = at % #tokens + 1
    return tokens[at]
end
"#;

pub(crate) fn measure(place: &Place, rounds: usize) {
    if !is_there("wrk", "-v") || !is_there("haproxy", "-v") {
        return;
    }
    heading("HAProxy, jwt_verify by ES256, requests a second, one thread");
    let key = SigningKey::generate().expect("random numbers");
    fs::write(place.path("private.pem"), key.to_pkcs8_pem().as_bytes()).expect("a file");
    let public = "pkey -in private.pem -pubout -out public.pem";
    place.openssl(false, public).expect("a public key");
    let tokens: Vec<String> = (0..TOKENS).map(|i| token(&key, i)).collect();
    fs::write(place.path("tokens.txt"), tokens.join("\n") + "\n").expect("a file");
    fs::write(place.path("tokens.lua"), SCRIPT).expect("a file");
    let servers = [false, true].map(|with_sigmill| {
        let server = start(place, with_sigmill);
        assert_eq!(server.has_sigmill(), with_sigmill);
        assert!(is_accepted(&server, &tokens[0]));
        // The claims of one token with the signature of another.
        let (claims, _) = tokens[0].rsplit_once('.').expect("three parts");
        let (_, signature) = tokens[1].rsplit_once('.').expect("three parts");
        assert!(!is_accepted(&server, &format!("{claims}.{signature}")));
        server
    });
    let script = ["-s", "tokens.lua"];
    for (options, path, what) in [(&script[..], "", "tokens"), (&[], "free", "no token")] {
        let (mut by_cpu, mut by_clock) = ([vec![], vec![]], [vec![], vec![]]);
        for round in 0..=rounds {
            for (i, server) in servers.iter().enumerate() {
                let url = format!("http://127.0.0.1:{}/{path}", server.port);
                let [cpu, clock] = server.rates(|| wrk(place, options, &url));
                // The first round builds tables.
                if round > 0 {
                    by_cpu[i].push(cpu);
                    by_clock[i].push(clock);
                }
            }
        }
        print(&format!("{what}: of CPU"), &mut by_cpu);
        print(&format!("{what}: by the clock"), &mut by_clock);
    }
}

fn token(key: &SigningKey, i: usize) -> String {
    let header = Base64UrlUnpadded::encode_string(br#"{"alg":"ES256","typ":"JWT"}"#);
    let claims = format!(r#"{{"sub":"{i}","iss":"sigmill","exp":4000000000}}"#);
    let claims = Base64UrlUnpadded::encode_string(claims.as_bytes());
    let signed = format!("{header}.{claims}");
    let signature = key.sign(signed.as_bytes());
    let signature = Base64UrlUnpadded::encode_string(&signature.to_p1363());
    format!("{signed}.{signature}")
}

fn is_accepted(server: &Server, token: &str) -> bool {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
    write!(
        stream,
        "GET / HTTP/1.0\r\nAuthorization: Bearer {token}\r\n\r\n"
    )
    .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    match answer.split(' ').nth(1) {
        Some("200") => true,
        Some("403") => false,
        _ => panic!("{answer}"),
    }
}

fn start(place: &Place, with_sigmill: bool) -> Server {
    Server::start(place, with_sigmill, "haproxy", |port| {
        let name = format!("haproxy-{port}.cfg");
        fs::write(
            place.path(&name),
            CONFIG.replace("@port@", &port.to_string()),
        )
        .expect("a file");
        vec!["-db".into(), "-q".into(), "-f".into(), name]
    })
}
