//! How the library is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" {
        // The name that programs look for: as long as the first number is 0, the second one tells
        // of incompatible versions.
        let version = |part| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
        let (major, minor) = (version("MAJOR"), version("MINOR"));
        let suffix = if major == "0" {
            format!("{major}.{minor}")
        } else {
            major
        };
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libsigmill.so.{suffix}");
        // A library that is unloaded while a thread has something to drop takes away its code.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
