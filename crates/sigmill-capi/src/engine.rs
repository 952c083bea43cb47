//! Verification of many rows at once.

use sigmill::bulk::{Engine, Hints, Inputs, Rows, Signatures, Verdicts};
use sigmill::{Algorithm, Error};

use crate::arrow::{ArrowArray, ArrowSchema, Batch};
use crate::border::{check_len, give, reference, take_back, value_or};
use crate::choice;
use crate::error::*;
use crate::options::check_reserved;
use crate::rows::{Refusal, sigmill_failure, sigmill_rows};

/// An engine that verifies many rows at once. It remembers keys between calls and builds tables for
/// keys that return. Threads may share it. Free it with `sigmill_engine_free`. It also works in the
/// child of a process that forks: there the caller's thread does all rows, and no key is known at
/// first.
#[allow(non_camel_case_types, reason = "the name of C")]
pub struct sigmill_engine(Engine);

/// The usual `key_memory` of `sigmill_engine_new`: 256 MiB.
pub const SIGMILL_KEY_MEMORY: usize = 256 << 20;

/// Makes an engine.
///
/// `threads`: the number of threads that work on a call. 1 means the caller's own thread alone, 0
/// as many threads as the machine runs in parallel. `key_memory`: the bytes that keys and their
/// tables may occupy between calls (usually `SIGMILL_KEY_MEMORY`), allocated as they are used.
/// `window`: the widest tables, 1 to 11 bits, or 0 for the usual 10. `policy`: a sum of
/// `sigmill_policy`. `*engine` receives a handle, which the caller frees, or NULL after an error.
/// The first engine of a process measures the machine for half a millisecond.
///
/// Errors: `SIGMILL_ERROR_WINDOW_OUT_OF_RANGE`, `_THREADS_NOT_STARTED`, `_ARGUMENT_OUT_OF_RANGE`
/// (the policy, or more than 1024 threads), `_NULL_POINTER` (`engine`). Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_engine_new(
    threads: usize,
    key_memory: usize,
    window: u32,
    policy: u32,
    engine: *mut *mut sigmill_engine,
) -> sigmill_error {
    let build = || {
        if threads > 1024 {
            return Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE);
        }
        let builder = Engine::builder().threads(threads).key_memory(key_memory);
        let builder = builder.policy(choice::policy(policy)?);
        let builder = match window {
            0 => builder,
            window => builder.window(window),
        };
        Ok(sigmill_engine(builder.build()?))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(engine, build) }
}

/// Frees an engine. NULL is allowed. No other call may use the engine during or after this call.
/// Its threads end soon after; the call does not wait for them. Thread-safe for different engines.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_engine_free(engine: *mut sigmill_engine) {
    // SAFETY: the caller vouches for the handle (see `border`).
    unsafe { take_back(engine) };
}

/// Verifies rows by pointer and stride. `verdicts` has room for `rows->len` verdicts. `verdicts[i]`
/// receives the result that the call for a single signature returns for row i: `SIGMILL_OK`, or the
/// rule that the row breaks. A missing value yields `_KEY_NULL`, `_INPUT_NULL` or
/// `_SIGNATURE_NULL`. `*valid` receives the number of valid rows; `valid` may be NULL.
///
/// Returns `SIGMILL_OK` if all rows were judged, valid or not. Otherwise none was judged: every
/// verdict is `SIGMILL_ERROR_NOT_JUDGED`, `*valid` is 0, and `*failure` receives the reason;
/// `failure` may be NULL.
///
/// Errors: `SIGMILL_ERROR_NULL_POINTER`, `_ARGUMENT_OUT_OF_RANGE`, `_LENGTH_OUT_OF_RANGE`,
/// `_ROWS_SHAPE`, `_MEMORY_UNAVAILABLE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_engine_verify(
    engine: *const sigmill_engine,
    rows: *const sigmill_rows,
    verdicts: *mut sigmill_error,
    valid: *mut usize,
    failure: *mut sigmill_failure,
) -> sigmill_error {
    // SAFETY: the caller vouches for the rows (see `border`).
    let len = unsafe { rows.as_ref() }.map_or(0, |rows| rows.len);
    // SAFETY: the caller vouches for these places, with a verdict for each row (see `border`).
    let results = unsafe { Results::new(verdicts, len, valid, failure) };
    let verify = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let engine = unsafe { reference(engine) }?;
        // SAFETY: the caller vouches for the rows (see `border`).
        let rows = unsafe { reference(rows) }?;
        let judge = Judge::new(rows.curve, rows.hash, rows.format, rows.len)?;
        results.check(rows.len)?;
        check_reserved(rows.reserved)?;
        let messages = match rows.input {
            1 => true,
            2 => false,
            _ => return Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE.into()),
        };
        // SAFETY: the caller vouches for the columns (see `border`).
        let keys = unsafe { rows.keys.values("keys", rows.len, true) }?;
        // SAFETY: as above.
        let inputs = unsafe { rows.inputs.values("inputs", rows.len, true) }?;
        // SAFETY: as above.
        let signatures = unsafe { rows.signatures.values("signatures", rows.len, false) }?;
        let inputs = match messages {
            true => Inputs::Messages(inputs.column()),
            false => Inputs::Digests(inputs.column()),
        };
        let signatures = Signatures::new(judge.format, signatures.column());
        let columns = Rows::new(judge.algorithm, keys.column(), inputs, signatures)?;
        if rows.hints.is_absent() {
            return judge.verify(engine, &columns);
        }
        // SAFETY: the caller vouches for the columns (see `border`).
        let hints = unsafe { rows.hints.values("hints", rows.len, false) }?;
        let columns = columns.hints(Hints::Ids(hints.column()))?;
        judge.verify(engine, &columns)
    };
    results.of(verify)
}

