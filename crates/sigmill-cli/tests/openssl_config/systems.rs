//! Configurations of systems, reduced to the relevant lines. Their settings remain in effect with
//! sigmill.

use super::System;

/// Debian 10 and 11. Hardening guides use the same names for Ubuntu 20.04.
const DEBIAN_10: &str = "
HOME = .
openssl_conf = default_conf
oid_section = new_oids
[ new_oids ]
tsa_policy1 = 1.2.3.4.1
[ CA_default ]
dir = ./demoCA
certs = $dir/certs # Where the issued certs are kept
[default_conf]
ssl_conf = ssl_sect
[ssl_sect]
system_default = system_default_sect
[system_default_sect]
MinProtocol = TLSv1.2
CipherString = DEFAULT@SECLEVEL=2
";

/// Ubuntu 20.04, whose policy is in the library.
const UBUNTU_20_04: &str = "
HOME = .
oid_section = new_oids
[ new_oids ]
tsa_policy1 = 1.2.3.4.1
";

/// Debian 12 and 13.
const DEBIAN_12: &str = "
HOME = .
 # Use this in order to automatically load providers.
openssl_conf = openssl_init
config_diagnostics = 1
oid_section = new_oids
[ new_oids ]
tsa_policy1 = 1.2.3.4.1
# .include fipsmodule.cnf
[openssl_init]
# providers = provider_sect
# [provider_sect]
# default = default_sect
[insta]
certout = insta.cert.pem
[rr]
oldcert = $insta::certout # insta.cert.pem
";

/// Ubuntu 22.04 and 24.04.
const UBUNTU_22_04: &str = "
openssl_conf = openssl_init
[openssl_init]
providers = provider_sect
ssl_conf = ssl_sect
[provider_sect]
default = default_sect
# fips = fips_sect
[default_sect]
# activate = 1
[ssl_sect]
system_default = system_default_sect
[system_default_sect]
CipherString = DEFAULT:@SECLEVEL=2
";

/// RHEL 9, whose policy is in a separate file.
const RHEL_9: &str = "
openssl_conf = openssl_init
[openssl_init]
providers = provider_sect
ssl_conf = ssl_module
alg_section = evp_properties
[ evp_properties ]
# This section is empty.
[provider_sect]
default = default_sect
##legacy = legacy_sect
[default_sect]
activate = 1
[ ssl_module ]
system_default = crypto_policy
[ crypto_policy ]
.include = @policy@
";

const RHEL_9_POLICY: &str = "
CipherString = @SECLEVEL=2:kEECDH:kEDH:kPSK:-aDSS:-3DES:!DES:!RC4:!MD5:-CAMELLIA:-ARIA:-AESCCM8
Ciphersuites = TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256
TLS.MinProtocol = TLSv1.2
TLS.MaxProtocol = TLSv1.3
SignatureAlgorithms = ECDSA+SHA256:ECDSA+SHA384:rsa_pss_pss_sha256:RSA+SHA256
";

/// fips_module(7), for systems on which programs may request other algorithms. The FIPS provider is
/// not installed everywhere, so the legacy provider replaces it here.
const FIPS_MODULE: &str = "
openssl_conf = openssl_init
[openssl_init]
providers = provider_sect
alg_section = algorithm_sect
[provider_sect]
fips = fips_sect
default = default_sect
[fips_sect]
identity = legacy
activate = 1
[default_sect]
activate = 1
[algorithm_sect]
default_properties = fips=yes
";

/// A policy with a visible effect: algorithms that it forbids are available without it.
const STRICT: &str = "
openssl_conf = default_conf
[default_conf]
ssl_conf = ssl_sect
[ssl_sect]
system_default = system_default_sect
[system_default_sect]
MinProtocol = TLSv1.3
CipherString = DEFAULT:@SECLEVEL=4
";

/// The TLS policy and the providers before ours are unchanged.
#[track_caller]
fn assert_adds_only(system: &System) {
    let [stock, added] = system.openssl("ciphers -s -v");
    assert!(stock.as_ref().unwrap().contains("TLSv1.3"));
    assert_eq!(stock, added, "{}", system.added);
    let [stock, added] = system.providers();
    assert_eq!(
        added,
        [&stock[..], &["sigmill".into()]].concat(),
        "{}",
        system.added
    );
}

fn rhel_9() -> (tempfile::NamedTempFile, System) {
    let policy = tempfile::NamedTempFile::with_suffix(".config").unwrap();
    std::fs::write(&policy, RHEL_9_POLICY).unwrap();
    let system = RHEL_9.replace("@policy@", policy.path().to_str().unwrap());
    let system = System::new(&system).unwrap();
    (policy, system)
}

#[test]
fn policies_of_systems_hold_and_sigmill_is_used() {
    for text in [DEBIAN_10, UBUNTU_20_04, DEBIAN_12, UBUNTU_22_04, STRICT, ""] {
        let system = System::new(text).unwrap();
        assert_eq!(system.warnings, "");
        assert_adds_only(&system);
        assert!(system.uses_sigmill(), "{}", system.added);
    }
    let (_policy, system) = rhel_9();
    assert_adds_only(&system);
    assert!(system.uses_sigmill(), "{}", system.added);
}

/// The two tests with policies are effective: without the policies more is available.
#[test]
fn policies_show() {
    let ciphers = |text| {
        System::new(text).unwrap().openssl("ciphers -s -v")[1]
            .clone()
            .unwrap()
    };
    let all = ciphers("");
    assert!(all.lines().any(|line| line.contains("TLSv1.2")));
    assert!(!all.lines().eq(ciphers(STRICT).lines()));
    let (_policy, system) = rhel_9();
    assert!(
        !all.lines()
            .eq(system.openssl("ciphers -s -v")[1].clone().unwrap().lines())
    );
}

