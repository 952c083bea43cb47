//! Many rows at once.

use sigmill::bulk::{Engine, Hints, Inputs, Rows, Signatures};
use sigmill::{Algorithm, Error};

use crate::arrow::{ArrowArray, ArrowSchema, Batch};
use crate::border::{check_len, give, reference, take_back, value_or, write};
use crate::choice;
use crate::error::sigmill_error::{self, *};
use crate::rows::{Refusal, sigmill_failure, sigmill_rows};

/// What verifies many rows at once, remembers keys between calls, and builds tables for those that
/// return. Threads may share it; freed by `sigmill_engine_free`.
#[allow(non_camel_case_types, reason = "the name of C")]
pub struct sigmill_engine(Engine);

/// The memory that `sigmill_engine_new` is given by those who have no other wish: 256 MiB.
pub const SIGMILL_KEY_MEMORY: usize = 256 << 20;

/// A new engine.
///
/// `threads`: how many work on a call; 1 is the caller's own, 0 as many as the machine runs side by
/// side. `key_memory`: the bytes that keys and their tables may take between calls
/// (`SIGMILL_KEY_MEMORY`); taken as they are used. `window`: the widest tables, 1 to 11 bits, 0 for
/// the usual 10. `policy`: a sum of `sigmill_policy`. `*engine` gets a handle to free, or NULL if
/// there is an error. The first engine of a process measures the machine for half a millisecond.
///
/// Errors: `SIGMILL_ERROR_WINDOW_OUT_OF_RANGE`, `_THREADS_NOT_STARTED`, `_ARGUMENT_OUT_OF_RANGE`
/// (the policy, or more than 1024 threads). Thread-safe.
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
    // SAFETY: the caller's place for a handle (`border`).
    unsafe { give(engine, build) }
}

/// Frees an engine; NULL is none. No other call may use it then. Its threads end soon after, and
/// are
/// not waited for. Thread-safe for different engines.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_engine_free(engine: *mut sigmill_engine) {
    // SAFETY: the caller's handle (`border`).
    unsafe { take_back(engine) };
}

/// Verifies rows by pointer and stride. `verdicts[i]` gets what the single call would say of row i:
/// `SIGMILL_OK`, or the rule that it breaks (`_KEY_NULL`, `_INPUT_NULL` or `_SIGNATURE_NULL` where
/// a
/// value is missing); it has room for `rows->len`. `*valid`, if `valid` is not NULL, gets the
/// number
/// of valid rows.
///
/// Returns `SIGMILL_OK` if all rows were judged, valid or not. Else no verdict was written, and
/// `failure`, if it is not NULL, says why: `SIGMILL_ERROR_NULL_POINTER`, `_ARGUMENT_OUT_OF_RANGE`,
/// `_LENGTH_OUT_OF_RANGE`, `_ROWS_SHAPE`, `_MEMORY_UNAVAILABLE`. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_engine_verify(
    engine: *const sigmill_engine,
    rows: *const sigmill_rows,
    verdicts: *mut sigmill_error,
    valid: *mut usize,
    failure: *mut sigmill_failure,
) -> sigmill_error {
    let verify = || {
        // SAFETY: the caller's handle (`border`).
        let engine = unsafe { reference(engine) }?;
        // SAFETY: the caller's rows (`border`).
        let rows = unsafe { reference(rows) }?;
        let judge = Judge::new(rows.curve, rows.hash, rows.format, rows.len, verdicts)?;
        let messages = match rows.input {
            1 => true,
            2 => false,
            _ => return Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE.into()),
        };
        // SAFETY: the caller's columns (`border`).
        let keys = unsafe { rows.keys.values("keys", rows.len, true) }?;
        // SAFETY: the same.
        let inputs = unsafe { rows.inputs.values("inputs", rows.len, true) }?;
        // SAFETY: the same.
        let signatures = unsafe { rows.signatures.values("signatures", rows.len, false) }?;
        let inputs = match messages {
            true => Inputs::Messages(inputs.column()),
            false => Inputs::Digests(inputs.column()),
        };
        let signatures = Signatures::new(judge.format, signatures.column());
        let columns = Rows::new(judge.algorithm, keys.column(), inputs, signatures)?;
        if rows.hints.is_absent() {
            // SAFETY: the caller's verdicts (`border`), one for each row.
            return unsafe { judge.verify(engine, &columns, valid) };
        }
        // SAFETY: the caller's columns (`border`).
        let hints = unsafe { rows.hints.values("hints", rows.len, false) }?;
        let columns = columns.hints(Hints::Ids(hints.column()))?;
        // SAFETY: the caller's verdicts (`border`), one for each row.
        unsafe { judge.verify(engine, &columns, valid) }
    };
    // SAFETY: the caller's place for a message (`border`).
    unsafe { told(failure, verify) }
}