/// Verifies the rows of an Arrow record batch by the Arrow C Data Interface. The batch is a struct
/// (`+s`) with the columns "key", "message" or "digest", and "signature"; other columns are
/// ignored. These columns are binary or text in any layout of Arrow: `z`, `Z`, `w:N`, `vz`, `u`,
/// `U`, `vu`, and dictionaries of these. They may have nulls and be slices. Only `vz` and `vu` are
/// copied.
///
/// `curve` is a `sigmill_curve`, `hash` a `sigmill_hash`, `format` a `sigmill_format`. `verdicts`
/// has room for `verdicts_len` verdicts, at least one for each row. Verdicts after the last row are
/// `SIGMILL_ERROR_NOT_JUDGED`. Verdicts, `valid`, `failure` and the returned value are otherwise
/// those of `sigmill_engine_verify`. The call releases neither `schema` nor `array`: the caller
/// does that afterwards.
///
/// Errors: those of `sigmill_engine_verify`, `SIGMILL_ERROR_ARROW_...`, `_BUFFER_TOO_SMALL` (fewer
/// verdicts than rows). `failure` names the column. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_engine_verify_arrow(
    engine: *const sigmill_engine,
    schema: *const ArrowSchema,
    array: *const ArrowArray,
    curve: u32,
    hash: u32,
    format: u32,
    verdicts: *mut sigmill_error,
    verdicts_len: usize,
    valid: *mut usize,
    failure: *mut sigmill_failure,
) -> sigmill_error {
    // SAFETY: the caller vouches for these places, with `verdicts_len` verdicts (see `border`).
    let results = unsafe { Results::new(verdicts, verdicts_len, valid, failure) };
    let verify = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let engine = unsafe { reference(engine) }?;
        // SAFETY: the caller vouches for schema and array, as the interface requires (see
        // `border`).
        let batch = unsafe { Batch::read(reference(schema)?, reference(array)?) }?;
        let judge = Judge::new(curve, hash, format, batch.len)?;
        results.check(batch.len)?;
        let inputs = match batch.are_messages {
            true => Inputs::Messages(batch.inputs.column()),
            false => Inputs::Digests(batch.inputs.column()),
        };
        let signatures = Signatures::new(judge.format, batch.signatures.column());
        let rows = Rows::new(judge.algorithm, batch.keys.column(), inputs, signatures)?;
        judge.verify(engine, &rows)
    };
    results.of(verify)
}

/// Parameters shared by all rows of a call.
struct Judge {
    algorithm: Algorithm,
    format: sigmill::SignatureFormat,
    rows: usize,
}

impl Judge {
    fn new(curve: u32, hash: u32, format: u32, rows: usize) -> Result<Self, Refusal> {
        let curve = choice::curve(curve)?;
        let algorithm = Algorithm::new(curve, choice::hash(hash, curve)?);
        let format = choice::format(format)?;
        Ok(Self {
            algorithm,
            format,
            rows,
        })
    }

    fn verify(&self, engine: &sigmill_engine, rows: &Rows<'_>) -> Result<Verdicts, Refusal> {
        match rows.len() == self.rows {
            true => Ok(engine.0.verify(rows)),
            false => Err(SIGMILL_ERROR_ROWS_SHAPE.into()),
        }
    }
}

