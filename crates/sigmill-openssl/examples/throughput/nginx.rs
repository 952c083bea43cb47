//! New connections of nginx, one for each request. All handshakes are full, as sessions are neither
//! kept nor resumed.

use std::fs;

use crate::common::{Place, is_there};
use crate::server::{Server, s_time, wrk};
use crate::{heading, print};

const CONFIG: &str = "
daemon off;
worker_processes 1;
pid @name@.pid;
error_log @name@.log;
events { worker_connections 1024; }
http {
    access_log off;
    ssl_session_cache off;
    ssl_session_tickets off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {
        listen 127.0.0.1:@port@ ssl;
        ssl_protocols @protocol@;
        ssl_certificate @curve@.pem;
        ssl_certificate_key @curve@.key;
        ssl_client_certificate @curve@-ca.pem;
        ssl_verify_client @asks@;
        return 204;
    }
}
";

/// Debian's path of nginx, which is only in the administrator's `PATH`.
const NGINX: &str = "/usr/sbin/nginx";

pub(crate) fn measure(place: &Place, rounds: usize) {
    if !is_there("openssl", "version") || !is_there("wrk", "-v") || !is_there(NGINX, "-v") {
        return;
    }
    heading("nginx, new connections a second, one worker");
    for curve in ["P-256", "P-384"] {
        certificates(place, curve);
        for protocol in ["TLSv1.2", "TLSv1.3"] {
            for asks in [false, true] {
                compare(place, rounds, curve, protocol, asks);
            }
        }
    }
}

/// Makes a certificate signed by an authority, `CURVE.pem`, for both sides, with its key.
fn certificates(place: &Place, curve: &str) {
    let new = format!("-newkey ec -pkeyopt ec_paramgen_curve:{curve} -noenc");
    for make in [
        format!("req -x509 {new} -days 9 -keyout {curve}-ca.key -out {curve}-ca.pem"),
        format!("req {new} -subj /CN=localhost -keyout {curve}.key -out {curve}.csr"),
        format!(
            "x509 -req -in {curve}.csr -CA {curve}-ca.pem -CAkey {curve}-ca.key -days 9 \
             -set_serial 7 -out {curve}.pem"
        ),
    ] {
        place
            .openssl(false, &make)
            .unwrap_or_else(|said| panic!("{said}"));
    }
}

fn compare(place: &Place, rounds: usize, curve: &str, protocol: &str, asks: bool) {
    let servers = [false, true].map(|with_sigmill| {
        let server = start(place, with_sigmill, curve, protocol, asks);
        assert_eq!(server.has_sigmill(), with_sigmill);
        server
    });
    let load = |server: &Server| {
        server.rates(|| {
            let port = server.port;
            if asks {
                // Only this one of the tools presents a certificate.
                let version = protocol.replace("TLSv", "tls").replace('.', "_");
                let files = format!("-cert {curve}.pem -key {curve}.key");
                s_time(
                    place,
                    &format!("s_time -connect 127.0.0.1:{port} -new -time 1 -{version} {files}"),
                )
            } else {
                let url = format!("https://127.0.0.1:{port}/");
                wrk(place, &["-H", "Connection: close"], &url)
            }
        })
    };
    // One round first, until the keys have their final tables.
    servers.iter().for_each(|server| {
        load(server);
    });
    let (mut by_cpu, mut by_clock) = ([vec![], vec![]], [vec![], vec![]]);
    for _ in 0..rounds {
        for (i, server) in servers.iter().enumerate() {
            let [cpu, clock] = load(server);
            by_cpu[i].push(cpu);
            by_clock[i].push(clock);
        }
    }
    let asks = if asks { ", clients' certificates" } else { "" };
    let what = format!("{protocol}, {curve}{asks}");
    print(&format!("{what}: of CPU"), &mut by_cpu);
    print(&format!("{what}: by the clock"), &mut by_clock);
}

fn start(place: &Place, with_sigmill: bool, curve: &str, protocol: &str, asks: bool) -> Server {
    Server::start(place, with_sigmill, NGINX, |port| {
        let name = format!("nginx-{port}");
        let config = CONFIG
            .replace("@name@", &name)
            .replace("@port@", &port.to_string())
            .replace("@protocol@", protocol)
            .replace("@curve@", curve)
            .replace("@asks@", if asks { "on" } else { "off" });
        fs::write(place.path(&format!("{name}.conf")), config).expect("a file");
        let prefix = place.directory.path().display();
        format!("-p {prefix}/ -e {name}.log -c {name}.conf")
            .split(' ')
            .map(str::to_owned)
            .collect()
    })
}
