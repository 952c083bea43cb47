//! sigmill
fn main() {}
