//! Handshakes in memory, for the tests and for `examples/throughput.rs`.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, SignatureAlgorithm};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    ClientConfig, ClientConnection, ConnectionCommon, Error, RootCertStore, ServerConfig,
    ServerConnection, SideData, SupportedProtocolVersion,
};

pub(crate) const NAME: &str = "example.com";

/// An issuer with the certificates for [`NAME`] and their keys, all of one kind.
pub(crate) struct Authority {
    pub(crate) root: CertificateDer<'static>,
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: Vec<u8>,
}

impl Authority {
    pub(crate) fn new(algorithm: &'static SignatureAlgorithm) -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer_key = KeyPair::generate_for(algorithm).unwrap();
        let root = params.self_signed(&issuer_key).unwrap().der().clone();
        let issuer = Issuer::new(params, issuer_key);
        let key = KeyPair::generate_for(algorithm).unwrap();
        let params = CertificateParams::new([NAME.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap();
        Self {
            root,
            chain: vec![certificate.der().clone()],
            key: key.serialize_der(),
        }
    }

    fn key(&self) -> PrivateKeyDer<'static> {
        PrivatePkcs8KeyDer::from(self.key.clone()).into()
    }

    fn roots(&self) -> Arc<RootCertStore> {
        let mut roots = RootCertStore::empty();
        roots.add(self.root.clone()).unwrap();
        Arc::new(roots)
    }

    /// A server that may request a client certificate.
    pub(crate) fn server(
        &self,
        provider: &Arc<CryptoProvider>,
        versions: &[&'static SupportedProtocolVersion],
        asks: bool,
    ) -> Result<Arc<ServerConfig>, Error> {
        let builder = ServerConfig::builder_with_provider(Arc::clone(provider));
        let builder = builder.with_protocol_versions(versions)?;
        let builder = match asks {
            false => builder.with_no_client_auth(),
            true => {
                let provider = Arc::clone(provider);
                let verifier = WebPkiClientVerifier::builder_with_provider(self.roots(), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let mut config = builder.with_single_cert(self.chain.clone(), self.key())?;
        // Every handshake is a full one.
        config.send_tls13_tickets = 0;
        Ok(Arc::new(config))
    }

    /// A client with a certificate.
    pub(crate) fn client(
        &self,
        provider: &Arc<CryptoProvider>,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Result<Arc<ClientConfig>, Error> {
        let builder = ClientConfig::builder_with_provider(Arc::clone(provider));
        let builder = builder.with_protocol_versions(versions)?;
        let builder = builder.with_root_certificates(self.roots());
        let mut config = builder.with_client_auth_cert(self.chain.clone(), self.key())?;
        config.resumption = rustls::client::Resumption::disabled();
        Ok(Arc::new(config))
    }
}

/// Passes bytes from one side to the other.
fn pass<A: SideData, B: SideData>(
    from: &mut ConnectionCommon<A>,
    to: &mut ConnectionCommon<B>,
) -> Result<bool, Error> {
    let mut bytes = vec![];
    while from.wants_write() {
        from.write_tls(&mut bytes).unwrap();
    }
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        to.read_tls(&mut rest).unwrap();
        to.process_new_packets()?;
    }
    Ok(!bytes.is_empty())
}

/// Runs a handshake; the error is that of the side that failed first.
pub(crate) fn handshake(
    client: &Arc<ClientConfig>,
    server: &Arc<ServerConfig>,
) -> Result<(), Error> {
    let name = ServerName::try_from(NAME).unwrap();
    let mut client = ClientConnection::new(Arc::clone(client), name)?;
    let mut server = ServerConnection::new(Arc::clone(server))?;
    while pass(&mut client, &mut server)? | pass(&mut server, &mut client)? {}
    assert!(!client.is_handshaking() && !server.is_handshaking());
    Ok(())
}
