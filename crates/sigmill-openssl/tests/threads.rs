//! Many threads in one process: some sign, verify, agree and make keys, while others load and
//! unload providers and change the default properties (`threads.c`), on any stack.

mod common;

use std::iter;
use std::process::Command;

use common::{Place, on_every_stack, program, text};

#[test]
fn threads_go_on_while_others_change_providers() {
    let seconds = std::env::var("SIGMILL_LOAD_SECONDS").unwrap_or_else(|_| "3".into());
    let place = Place::new();
    let Some(program) = program(&place, "threads", &["-pthread", "-lcrypto"]) else {
        return;
    };
    // The stock library must also be able to do it.
    let with_ecdh = place.with_ecdh();
    let stacks = on_every_stack(&program).into_iter();
    let runs = stacks.map(|command| (with_ecdh.to_str().unwrap(), command));
    for (config, mut command) in iter::once(("-", Command::new(&program))).chain(runs) {
        let said = text(command.args([config, &seconds]).output().unwrap()).unwrap();
        print!("{config}: {said}");
        let number_before = |words: &str| -> u64 {
            let before = said.split(words).next().unwrap();
            before.rsplit(' ').next().unwrap().parse().unwrap()
        };
        assert!(number_before(" signatures") > 20, "{said}");
        assert!(number_before(" agreements") > 20, "{said}");
        // One key in sixteen is on a curve that is not ours, and some operations fall through while
        // the cache of look-ups is dropped.
        let least = if config == "-" { 0 } else { 8 };
        let by_sigmill = number_before(" by sigmill");
        assert!(
            by_sigmill * 10 >= number_before(" signatures") * least,
            "{said}"
        );
        assert!(number_before(" changes") > 20, "{said}");
        // Most keys are made at the first try.
        assert!(
            number_before(" not made at first") * 10 < number_before(" keys"),
            "{said}"
        );
    }
}
