//! x(R) modulo n: points whose x-coordinate is n or more, r with r + n below p or not, and near
//! misses. The key is computed from the intended final point R.

use sigmill_tests::expect::{expect, expect_valid_but_not_its_neighbours};
use sigmill_tests::numbers::{big, random_below, random_nonzero, rng};
use sigmill_tests::processes::{curves, on_every_backend, unless_again, unless_shared};
use sigmill_tests::referee::Referee;
use sigmill_tests::rounds;
use sigmill_tests::strategies::Strategies;

/// Points whose x-coordinate is n or slightly more: x mod n is not x.
#[test]
fn x_at_or_above_the_order_is_reduced() {
    for &name in curves() {
        let referee = Referee::new(name);
        let n = &referee.n;
        let mut rng = rng(12);
        let mut wrapped = 0;
        let full = rounds(12, unless_shared(name, 60, 20));
        for offset in 0..unless_again(full, 12) as u64 {
            let x = n + offset;
            let Some(point) = referee.lift_x(&x, offset % 3 == 0) else {
                continue;
            };
            let (u1, u2) = (random_below(&mut rng, n), random_nonzero(&mut rng, n));
            if offset == 0 {
                continue; // x = n: r would be zero.
            }
            let case = referee.forge_key(&point, &big(offset), &u1, &u2);
            let strategies = Strategies::new(name, &case.key, &[7, 3]).unwrap();
            expect_valid_but_not_its_neighbours(&referee, &strategies, &case);
            wrapped += 1;
        }
        assert!(wrapped >= 4, "{wrapped}");
        // The highest ones: x just below p.
        for below in 1..unless_again(rounds(6, 30), 6) as u32 {
            let x = &referee.p - below;
            let Some(point) = referee.lift_x(&x, below % 2 == 0) else {
                continue;
            };
            let u2 = random_nonzero(&mut rng, n);
            let case = referee.forge_key(&point, &(&x - n), &big(0), &u2);
            let strategies = Strategies::new(name, &case.key, &[6]).unwrap();
            expect(&referee, &strategies, &case, true);
        }
    }
}

/// r + n must be compared as an integer: not if it is p or more, and not reduced modulo p.
#[test]
fn r_plus_n_beyond_the_prime_is_no_candidate() {
    for &name in curves() {
        let referee = Referee::new(name);
        let (n, p) = (&referee.n, &referee.p);
        let mut rng = rng(13);
        let mut tried = 0;
        let full = rounds(12, unless_shared(name, 60, 20));
        for x in (0..unless_again(full, 12) as u64).map(big) {
            let Some(point) = referee.lift_x(&x, x.bit(0)) else {
                continue;
            };
            tried += 1;
            let (u1, u2) = (random_below(&mut rng, n), random_nonzero(&mut rng, n));
            // (r + n) mod p = x, but r + n = x + p.
            let wrapped = referee.forge_key(&point, &(&x + p - n), &u1, &u2);
            let strategies = Strategies::new(name, &wrapped.key, &[7]).unwrap();
            expect(&referee, &strategies, &wrapped, false);
            // r = x: small, so r + n is below p as well; the first candidate is the right one.
            if x != big(0) {
                let case = referee.forge_key(&point, &x, &u1, &u2);
                let strategies = Strategies::new(name, &case.key, &[7]).unwrap();
                expect_valid_but_not_its_neighbours(&referee, &strategies, &case);
            }
            // r = p - n + x: r + n = p + x is beyond p, and x(R) = r is right.
            let x = p - n + &x;
            if let Some(point) = referee.lift_x(&x, false) {
                let case = referee.forge_key(&point, &x, &u1, &u2);
                let strategies = Strategies::new(name, &case.key, &[5]).unwrap();
                expect(&referee, &strategies, &case, true);
            }
        }
        assert!(tried >= 4, "{tried}");
        // x(R) = r + 2^128, r - 1, -r: near misses in single limbs.
        let x = big(77);
        for (i, distance) in [0u32, 63, 64, 127, 128, 191, 192, 250]
            .into_iter()
            .enumerate()
        {
            let far = &x + (big(1) << distance);
            let point = referee
                .lift_x(&far, false)
                .or_else(|| referee.lift_x(&(&far + 1u32), false));
            let Some(point) = point else { continue };
            let claimed = if referee.x(&point) == far {
                x.clone()
            } else {
                &x + 1u32
            };
            let case = referee.forge_key(&point, &claimed, &big(3), &big(5 + i as u64));
            let strategies = Strategies::new(name, &case.key, &[7]).unwrap();
            expect(&referee, &strategies, &case, false);
        }
    }
}

#[test]
fn every_backend() {
    on_every_backend(
        "reduced_x::",
        "reduced_x::x_at_or_above_the_order_is_reduced",
    );
}
