//! `sigmill ecdh`: computes the secret that two keys share.

use std::path::PathBuf;

use clap::ValueEnum;
use data_encoding::HEXLOWER;
use sigmill::{Error, KeyPurpose};
use zeroize::Zeroizing;

use crate::curves;
use crate::error::{CliError, Outcome};
use crate::files::Files;
use crate::keyfile::{self, KeyCurve};
use crate::secret::write::{Overwrite, check_free, write_secret};
use crate::secret::{Secret, read_public};

fn long_about() -> String {
    let curves = curves::all();
    format!(
        "\
Compute a shared secret from a private key and a public key: ECDH on {curves}, or X25519.

The secret is the x-coordinate of the shared point (SP 800-56A), or the result of X25519 (RFC \
7748). With --hashed it is SHA-256 of the compressed point, as in libsecp256k1. Do not use the \
secret as a key: derive keys from it with a key derivation function such as HKDF."
    )
}

/// The arguments of `sigmill ecdh`.
#[derive(Debug, clap::Args)]
#[command(long_about = long_about())]
pub(crate) struct Args {
    /// Our private key in PKCS#8 or SEC 1; - is standard input
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Their public key: SPKI, SEC 1 or JWK (not one for signatures). For X25519: SPKI, or 32
    /// bytes, raw or in hex or base64
    #[arg(long, value_name = "FILE")]
    peer: PathBuf,
    /// Output SHA-256 of the compressed shared point, as libsecp256k1 does (not for X25519)
    #[arg(long)]
    hashed: bool,
    /// Format of the secret
    #[arg(long, value_name = "FORMAT", default_value = "hex")]
    format: Format,
    /// Write to this file, readable only by its owner [default: standard output]
    #[arg(
        long,
        short,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true
    )]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// The format of a shared secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line of hexadecimal digits
    Hex,
    /// The bytes
    Raw,
}

/// Runs `sigmill ecdh`.
pub(crate) fn run(args: &Args) -> Result<Outcome, CliError> {
    Files::default()
        .reads("our private key", [&args.key])
        .reads("their public key", [&args.peer])
        .writes("--out", "the secret", [&args.out])
        .check()?;
    check_free(&args.out, args.overwrite)?;
    let secret = Secret::read(&args.key)?;
    let refused = |e: Error| CliError::file(keyfile::name(&args.peer), e.to_string());
    let shared = match &secret {
        Secret::X25519(_) if args.hashed => {
            return Err(CliError::Usage(
                "--hashed: not available for X25519, which has no compressed points".into(),
            ));
        }
        Secret::X25519(key) => {
            let shared = key.diffie_hellman(&read_public(&args.peer)?);
            Zeroizing::new(shared.map_err(refused)?.as_bytes().to_vec())
        }
        Secret::OnCurve(key) => {
            let curve = KeyCurve::Is(key.curve());
            let peer = keyfile::read(&args.peer, KeyPurpose::Agree, curve)?;
            let shared = if args.hashed {
                key.diffie_hellman_sha256(&peer)
            } else {
                key.diffie_hellman(&peer)
            };
            Zeroizing::new(shared.map_err(refused)?.as_bytes().to_vec())
        }
    };
    let text = match args.format {
        Format::Raw => shared,
        Format::Hex => {
            let mut hex = Zeroizing::new(vec![0; HEXLOWER.encode_len(shared.len()) + 1]);
            let digits = hex.len() - 1;
            HEXLOWER.encode_mut(&shared, &mut hex[..digits]);
            hex[digits] = b'\n';
            hex
        }
    };
    write_secret(&args.out, &text, args.overwrite)?;
    Ok(Outcome::Clean)
}
