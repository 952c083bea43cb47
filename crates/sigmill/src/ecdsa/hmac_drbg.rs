//! The byte strings of deterministic nonces (RFC 6979 §3.2): HMAC_DRBG of NIST SP 800-90A. It
//! handles only bytes, so that it is compiled once per hash and not for each curve.

use alloc::boxed::Box;
use alloc::vec::Vec;

use hmac::digest::Output;
use hmac::{EagerHash, Hmac, KeyInit, Mac};
use once_cell::race::OnceBox;
use zeroize::{Zeroize, Zeroizing};

use crate::hash::HashName;

/// The longest string that is requested, in bytes, plus a block of any hash.
pub(super) const MOST: usize = 3 * 64;

/// A generator with some hash.
pub(super) trait Generator {
    /// Sets the private key, int2octets(x), for what follows.
    fn set_key(&mut self, octets: Zeroizing<Vec<u8>>);

    /// Steps d to g for bits2octets(h1) and entropy, which may be empty (§3.6).
    fn begin(&mut self, h1: &[u8], entropy: &[u8]);

    /// Steps h.1 and h.2: fills T with at least `bytes` bytes, and returns the number.
    fn fill(&mut self, t: &mut [u8; MOST], bytes: usize) -> usize;

    /// Step h.3 if T is unusable: K = HMAC_K(V || 00), V = HMAC_K(V).
    fn reject(&mut self);
}

/// The generator with a hash known at run time.
pub(super) enum AnyHmacDrbg {
    Sha256(HmacDrbg<sha2::Sha256>),
    Sha384(HmacDrbg<sha2::Sha384>),
    Sha512(HmacDrbg<sha2::Sha512>),
}

impl AnyHmacDrbg {
    /// Creates a generator without a key.
    #[inline(never)]
    pub(super) fn new(hash: HashName) -> Self {
        match hash {
            HashName::Sha256 => Self::Sha256(HmacDrbg::new()),
            HashName::Sha384 => Self::Sha384(HmacDrbg::new()),
            HashName::Sha512 => Self::Sha512(HmacDrbg::new()),
        }
    }

    pub(super) fn generator(&mut self) -> &mut dyn Generator {
        match self {
            Self::Sha256(generator) => generator,
            Self::Sha384(generator) => generator,
            Self::Sha512(generator) => generator,
        }
    }
}

/// The generator of successive nonces.
pub(super) struct HmacDrbg<D: Begins> {
    /// int2octets(x).
    octets: Zeroizing<Vec<u8>>,
    /// HMAC_K after V || 00 || int2octets(x).
    begun: Hmac<D>,
    /// The state for the current nonce.
    state: State<D>,
}

/// An HMAC key with the value V that it is applied to.
///
/// The two blocks that HMAC begins with depend only on the key. They are hashed once per key.
#[derive(Clone)]
pub(super) struct State<D: EagerHash> {
    keyed: Hmac<D>,
    v: Output<Hmac<D>>,
}

impl<D: EagerHash> State<D> {
    fn keyed(key: &[u8]) -> Hmac<D> {
        match Hmac::new_from_slice(key) {
            Ok(keyed) => keyed,
            Err(_) => unreachable!("HMAC takes keys of any length"),
        }
    }

    /// V = HMAC_K(V).
    fn step(&mut self) {
        self.v = self
            .keyed
            .clone()
            .chain_update(&self.v)
            .finalize()
            .into_bytes();
    }

    /// HMAC_K after V || `separator`.
    fn begin(&self, separator: u8) -> Hmac<D> {
        let begun = self.keyed.clone().chain_update(&self.v);
        begun.chain_update([separator])
    }

    /// K = HMAC of the input of `begun` and `seed`, V = HMAC_K(V).
    fn rekey(&mut self, mut begun: Hmac<D>, seed: &[&[u8]]) {
        seed.iter().for_each(|part| begun.update(part));
        let mut key = begun.finalize().into_bytes();
        self.keyed = Self::keyed(&key);
        key.as_mut_slice().zeroize();
        self.step();
    }
}

/// A hash with its initial generator state. All generators begin in this state, which is computed
/// once.
pub(super) trait Begins: EagerHash + 'static {
    /// Steps b and c: V = 01 01 .. 01, K = 00 00 .. 00.
    fn initial() -> &'static State<Self>;
}

macro_rules! begins {
    ($($hash:ty),*) => {
        $(
            impl Begins for $hash {
                fn initial() -> &'static State<Self> {
                    static INITIAL: OnceBox<State<$hash>> = OnceBox::new();
                    INITIAL.get_or_init(|| {
                        let mut v = Output::<Hmac<Self>>::default();
                        let keyed = State::<Self>::keyed(&v);
                        v.fill(1);
                        Box::new(State { keyed, v })
                    })
                }
            }
        )*
    };
}

begins!(sha2::Sha256, sha2::Sha384, sha2::Sha512);

impl<D: EagerHash> Drop for State<D> {
    fn drop(&mut self) {
        self.v.as_mut_slice().zeroize();
    }
}

impl<D: Begins> HmacDrbg<D> {
    fn new() -> Self {
        let initial = D::initial();
        Self {
            octets: Zeroizing::default(),
            begun: initial.keyed.clone(),
            state: initial.clone(),
        }
    }
}

impl<D: Begins> Generator for HmacDrbg<D> {
    fn set_key(&mut self, octets: Zeroizing<Vec<u8>>) {
        self.begun = D::initial().begin(0).chain_update(&*octets);
        self.octets = octets;
    }

    fn begin(&mut self, h1: &[u8], entropy: &[u8]) {
        let Self {
            octets,
            begun,
            state,
        } = self;
        state.clone_from(D::initial());
        // Steps d and e: K = HMAC_K(V || 00 || int2octets(x) || bits2octets(h1)), V = HMAC_K(V).
        state.rekey(begun.clone(), &[h1, entropy]);
        // Steps f and g: the same with 01.
        state.rekey(state.begin(1), &[octets, h1, entropy]);
    }

    fn fill(&mut self, t: &mut [u8; MOST], bytes: usize) -> usize {
        let mut length = 0;
        while length < bytes {
            self.state.step();
            let v = &self.state.v;
            t[length..length + v.len()].copy_from_slice(v);
            length += v.len();
        }
        length
    }

    fn reject(&mut self) {
        let begun = self.state.begin(0);
        self.state.rekey(begun, &[]);
    }
}
