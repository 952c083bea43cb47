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
/// # let (key, signature) = ([4; 65], [1; 64]);
/// # let (hello, format) = (Input::Message(b"hello"), SignatureFormat::P1363);
/// # let row = Row::new(Algorithm::ES256, &key, hello, &signature, format);
/// let rows = [row; 1000];
/// let stop = AtomicBool::new(false);
/// let verdicts = engine.verify_with(
///     &Rows::from(&rows[..]),
///     &Control::default().cancel(&stop).progress(&|progress| {
///         if progress.done > 100 {
///             stop.store(true, Ordering::Relaxed);
///         }
///     }),
/// );
/// assert!(verdicts.judged() > 100);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
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
    /// Have the [hints](crate::bulk::Verdicts::hints) of valid rows: the first pass over rows that
    /// are verified again.
    pub hints: bool,
}

impl<'a> Control<'a> {
    /// The same, and a flag that stops the call: see [`cancel`](Self::cancel).
    #[must_use]
    pub fn cancel(mut self, flag: &'a AtomicBool) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// The same, and whom to tell how far the call has come: see [`progress`](Self::progress).
    #[must_use]
    pub fn progress(mut self, tell: &'a (dyn Fn(Progress) + Sync)) -> Self {
        self.progress = Some(tell);
        self
    }

    /// The same, with or without the plan: see [`explain`](Self::explain).
    #[must_use]
    pub fn explain(mut self, explain: bool) -> Self {
        self.explain = explain;
        self
    }

    /// The same, with or without hints: the verdicts then tell of every valid row which of the
    /// points with its r was R ([`Verdicts::hints`](crate::bulk::Verdicts::hints)), for
    /// [`Rows::hints`](crate::bulk::Rows::hints) of later calls. Costs two products of the field a
    /// row. Rows are then judged as without [`Hints::Y`](crate::bulk::Hints::Y).
    #[must_use]
    pub fn hints(mut self, hints: bool) -> Self {
        self.hints = hints;
        self
    }
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
            .field("hints", &self.hints)
            .finish()
    }
}
