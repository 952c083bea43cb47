//! Lists the public API from a JSON file of rustdoc, one item per line (`.ci/public-api`).

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: sigmill-api RUSTDOC.json");
        return ExitCode::from(2);
    };
    let listed = public_api::Builder::from_rustdoc_json(path)
        .omit_auto_derived_impls(true)
        .omit_auto_trait_impls(true)
        .omit_blanket_impls(true)
        .sorted(true)
        .build();
    match listed {
        Ok(api) => {
            api.items().for_each(|item| println!("{item}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
