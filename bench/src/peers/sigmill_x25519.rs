//! sigmill's X25519, one at a time and many per call.

use std::rc::Rc;

use anyhow::Result;
use sigmill::agreement::x25519::{PublicKey, StaticSecret, diffie_hellman_many};

use crate::inputs::X25519Inputs;
use crate::registry::{OURS, Output, Registry, Subject, computation, computation_of_many};

/// Rows per call.
const ROWS: usize = 1024;

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    peer.compute(
        "x25519/single",
        "StaticSecret::diffie_hellman: both keys are octets",
        None,
        |inputs| single(&inputs.x25519()?),
    );
    peer.compute(
        "x25519/keygen/single",
        "StaticSecret::generate and PublicKey::from",
        None,
        |_| Ok(keygen()),
    );
    peer.compute(
        "x25519/bulk",
        "x25519::diffie_hellman_many of 1,024 rows: all keys are octets",
        None,
        |inputs| Ok(many(&inputs.x25519()?)),
    );
}

fn keys(inputs: &X25519Inputs) -> (Vec<StaticSecret>, Vec<PublicKey>) {
    let keys = inputs.keys.iter();
    keys.map(|(private, public)| (StaticSecret::from(*private), PublicKey::from(*public)))
        .unzip()
}

fn single(inputs: &Rc<X25519Inputs>) -> Result<Box<dyn Subject>> {
    let ((own, peers), inputs) = (keys(inputs), Rc::clone(inputs));
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            Ok(own[mine].diffie_hellman(&peers[theirs])?)
        },
        |_, shared| Ok(Output::Shared(shared.to_bytes().to_vec())),
    ))
}

fn keygen() -> Box<dyn Subject> {
    computation(
        |_| {
            let private = StaticSecret::generate()?;
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

fn many(inputs: &Rc<X25519Inputs>) -> Box<dyn Subject> {
    let ((own, peers), inputs) = (keys(inputs), Rc::clone(inputs));
    computation_of_many(
        ROWS,
        move |rows| {
            let rows = rows.map(|i| {
                let (mine, theirs) = inputs.pair(i);
                (&own[mine], &peers[theirs])
            });
            let shared = diffie_hellman_many(&rows.collect::<Vec<_>>());
            Ok(shared.into_iter().collect::<Result<_, _>>()?)
        },
        |shared| Ok(Output::Shared(shared.to_bytes().to_vec())),
    )
}
