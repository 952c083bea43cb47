//! x25519-dalek.

use anyhow::Result;
use x25519_dalek::{PublicKey, StaticSecret};

use crate::inputs::Inputs;
use crate::registry::{Output, Registry, Subject, computation};

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("x25519-dalek");
    registry.peer("x25519-dalek", version).compute(
        "x25519/single",
        "StaticSecret::diffie_hellman: both keys are octets",
        None,
        agreement,
    );
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
