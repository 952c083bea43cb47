//! How the module is linked.

fn main() {
    // A module that is unloaded while a thread has something to drop takes away its code.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
