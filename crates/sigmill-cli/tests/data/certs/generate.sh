#!/bin/sh
# Generates the certificates of this folder again, with OpenSSL 3. The keys are thrown away, so
# every run produces other certificates. The tests hold for any run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# key NAME ALGORITHM [OPTION...]
key() {
    name=$1 algorithm=$2
    shift 2
    openssl genpkey -quiet -algorithm "$algorithm" "$@" -out "$name.key"
}

ec() { key "$1" EC -pkeyopt "ec_paramgen_curve:$2"; }

# root NAME SUBJECT HASH [OPTION...]: a self-signed certificate
root() {
    name=$1 subject=$2 hash=$3
    shift 3
    openssl req -x509 -new -key "$name.key" -subj "$subject" "-$hash" -days 36500 \
        -out "$here/$name.pem" -addext basicConstraints=critical,CA:TRUE "$@"
}

# issue NAME SUBJECT ISSUER HASH EXTENSIONS: a certificate signed by another
issue() {
    printf '%b' "$5" > "$1.ext"
    openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
    openssl x509 -req -in "$1.csr" -CA "$here/$3.pem" -CAkey "$3.key" "-$4" -days 36500 \
        -extfile "$1.ext" -out "$here/$1.pem" 2> /dev/null
}

identifiers='subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid:always\n'
none='-addext subjectKeyIdentifier=none -addext authorityKeyIdentifier=none'

# A chain: P-384 signs with SHA-384 (itself) and SHA-256 (the intermediate), P-256 with SHA-256.
ec root-p384 P-384
root root-p384 /O=sigmill/CN=root-p384 sha384
ec intermediate-p256 P-256
issue intermediate-p256 /O=sigmill/CN=intermediate-p256 root-p384 sha256 \
    "${identifiers}basicConstraints=critical,CA:TRUE"
ec leaf-p384 P-384
issue leaf-p384 /O=sigmill/CN=leaf-p384 intermediate-p256 sha256 "$identifiers"
ec leaf-sha512 P-256
issue leaf-sha512 /O=sigmill/CN=leaf-sha512 intermediate-p256 sha512 "$identifiers"

# Two roots with the same name and no key identifiers. The second one signed the leaf.
ec twin-a P-256
root twin-a /O=sigmill/CN=twin sha256 $none
ec twin-b P-384
root twin-b /O=sigmill/CN=twin sha384 $none
issue_twin='basicConstraints=CA:FALSE'
ec twin-leaf P-256
issue twin-leaf /O=sigmill/CN=twin-leaf twin-b sha384 "$issue_twin"

ec root-p521 P-521
root root-p521 /O=sigmill/CN=root-p521 sha512

# Certificates that are not judged: RSA, Ed25519, ECDSA with a key on P-224, SHA-1, and an RSA root
# that signs an EC leaf.
key root-rsa RSA -pkeyopt rsa_keygen_bits:2048
root root-rsa /O=sigmill/CN=root-rsa sha256
key root-ed25519 ED25519
root root-ed25519 /O=sigmill/CN=root-ed25519 sha256
ec root-p224 P-224
root root-p224 /O=sigmill/CN=root-p224 sha512
ec root-sha1 P-256
root root-sha1 /O=sigmill/CN=root-sha1 sha1
ec leaf-of-rsa P-256
issue leaf-of-rsa /O=sigmill/CN=leaf-of-rsa root-rsa sha256 "$identifiers"
