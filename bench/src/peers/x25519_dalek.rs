//! x25519-dalek.

use anyhow::Result;
use x25519_dalek::{PublicKey, StaticSecret};

use crate::inputs::Inputs;
use crate::registry::{Output, Registry, Subject, computation};

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("x25519-dalek");
    let mut peer = registry.peer("x25519-dalek", version);
    peer.compute(
        "x25519/single",
        "StaticSecret::diffie_hellman: both keys are octets",
        None,
        agreement,
    );
    peer.compute(
        "x25519/keygen/single",
        "StaticSecret::from 32 octets from the system, PublicKey::from",
        None,
        |_| Ok(keygen()),
    );
}

fn keygen() -> Box<dyn Subject> {
    computation(
        |_| {
            let mut bytes = [0_u8; 32];
            getrandom::fill(&mut bytes)?;
            let private = StaticSecret::from(bytes);
            let public = PublicKey::from(&private);
            Ok((private, public))
        },
        |_, (private, public)| {
            Ok(Output::KeyPair {
                private: private.to_bytes().to_vec(),
                public: public.to_bytes().to_vec(),
            })
        },
    )
}

fn agreement(inputs: &Inputs) -> Result<Box<dyn Subject>> {
    let inputs = inputs.x25519()?;
    let own: Vec<_> = inputs
        .keys
        .iter()
        .map(|(private, _)| StaticSecret::from(*private))
        .collect();
    let peers: Vec<_> = inputs
        .keys
        .iter()
        .map(|(_, public)| PublicKey::from(*public))
        .collect();
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            Ok(own[mine].diffie_hellman(&peers[theirs]))
        },
        |_, shared| Ok(Output::Shared(shared.as_bytes().to_vec())),
    ))
}