/// The places for the results of a call. Until there are results, every row is marked as not
/// judged. A caller that reads only the verdicts then takes none for valid, whatever the memory
/// held before.
#[derive(Clone, Copy)]
struct Results {
    verdicts: *mut sigmill_error,
    /// The number of verdicts that fit.
    room: usize,
    valid: *mut usize,
    failure: *mut sigmill_failure,
}

impl Results {
    /// # Safety
    /// Each pointer is NULL, or there is room for `room` verdicts, a number and a message as long
    /// as this value is used.
    unsafe fn new(
        verdicts: *mut sigmill_error,
        room: usize,
        valid: *mut usize,
        failure: *mut sigmill_failure,
    ) -> Self {
        let results = Self {
            verdicts,
            room,
            valid,
            failure,
        };
        results.write_valid(0);
        if results.is_room() {
            for row in 0..room {
                // SAFETY: there is room, as the caller guarantees.
                unsafe { verdicts.add(row).write(Error::NotJudged.into()) };
            }
        }
        results
    }

    /// Reports whether an array of that length can exist.
    fn is_room(&self) -> bool {
        let bytes = self.room.saturating_mul(size_of::<sigmill_error>());
        !self.verdicts.is_null() && check_len(bytes).is_ok()
    }

    /// Checks that the verdicts of `rows` rows fit.
    fn check(&self, rows: usize) -> Result<(), Refusal> {
        check_len(self.room.saturating_mul(size_of::<sigmill_error>()))?;
        if self.room < rows {
            let message = format!("verdicts: must have room for {rows} rows");
            return Err(Refusal::new(SIGMILL_ERROR_BUFFER_TOO_SMALL, message));
        }
        match self.verdicts.is_null() && rows > 0 {
            true => Err(SIGMILL_ERROR_NULL_POINTER.into()),
            false => Ok(()),
        }
    }

    fn write_valid(&self, count: usize) {
        if !self.valid.is_null() {
            // SAFETY: guaranteed by the caller of `new`.
            unsafe { self.valid.write(count) };
        }
    }

    /// Writes the verdicts of a call, or the reason why there are none.
    fn of(&self, verify: impl FnOnce() -> Result<Verdicts, Refusal>) -> sigmill_error {
        let judged = value_or(None, || Some(verify()));
        let refusal = match judged {
            Some(Ok(judged)) if self.check(judged.as_slice().len()).is_ok() => {
                for (row, verdict) in judged.as_slice().iter().enumerate() {
                    let code = verdict.map_or_else(|error: Error| error.into(), |()| SIGMILL_OK);
                    // SAFETY: there is room, as checked above.
                    unsafe { self.verdicts.add(row).write(code) };
                }
                self.write_valid(judged.valid());
                return SIGMILL_OK;
            }
            Some(Ok(_)) => SIGMILL_ERROR_ROWS_SHAPE.into(),
            Some(Err(refusal)) => refusal,
            None => SIGMILL_ERROR_PANIC.into(),
        };
        // SAFETY: guaranteed by the caller of `new`.
        unsafe { refusal.tell(self.failure) };
        refusal.code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A panic leaves no row that looks valid, even in zeroed memory.
    #[test]
    fn a_panic_judges_nothing() {
        let mut verdicts = [SIGMILL_OK; 5];
        let mut valid = 5;
        let mut failure = sigmill_failure { message: [1; 256] };
        // SAFETY: the pointers are those of variables. The last verdict has no room, on purpose.
        let results = unsafe { Results::new(verdicts.as_mut_ptr(), 4, &mut valid, &mut failure) };
        assert_eq!(results.of(|| panic!("on purpose")), SIGMILL_ERROR_PANIC);
        assert_eq!(
            (verdicts[..4].to_vec(), valid),
            (vec![Error::NotJudged.into(); 4], 0)
        );
        assert_eq!(verdicts[4], SIGMILL_OK);
        assert_ne!(failure.message[0], 1);
    }

    /// A length that no array can have is rejected, and nothing is written.
    #[test]
    fn lengths_of_no_array() {
        let mut verdicts = [SIGMILL_OK];
        for room in [usize::MAX, usize::MAX / 4 + 2, isize::MAX as usize / 4 + 1] {
            let (place, none) = (verdicts.as_mut_ptr(), std::ptr::null_mut());
            // SAFETY: the length is checked before anything is written.
            let results = unsafe { Results::new(place, room, none, none.cast()) };
            let error = results.check(1).unwrap_err();
            assert_eq!(error.code, SIGMILL_ERROR_LENGTH_OUT_OF_RANGE);
        }
        assert_eq!(verdicts, [SIGMILL_OK]);
    }
}
