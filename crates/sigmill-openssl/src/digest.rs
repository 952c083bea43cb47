//! Hashes of signatures, under OpenSSL's names.

use std::ffi::CStr;

use sha2::digest::DynDigest;
use sigmill::HashName;

/// A hash computation in progress.
pub(crate) type Hasher = Box<dyn DynDigest>;

/// A hash.
#[derive(Debug)]
pub(crate) struct Digest {
    /// The first name is the one that we report.
    names: &'static [&'static CStr],
    /// In bytes.
    pub(crate) length: usize,
    /// The `AlgorithmIdentifier` of ECDSA with this hash, in DER; empty if it has none.
    pub(crate) algorithm_identifier: &'static [u8],
    /// The hash for deterministic nonces, if the library has it.
    pub(crate) for_nonces: Option<HashName>,
    /// `None` for a hash that we cannot compute: others may have made digests with it.
    begin: Option<fn() -> Hasher>,
}

impl Digest {
    /// Returns the hash with this name, regardless of case.
    pub(crate) fn of_name(name: &str) -> Option<&'static Self> {
        let is_name = |known: &&CStr| known.to_bytes().eq_ignore_ascii_case(name.as_bytes());
        ALL.iter().find(|digest| digest.names.iter().any(is_name))
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> &'static CStr {
        self.names[0]
    }

    /// Begins an empty message. Returns `None` if we cannot compute the hash.
    pub(crate) fn begin(&self) -> Option<Hasher> {
        self.begin.map(|begin| begin())
    }
}

fn begin<D: DynDigest + Default + 'static>() -> Hasher {
    Box::<D>::default()
}

/// `SEQUENCE { ecdsa-with-SHA2 }`, 1.2.840.10045.4.3.x.
macro_rules! with_sha2 {
    ($last:expr) => {
        &[0x30, 10, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, $last]
    };
}

/// `SEQUENCE { id-ecdsa-with-sha3 }`, 2.16.840.1.101.3.4.3.x.
macro_rules! with_sha3 {
    ($last:expr) => {
        &[0x30, 11, 6, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 3, 4, 3, $last]
    };
}

/// A hash whose digests are made elsewhere. Only their length is checked.
const fn length_only(names: &'static [&'static CStr], length: usize) -> Digest {
    Digest {
        names,
        length,
        algorithm_identifier: &[],
        for_nonces: None,
        begin: None,
    }
}

static ALL: &[Digest] = &[
    Digest {
        names: &[
            c"SHA256",
            c"SHA2-256",
            c"SHA-256",
            c"2.16.840.1.101.3.4.2.1",
        ],
        length: 32,
        algorithm_identifier: with_sha2!(2),
        for_nonces: Some(HashName::Sha256),
        begin: Some(begin::<sha2::Sha256>),
    },
    Digest {
        names: &[
            c"SHA384",
            c"SHA2-384",
            c"SHA-384",
            c"2.16.840.1.101.3.4.2.2",
        ],
        length: 48,
        algorithm_identifier: with_sha2!(3),
        for_nonces: Some(HashName::Sha384),
        begin: Some(begin::<sha2::Sha384>),
    },
    Digest {
        names: &[
            c"SHA512",
            c"SHA2-512",
            c"SHA-512",
            c"2.16.840.1.101.3.4.2.3",
        ],
        length: 64,
        algorithm_identifier: with_sha2!(4),
        for_nonces: Some(HashName::Sha512),
        begin: Some(begin::<sha2::Sha512>),
    },
    Digest {
        names: &[c"SHA1", c"SHA-1", c"SSL3-SHA1", c"1.3.14.3.2.26"],
        length: 20,
        // 1.2.840.10045.4.1
        algorithm_identifier: &[0x30, 9, 6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1],
        for_nonces: None,
        begin: Some(begin::<sha1::Sha1>),
    },
    Digest {
        names: &[
            c"SHA224",
            c"SHA2-224",
            c"SHA-224",
            c"2.16.840.1.101.3.4.2.4",
        ],
        length: 28,
        algorithm_identifier: with_sha2!(1),
        for_nonces: None,
        begin: Some(begin::<sha2::Sha224>),
    },
    Digest {
        names: &[
            c"SHA512-224",
            c"SHA2-512/224",
            c"SHA-512/224",
            c"2.16.840.1.101.3.4.2.5",
        ],
        length: 28,
        algorithm_identifier: &[],
        for_nonces: None,
        begin: Some(begin::<sha2::Sha512_224>),
    },
    Digest {
        names: &[
            c"SHA512-256",
            c"SHA2-512/256",
            c"SHA-512/256",
            c"2.16.840.1.101.3.4.2.6",
        ],
        length: 32,
        algorithm_identifier: &[],
        for_nonces: None,
        begin: Some(begin::<sha2::Sha512_256>),
    },
    Digest {
        names: &[c"SHA3-224", c"2.16.840.1.101.3.4.2.7"],
        length: 28,
        algorithm_identifier: with_sha3!(9),
        for_nonces: None,
        begin: Some(begin::<sha3::Sha3_224>),
    },
    Digest {
        names: &[c"SHA3-256", c"2.16.840.1.101.3.4.2.8"],
        length: 32,
        algorithm_identifier: with_sha3!(10),
        for_nonces: None,
        begin: Some(begin::<sha3::Sha3_256>),
    },
    Digest {
        names: &[c"SHA3-384", c"2.16.840.1.101.3.4.2.9"],
        length: 48,
        algorithm_identifier: with_sha3!(11),
        for_nonces: None,
        begin: Some(begin::<sha3::Sha3_384>),
    },
    Digest {
        names: &[c"SHA3-512", c"2.16.840.1.101.3.4.2.10"],
        length: 64,
        algorithm_identifier: with_sha3!(12),
        for_nonces: None,
        begin: Some(begin::<sha3::Sha3_512>),
    },
    length_only(&[c"MD5", c"SSL3-MD5", c"1.2.840.113549.2.5"], 16),
    length_only(&[c"MD5-SHA1"], 36),
    length_only(
        &[
            c"RIPEMD160",
            c"RIPEMD-160",
            c"RIPEMD",
            c"RMD160",
            c"1.3.36.3.2.1",
        ],
        20,
    ),
    length_only(&[c"SM3", c"1.2.156.10197.1.401"], 32),
    length_only(
        &[c"BLAKE2S-256", c"BLAKE2s256", c"1.3.6.1.4.1.1722.12.2.2.8"],
        32,
    ),
    length_only(
        &[c"BLAKE2B-512", c"BLAKE2b512", c"1.3.6.1.4.1.1722.12.2.1.16"],
        64,
    ),
];