/// A missing module disables nothing else.
#[test]
fn policies_hold_without_the_module() {
    for text in [DEBIAN_10, UBUNTU_22_04, STRICT, FIPS_MODULE] {
        let system = System::new(text).unwrap();
        let gone = system
            .added
            .replace("libsigmill_openssl.so", "no_such_file.so");
        std::fs::write(system.file("added.cnf"), gone).unwrap();
        let [stock, added] = system.providers();
        assert_eq!(stock, added);
        for question in ["ciphers -s -v", "dgst -md5 system.cnf"] {
            let [stock, added] = system.openssl(question);
            assert_eq!(stock.ok(), added.ok(), "{}", system.added);
        }
    }
}

/// The names of the init section and of the other sections stay.
#[test]
fn lines_go_where_the_system_looks() {
    let system = System::new(DEBIAN_10).unwrap();
    assert!(!system.added.contains("openssl_conf ="), "{}", system.added);
    for expected in [
        "\nnodejs_conf = default_conf\n",
        "\n[default_conf]\nproviders = sigmill_providers\nalg_section = sigmill_algorithms\n",
    ] {
        assert!(system.added.contains(expected), "{}", system.added);
    }
    let (_policy, system) = rhel_9();
    let expected = "\n[provider_sect]\nsigmill = sigmill_provider\n";
    assert!(system.added.contains(expected), "{}", system.added);
    assert!(
        !system.added.contains("sigmill_default"),
        "{}",
        system.added
    );
    assert!(!system.added.contains("[openssl_init]"), "{}", system.added);
    let expected = "\n[evp_properties]\ndefault_properties = ?provider=sigmill,";
    assert!(system.added.contains(expected), "{}", system.added);
}

#[test]
fn fips_properties_hold_and_sigmill_is_not_used() {
    let system = System::new(FIPS_MODULE).unwrap();
    assert!(
        system.warnings.contains("require fips=yes"),
        "{}",
        system.warnings
    );
    let [stock, added] = system.providers();
    assert_eq!(stock, ["default", "legacy"]);
    assert_eq!(added, ["default", "legacy", "sigmill"]);
    // No provider here offers algorithms with this property, as the FIPS provider would.
    for digest in ["md5", "sha256"] {
        for answer in system.openssl(&format!("dgst -{digest} system.cnf")) {
            assert!(answer.is_err(), "{answer:?}");
        }
    }
    // A program that requests the other algorithms gets them all.
    for answer in system.openssl("dgst -md5 -propquery -fips system.cnf") {
        assert!(answer.is_ok(), "{answer:?}");
    }
}

/// `fips_mode` adds to default properties before it, and not to those after it.
#[test]
fn fips_mode_holds() {
    let properties = "default_properties = fips=yes";
    for (lines, holds) in [
        ("fips_mode = yes", true),
        ("default_properties = ?x.y=1\nfips_mode = yes", true),
        ("fips_mode = yes\ndefault_properties = ?x.y=1", false),
        ("default_properties = fips=yes\nfips_mode = no", false),
        ("default_properties = ?fips=yes , x.y!=yes", false),
        ("default_properties = FIPS", true),
        ("default_properties = fips = yes", true),
        ("default_properties =", false),
    ] {
        let text = FIPS_MODULE.replace(properties, lines);
        assert_ne!(text, FIPS_MODULE);
        let system = System::new(&text).unwrap();
        assert_eq!(system.warnings.contains("fips=yes"), holds, "{lines}");
        for answer in system.openssl("dgst -md5 system.cnf") {
            assert_eq!(
                answer.is_err(),
                holds,
                "{lines}: {answer:?}\n{}",
                system.added
            );
        }
        if !holds {
            assert!(system.uses_sigmill(), "{lines}\n{}", system.added);
        }
    }
}

/// The included file may change. Its new settings then take effect.
#[test]
fn lines_that_come_later_hold() {
    let demanding = "[X]\ndefault_properties = fips=yes\n";
    let without = FIPS_MODULE.replace("default_properties = fips=yes", "");
    let soft = FIPS_MODULE.replace("fips=yes", "?x.y=1");
    let named = without.replace("alg_section = algorithm_sect", "");
    for (before, after) in [
        (&soft, FIPS_MODULE),
        (&without, FIPS_MODULE),
        (&named, FIPS_MODULE),
        (
            &soft,
            &*named.replace("[openssl_init]", "[openssl_init]\nalg_section = X"),
        ),
        (
            &DEBIAN_12.to_owned(),
            &*without.replace("algorithm_sect", "X"),
        ),
        (
            &UBUNTU_20_04.to_owned(),
            &*without.replace("algorithm_sect", "X"),
        ),
    ] {
        let system = System::new(before).unwrap();
        let file = system.file("system.cnf");
        std::fs::write(file, after.to_owned() + demanding).unwrap();
        for answer in system.openssl("dgst -md5 added.cnf") {
            let error = answer.unwrap_err();
            assert!(error.contains("unsupported"), "{before}{after}: {error}");
        }
    }
    // Removed lines are not an error.
    let system = System::new(&soft).unwrap();
    std::fs::write(system.file("system.cnf"), &without).unwrap();
    assert!(system.uses_sigmill());
}