/// Verifies the rows of an Arrow record batch (Arrow C Data Interface): a struct (`+s`) with the
/// columns "key", "message" or "digest", and "signature"; others are not looked at. Columns are
/// binary or text in any layout of Arrow: `z`, `Z`, `w:N`, `vz`, `u`, `U`, `vu`, and dictionaries
/// of these, with nulls and slices. Without a copy, but for `vz` and `vu`.
///
/// `curve` is a `sigmill_curve`, `hash` a `sigmill_hash`, `format` a `sigmill_format`. `verdicts`
/// has room for `verdicts_len`, at least the length of the array; else as of
/// `sigmill_engine_verify`. Neither schema nor array are released: the caller does that afterwards.
///
/// Errors: also `SIGMILL_ERROR_ARROW_...`, `_BUFFER_TOO_SMALL`; `failure` names the column.
/// Thread-safe.
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
    let verify = || {
        // SAFETY: the caller's handle (`border`).
        let engine = unsafe { reference(engine) }?;
        // SAFETY: the caller's schema and array (`border`), as the interface wants them.
        let batch = unsafe { Batch::read(reference(schema)?, reference(array)?) }?;
        let judge = Judge::new(curve, hash, format, batch.len, verdicts)?;
        if verdicts_len < batch.len {
            let message = format!("verdicts: there must be room for {} rows", batch.len);
            return Err(Refusal::new(SIGMILL_ERROR_BUFFER_TOO_SMALL, message));
        }
        let inputs = match batch.are_messages {
            true => Inputs::Messages(batch.inputs.column()),
            false => Inputs::Digests(batch.inputs.column()),
        };
        let signatures = Signatures::new(judge.format, batch.signatures.column());
        let rows = Rows::new(judge.algorithm, batch.keys.column(), inputs, signatures)?;
        // SAFETY: the caller's verdicts (`border`), one for each row.
        unsafe { judge.verify(engine, &rows, valid) }
    };
    // SAFETY: the caller's place for a message (`border`).
    unsafe { told(failure, verify) }
}

/// What is the same for all rows of a call, and where their verdicts go.
struct Judge {
    algorithm: Algorithm,
    format: sigmill::SignatureFormat,
    rows: usize,
    verdicts: *mut sigmill_error,
}

impl Judge {
    fn new(
        curve: u32,
        hash: u32,
        format: u32,
        rows: usize,
        verdicts: *mut sigmill_error,
    ) -> Result<Self, Refusal> {
        let curve = choice::curve(curve)?;
        let algorithm = Algorithm::new(curve, choice::hash(hash, curve)?);
        let format = choice::format(format)?;
        check_len(rows.saturating_mul(size_of::<sigmill_error>()))?;
        if verdicts.is_null() && rows > 0 {
            return Err(SIGMILL_ERROR_NULL_POINTER.into());
        }
        Ok(Self {
            algorithm,
            format,
            rows,
            verdicts,
        })
    }

    /// Judges the rows, and writes the verdicts.
    ///
    /// # Safety
    /// There is room for a verdict of each row, and for the number of valid ones if the pointer is
    /// not NULL.
    unsafe fn verify(
        &self,
        engine: &sigmill_engine,
        rows: &Rows<'_>,
        valid: *mut usize,
    ) -> Result<(), Refusal> {
        if rows.len() != self.rows {
            return Err(SIGMILL_ERROR_ROWS_SHAPE.into());
        }
        let judged = engine.0.verify(rows);
        for (row, verdict) in judged.as_slice().iter().enumerate() {
            let code = verdict.map_or_else(|error: Error| error.into(), |()| SIGMILL_OK);
            // SAFETY: as the caller says.
            unsafe { self.verdicts.add(row).write(code) };
        }
        if !valid.is_null() {
            // SAFETY: as the caller says.
            unsafe { write(valid, judged.valid()) }?;
        }
        Ok(())
    }
}

/// Runs a call, and tells why it was refused.
///
/// # Safety
/// If it is not NULL, a message can be written there.
unsafe fn told(
    failure: *mut sigmill_failure,
    verify: impl FnOnce() -> Result<(), Refusal>,
) -> sigmill_error {
    value_or(SIGMILL_ERROR_PANIC, || match verify() {
        Ok(()) => SIGMILL_OK,
        Err(refusal) => {
            // SAFETY: as the caller says.
            unsafe { refusal.tell(failure) };
            refusal.code
        }
    })
}
