//! sigmill's X25519, one at a time and many in a call.

use std::rc::Rc;

use anyhow::{Context as _, Result};
use sigmill::x25519::{PublicKey, StaticSecret, diffie_hellman_many};

use crate::inputs::{Inputs, X25519Inputs};
use crate::registry::{OURS, Output, Registry, Subject, computation};

/// Rows of a call.
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
        "x25519/bulk",
        "x25519::diffie_hellman_many of 1,024 rows: all keys are octets",
        None,
        |inputs| Ok(Box::new(Many::new(inputs)?)),
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

/// Calls of rows, the pairs of keys in turn.
struct Many {
    inputs: Rc<X25519Inputs>,
    own: Vec<StaticSecret>,
    peers: Vec<PublicKey>,
}

impl Many {
    fn new(inputs: &Inputs) -> Result<Self> {
        let inputs = inputs.x25519()?;
        let (own, peers) = keys(&inputs);
        Ok(Self { inputs, own, peers })
    }

    fn rows(&self, call: usize) -> Vec<(&StaticSecret, &PublicKey)> {
        (ROWS * call..ROWS * (call + 1))
            .map(|i| {
                let (mine, theirs) = self.inputs.pair(i);
                (&self.own[mine], &self.peers[theirs])
            })
            .collect()
    }
}

impl Subject for Many {
    fn call(&mut self, i: usize) -> bool {
        diffie_hellman_many(&self.rows(i)).iter().all(Result::is_ok)
    }

    fn items_per_call(&self) -> usize {
        ROWS
    }

    /// Row i, from the call that it is in.
    fn output(&mut self, i: usize) -> Result<Output> {
        let shared = diffie_hellman_many(&self.rows(i / ROWS));
        let row = shared.into_iter().nth(i % ROWS).context("a row too few")?;
        Ok(Output::Shared(row?.to_bytes().to_vec()))
    }
}
