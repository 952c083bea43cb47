//! What a caller may ask of a call beyond its verdicts.

use core::fmt;
use core::sync::atomic::AtomicBool;

/// How a call is steered and watched. [`Control::default`] asks for nothing.
///
/// ```
/// use core::sync::atomic::{AtomicBool, Ordering};
/// use sigmill::bulk::{Control, Engine, Row, Rows};
/// use sigmill::{Algorithm, SignatureFormat};
/// # use sigmill::bulk::Input;
///
/// let engine = Engine::builder().build()?;
/// # let row = Row {
/// #     algorithm: Algorithm::ES256,
/// #     key: &[4; 65],
/// #     input: Input::Message(b"hello"),
/// #     signature: &[1; 64],
/// #     format: SignatureFormat::P1363,
/// # };
/// let rows = [row; 1000];
/// let stop = AtomicBool::new(false);
/// let verdicts = engine.verify_with(
///     &Rows::from(&rows[..]),
///     &Control {
///         cancel: Some(&stop),
///         progress: Some(&|progress| {
///             if progress.done > 100 {
///                 stop.store(true, Ordering::Relaxed);
///             }
///         }),
///         ..Control::default()
///     },
/// );
/// assert!(verdicts.judged() > 100);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Looked at between blocks of some hundred rows: once it is true, no block is begun. The rows
    /// of those that were not have the verdict [`Error::NotJudged`](crate::Error::NotJudged).
    pub cancel: Option<&'a AtomicBool>,
    /// Told after each block, by the thread that did it: several may tell at once where the engine
    /// has several, and then not always in the order of the numbers.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// Whether the verdicts come with the plan, and the plan with the time that each of its groups
    /// took. Costs some clock readings a block, and blocks that hold rows of one group only.
    pub explain: bool,
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The rows judged so far.
    pub done: usize,
    /// The rows of the call.
    pub total: usize,
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("cancel", &self.cancel)
            .field("progress", &self.progress.is_some())
            .field("explain", &self.explain)
            .finish()
    }
}
