//! Handshakes between providers with and without sigmill.

mod common;

use std::sync::Arc;

use common::{Authority, handshake};
use rcgen::{PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519};
use rustls::crypto::{aws_lc_rs, ring};
use rustls::version::{TLS12, TLS13};
use rustls::{CertificateError, Error};
use sigmill_rustls::{engine, with_sigmill};

/// Each provider, without and with sigmill.
fn pairs() -> [[Arc<rustls::crypto::CryptoProvider>; 2]; 2] {
    [ring::default_provider(), aws_lc_rs::default_provider()]
        .map(|stock| [Arc::new(stock.clone()), Arc::new(with_sigmill(stock))])
}

#[test]
fn every_side_with_every_provider() {
    let keys = [
        &PKCS_ECDSA_P256_SHA256,
        &PKCS_ECDSA_P384_SHA384,
        &PKCS_ED25519,
    ];
    for authority in keys.map(Authority::new) {
        for pair in pairs() {
            for versions in [&[&TLS12], &[&TLS13]] {
                for (client, server) in [(0, 1), (1, 0), (1, 1)] {
                    for asks in [false, true] {
                        let client = authority.client(&pair[client], versions).unwrap();
                        let server = authority.server(&pair[server], versions, asks).unwrap();
                        for _ in 0..2 {
                            assert_eq!(handshake(&client, &server), Ok(()));
                        }
                    }
                }
            }
        }
    }
    // Two issuers and two end entities on P-256 and P-384 occurred often.
    let stats = engine().key_store().stats();
    assert!(stats.tables >= 4, "{stats:?}");
}

/// A certificate with a damaged signature is rejected as before, on both sides.
#[test]
fn damaged_certificates() {
    for algorithm in [&PKCS_ECDSA_P256_SHA256, &PKCS_ECDSA_P384_SHA384] {
        let good = Authority::new(algorithm);
        let mut chain = good.chain[0].to_vec();
        *chain.last_mut().unwrap() ^= 1;
        let damaged = Authority {
            root: good.root.clone(),
            chain: vec![chain.into()],
            key: good.key.clone(),
        };
        let expected = Error::InvalidCertificate(CertificateError::BadSignature);
        for provider in pairs().iter().flatten() {
            for (client, server) in [(&good, &damaged), (&damaged, &good)] {
                let client = client.client(provider, &[&TLS13]).unwrap();
                let server = server.server(provider, &[&TLS13], true).unwrap();
                assert_eq!(handshake(&client, &server), Err(expected.clone()));
            }
        }
    }
}
