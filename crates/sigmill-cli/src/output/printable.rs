//! Text that is safe to print on a terminal.

use std::borrow::Cow;
use std::io::{self, Write};

/// The escape sequences of our own styles. A file name that uses them can only turn text bold, dim,
/// red or green.
const STYLES: [&str; 5] = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m"];

/// Returns `text` in one line. Each character that is not shown as itself is replaced: control
/// characters, and format characters such as those that change the direction of text.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    text.chars().map(printable_char).collect()
}

/// Like [`printable`], line by line.
pub(crate) fn printable_lines(text: &str) -> Cow<'_, str> {
    replaced(text, |_| None)
}

/// Returns `c`, or a replacement character if it is not shown as itself.
pub(crate) fn printable_char(c: char) -> char {
    if is_printable(c) {
        c
    } else {
        char::REPLACEMENT_CHARACTER
    }
}

fn is_printable(c: char) -> bool {
    let is_format = matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    );
    !c.is_control() && !is_format
}

/// Replaces characters, except line breaks and prefixes whose length `keep` returns.
fn replaced(text: &str, keep: impl Fn(&str) -> Option<usize>) -> Cow<'_, str> {
    let is_kept = |c| c == '\n' || is_printable(c);
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = match keep(rest) {
            Some(len) => {
                out.push_str(&rest[..len]);
                len
            }
            None => {
                out.push(if c == '\n' { c } else { printable_char(c) });
                c.len_utf8()
            }
        };
        rest = &rest[len..];
    }
    Cow::Owned(out)
}

/// Filters all text that is printed for people, so that nothing bypasses it.
pub(super) struct Printable<W> {
    inner: W,
    /// True if the text is JSON, which is data and has its own escapes.
    passes_all: bool,
}

impl<W: Write> Printable<W> {
    pub(super) fn new(inner: W, passes_all: bool) -> Self {
        Self { inner, passes_all }
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.passes_all {
            return self.inner.write(bytes);
        }
        // Text arrives in whole pieces, as it is formatted.
        let text = String::from_utf8_lossy(bytes);
        let style = |rest: &str| {
            let style = STYLES.iter().find(|style| rest.starts_with(**style))?;
            Some(style.len())
        };
        self.inner.write_all(replaced(&text, style).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::style;

    /// Returns the output of `text` on a terminal.
    fn printed(text: &str) -> String {
        let mut out = Vec::new();
        write!(Printable::new(&mut out, false), "{text}").unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn our_styles_pass() {
        let styles = [
            style::GOOD,
            style::BAD,
            style::ERROR,
            style::BOLD,
            style::DIM,
        ];
        for style in styles {
            let text = format!("{style}a\nb{style:#}");
            assert!(text.contains('\x1b'));
            assert_eq!(printed(&text), text);
        }
    }

    #[test]
    fn nothing_else_passes() {
        for trick in [
            "\x1b[2J",
            "\x1b]0;title\x07",
            "\x1b[8m",
            "\r",
            "\t",
            "\u{8}",
            "\u{7f}",
            "\u{9b}2J",
            "\u{202e}",
            "\u{2066}",
            "\u{200b}",
            "\u{feff}",
            "\u{e0041}",
        ] {
            let text = format!("a{trick}b");
            let shown = printed(&text);
            assert!(!shown.contains(|c| !is_printable(c)), "{text:?}: {shown:?}");
            assert!(shown.contains(char::REPLACEMENT_CHARACTER), "{text:?}");
            assert_eq!(printed(&text), printable_lines(&text));
            assert_eq!(printed(&text), printable(&text));
        }
        assert_eq!(printable("a\nb"), "a\u{fffd}b");
        assert_eq!(printable_lines("a\nb\x1b[1m\n"), "a\nb\u{fffd}[1m\n");
        assert_eq!(printable("naïve 鍵 €"), "naïve 鍵 €");
    }
}
