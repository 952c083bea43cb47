//! Options for the linker.

fn main() {
    // If the module were unloaded while a thread still has values to drop, their code would be
    // gone.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
