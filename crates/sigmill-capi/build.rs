//! Options for the linker.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" {
        // The name that programs look for. While the first number is 0, the second one changes with
        // every incompatible version.
        let version = |part| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
        let (major, minor) = (version("MAJOR"), version("MINOR"));
        let suffix = if major == "0" {
            format!("{major}.{minor}")
        } else {
            major
        };
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libsigmill.so.{suffix}");
        // If the library were unloaded while a thread still has values to drop, their code would be
        // gone.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
