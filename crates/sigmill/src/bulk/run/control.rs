//! Options of a call in addition to its verdicts.

use core::fmt;
use core::sync::atomic::AtomicBool;

/// Options to steer and watch a call. [`Control::default`] sets none.
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
///     &Control::default().cancel(&stop).progress(&|judged| {
///         if judged > 100 {
///             stop.store(true, Ordering::Relaxed);
///         }
///     }),
/// );
/// assert!(verdicts.judged() > 100);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    pub(super) cancel: Option<&'a AtomicBool>,
    pub(super) progress: Option<&'a (dyn Fn(usize) + Sync)>,
    pub(super) explain: bool,
    pub(super) hints: bool,
}

impl<'a> Control<'a> {
    /// Sets a flag that cancels the call. It is checked between blocks of at most 2,048 rows (8,192
    /// in a batch): once it is true, no block begins. The rows of the other blocks have the verdict
    /// [`Error::NotJudged`](crate::Error::NotJudged).
    #[must_use]
    pub fn cancel(mut self, flag: &'a AtomicBool) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// Sets a function that is called after each block with the number of rows judged so far, by
    /// the thread that did the block. If the engine has several threads, they may call it at the
    /// same time, and then not always in the order of the numbers.
    #[must_use]
    pub fn progress(mut self, tell: &'a (dyn Fn(usize) + Sync)) -> Self {
        self.progress = Some(tell);
        self
    }

    /// Sets whether the verdicts come with the plan, and the plan with the time that each of its
    /// groups took. This costs some clock readings per block, and blocks then hold rows of one
    /// group only.
    #[must_use]
    pub fn explain(mut self, explain: bool) -> Self {
        self.explain = explain;
        self
    }

    /// Sets whether the verdicts come with hints, for a first pass over rows that are verified
    /// again. For every valid row, these say which of the points with its r was R
    /// ([`Verdicts::hints`](crate::bulk::Verdicts::hints)), for
    /// [`Rows::hints`](crate::bulk::Rows::hints) of later calls. This costs two products of the
    /// field per row. Rows are then judged as if they had no [`Hints::Y`](crate::bulk::Hints::Y).
    #[must_use]
    pub fn hints(mut self, hints: bool) -> Self {
        self.hints = hints;
        self
    }
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
