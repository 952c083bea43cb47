//! The operations that `--only` selects.

use anyhow::{Context as _, Result};

/// A pattern over names such as `p256/verify/fresh/single`.
///
/// Text without `*`, `?` or `[` is searched for inside the name. With one of them it is a glob over
/// the whole name, in which `*` also crosses `/`.
#[derive(Debug)]
pub(crate) enum Pattern {
    Substring(String),
    Glob(glob::Pattern),
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Self> {
        if text.contains(['*', '?', '[']) {
            let glob =
                glob::Pattern::new(text).with_context(|| format!("--only {text:?}: not a glob"))?;
            Ok(Self::Glob(glob))
        } else {
            Ok(Self::Substring(text.to_owned()))
        }
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Substring(text) => name.contains(text.as_str()),
            Self::Glob(glob) => glob.matches(name),
        }
    }
}

/// Reports whether `name` is selected: by any of the patterns, or because there are none.
pub(crate) fn chosen(patterns: &[Pattern], name: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|p| p.matches(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        Pattern::new(pattern).unwrap().matches(name)
    }

    #[test]
    fn plain_text_is_a_substring() {
        assert!(matches("verify", "p256/verify/fresh/single"));
        assert!(matches(
            "p256/verify/prepared/w1",
            "p256/verify/prepared/w11"
        ));
        assert!(!matches("sign/", "p256/verify/fresh/single"));
    }

    #[test]
    fn a_glob_covers_the_whole_name_and_crosses_slashes() {
        assert!(matches("p256/*", "p256/verify/fresh/single"));
        assert!(matches("*/single", "p256/verify/fresh/single"));
        assert!(!matches("*/w1", "p256/verify/prepared/w11"));
        assert!(matches("*/w?", "p256/verify/prepared/w7"));
        assert!(matches("p[23]*/sign/*", "p256/sign/single"));
        assert!(!matches("verify*", "p256/verify/fresh/single"));
    }

    #[test]
    fn a_broken_glob_is_an_error_that_quotes_it() {
        let error = Pattern::new("p256/[").unwrap_err().to_string();
        assert!(error.contains("p256/["), "{error}");
    }

    #[test]
    fn no_pattern_chooses_everything_and_several_choose_their_union() {
        assert!(chosen(&[], "x25519/single"));
        let two = [
            Pattern::new("x25519").unwrap(),
            Pattern::new("*/w7").unwrap(),
        ];
        assert!(chosen(&two, "x25519/single"));
        assert!(chosen(&two, "p256/table-build/w7"));
        assert!(!chosen(&two, "p256/sign/single"));
    }
}
