//! Reads an OpenSSL configuration by the rules of OpenSSL's own reader (config(5), `conf_def.c`).
//!
//! Values that depend on the environment of the program that reads the file are unknown. An include
//! that another program could resolve differently is an error.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::error::CliError;

/// The section of the lines before all headers. Variables that a section lacks are looked up here.
const DEFAULT: &str = "default";

/// The maximum number of bytes of files and values together.
const MOST_BYTES: usize = 1 << 20;

/// The maximum length of a value after the expansion of variables, as in OpenSSL.
const LONGEST_VALUE: usize = 1 << 16;

/// The maximum depth of includes.
const DEEPEST: usize = 10;

/// A value; `None` if it depends on the environment.
pub(super) type Value = Option<String>;

/// The sections of a configuration, each with its names and values in the order in which OpenSSL
/// processes them.
pub(super) struct Configuration(HashMap<String, Vec<(String, Value)>>);

impl Configuration {
    /// Reads a file and the files that it includes.
    ///
    /// # Errors
    /// Errors of the file system, lines that OpenSSL refuses, and lines whose meaning is uncertain.
    pub(super) fn read(file: &Path) -> Result<Self, CliError> {
        let mut reader = Reader {
            sections: HashMap::from([(DEFAULT.into(), vec![])]),
            section: DEFAULT.into(),
            keeps_dollars: false,
            bytes: 0,
        };
        reader.file(file, 0, false)?;
        Ok(Self(reader.sections))
    }

    /// Returns the names and values of a section, if it exists.
    pub(super) fn section(&self, section: &str) -> Option<&[(String, Value)]> {
        self.0.get(section).map(Vec::as_slice)
    }

    /// Returns the names of the sections, in arbitrary order.
    pub(super) fn sections(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the value of a name before all headers.
    pub(super) fn top(&self, name: &str) -> Option<&Value> {
        find(self.section(DEFAULT)?, name)
    }
}

/// Returns the value of a name in a section.
pub(super) fn find<'a>(lines: &'a [(String, Value)], name: &str) -> Option<&'a Value> {
    let line = lines.iter().find(|line| line.0 == name)?;
    Some(&line.1)
}

struct Reader {
    sections: HashMap<String, Vec<(String, Value)>>,
    /// The section of the next line. It persists beyond the end of an included file.
    section: String,
    /// `.pragma dollarid:on`: a dollar sign begins a variable only in front of a bracket.
    keeps_dollars: bool,
    bytes: usize,
}

impl Reader {
    fn file(&mut self, path: &Path, depth: usize, in_folder: bool) -> Result<(), CliError> {
        let name = path.to_string_lossy();
        let failed = |error| CliError::io(&*name, error);
        let mut bytes = vec![];
        let file = File::open(path).map_err(failed)?;
        let mut file = file.take((MOST_BYTES - self.bytes) as u64 + 1);
        file.read_to_end(&mut bytes).map_err(failed)?;
        self.count(bytes.len())
            .map_err(|rule| CliError::file(&*name, rule))?;
        let text = String::from_utf8_lossy(&bytes);
        let mut line = String::new();
        let mut parts = text.split('\n').enumerate().peekable();
        while let Some((number, part)) = parts.next() {
            line += part.trim_end_matches('\r');
            if line.ends_with('\\') && !line.ends_with(r"\\") {
                line.pop();
                if parts.peek().is_some() {
                    continue;
                }
            }
            let at = |rule| CliError::file(format!("{name}, line {}", number + 1), rule);
            if let Some(include) = self.line(&line).map_err(at)? {
                if in_folder {
                    return Err(at(
                        ".include: not supported in a file of an included folder".into(),
                    ));
                }
                self.include(Path::new(&include), depth + 1, at)?;
            }
            line.clear();
        }
        Ok(())
    }

    /// Counts bytes of files and values.
    fn count(&mut self, bytes: usize) -> Result<(), String> {
        self.bytes += bytes;
        if self.bytes > MOST_BYTES {
            return Err("configuration longer than 1 MiB".into());
        }
        Ok(())
    }

    /// Reads a line. Returns the file that it includes, if any.
    fn line(&mut self, line: &str) -> Result<Option<String>, String> {
        if line.contains('\0') {
            return Err("a zero byte".into());
        }
        let line = trim(without_comment(line));
        if line.is_empty() {
            return Ok(None);
        }
        if let Some(header) = line.strip_prefix('[') {
            let header = self.header(header)?;
            let known = "section name depends on the environment";
            self.section = self.value(None, header)?.ok_or(known)?;
            self.sections.entry(self.section.clone()).or_default();
            return Ok(None);
        }
        let (mut name, mut rest) = self.name(line);
        let mut section = self.section.clone();
        if let Some(behind) = rest.strip_prefix("::") {
            section = name.into();
            (name, rest) = self.name(behind);
        }
        let behind = rest.trim_start_matches(is_space);
        let argument = |directive: &str| {
            let rest_of_name = name.strip_prefix(directive)?;
            let assigned = behind.strip_prefix('=');
            let is_apart = !rest_of_name.is_empty() || behind.len() < rest.len();
            (assigned.is_some() || is_apart).then(|| trim(assigned.unwrap_or(behind)))
        };
        if let Some(pragma) = argument(".pragma") {
            self.pragma(pragma)?;
            return Ok(None);
        }
        if let Some(file) = argument(".include") {
            let known = ".include: depends on the environment";
            return Ok(Some(self.value(Some(&section), file)?.ok_or(known)?));
        }
        let value = behind.strip_prefix('=').ok_or("missing equal sign")?;
        let value = self.value(Some(&section), trim(value))?;
        self.count(value.as_ref().map_or(0, String::len))?;
        let lines = self.sections.entry(section).or_default();
        lines.retain(|line| line.0 != name);
        lines.push((name.into(), value));
        Ok(None)
    }

    /// Returns the text between the brackets of a header, without surrounding spaces.
    fn header<'a>(&self, header: &'a str) -> Result<&'a str, String> {
        let header = header.trim_start_matches(is_space);
        let mut start = 0;
        loop {
            let end = header.len() - self.name(&header[start..]).1.len();
            let rest = header[end..].trim_start_matches(is_space);
            if rest.starts_with(']') {
                return Ok(&header[..end]);
            }
            // Spaces may stand between words.
            let next = header.len() - rest.len();
            if rest.is_empty() || next == start {
                return Err("missing closing bracket".into());
            }
            start = next;
        }
    }

    fn pragma(&mut self, pragma: &str) -> Result<(), String> {
        let parts = pragma.split_once(':');
        let (name, value) = parts
            .filter(|(name, value)| !name.is_empty() && !value.is_empty())
            .ok_or(".pragma: must be a name, a colon and a value")?;
        // No other pragma, known to OpenSSL or not, matters here: relative includes are errors.
        if trim(name) == "dollarid" {
            let value = trim(value).to_ascii_lowercase();
            self.keeps_dollars = match &*value {
                "on" | "true" => true,
                "off" | "false" => false,
                _ => return Err(".pragma dollarid: must be on or off".into()),
            };
        }
        Ok(())
    }

    /// Reads an included file, or all `.cnf` and `.conf` files of a folder, in the folder's order.
    /// OpenSSL skips paths that do not exist.
    fn include(
        &mut self,
        path: &Path,
        depth: usize,
        at: impl Fn(String) -> CliError,
    ) -> Result<(), CliError> {
        if !path.is_absolute() {
            let rule = ".include: path must be absolute, because relative paths depend on the \
                        working directory";
            return Err(at(rule.into()));
        }
        if depth > DEEPEST {
            return Err(at(".include: nested too deeply, or circular".into()));
        }
        let failed = |error| CliError::io(path.to_string_lossy(), error);
        match fs::metadata(path) {
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Ok(())
            }
            Ok(metadata) if metadata.is_dir() => {
                for entry in fs::read_dir(path).map_err(failed)? {
                    let name = entry.map_err(failed)?.file_name();
                    let lower = name.to_string_lossy().to_ascii_lowercase();
                    let is = |end: &str| lower.len() > end.len() && lower.ends_with(end);
                    if is(".conf") || is(".cnf") {
                        self.file(&path.join(name), depth, true)?;
                    }
                }
                Ok(())
            }
            metadata => {
                metadata.map_err(failed)?;
                self.file(path, depth, false)
            }
        }
    }

    /// Splits off the name at the start of a text.
    fn name<'a>(&self, text: &'a str) -> (&'a str, &'a str) {
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            if c == '\\' {
                chars.next();
            } else if !self.is_word(c) && !"!%&*+,-./;?@^|~".contains(c) {
                return text.split_at(at);
            }
        }
        (text, "")
    }

    /// Returns true for characters of variable names.
    fn is_word(&self, c: char) -> bool {
        c.is_ascii_alphanumeric() || c == '_' || (c == '$' && self.keeps_dollars)
    }

    /// Evaluates a text in a section: removes quotes and escapes, and replaces variables by their
    /// values.
    fn value(&self, section: Option<&str>, text: &str) -> Result<Value, String> {
        let mut value = String::new();
        let mut is_known = true;
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\'' | '"' | '`' => {
                    while let Some(quoted) = chars.next().filter(|&quoted| quoted != c) {
                        match quoted {
                            '\\' => value.extend(chars.next()),
                            _ => value.push(quoted),
                        }
                    }
                }
                '\\' => value.extend(chars.next().map(|c| match c {
                    'r' => '\r',
                    'n' => '\n',
                    'b' => '\u{8}',
                    't' => '\t',
                    c => c,
                })),
                '$' if !self.keeps_dollars || chars.as_str().starts_with(['{', '(']) => {
                    let (variable, rest) = self.variable(section, chars.as_str())?;
                    match variable {
                        Some(variable) => value += variable,
                        None => is_known = false,
                    }
                    if value.len() > LONGEST_VALUE {
                        return Err("value longer than 64 KiB after expansion".into());
                    }
                    chars = rest.chars();
                }
                c => value.push(c),
            }
        }
        Ok(is_known.then_some(value))
    }

    /// Returns the value of the variable whose name begins a text, and the rest of the text.
    fn variable<'a>(
        &self,
        mut section: Option<&'a str>,
        text: &'a str,
    ) -> Result<(Option<&str>, &'a str), String> {
        let close = match text.bytes().next() {
            Some(b'{') => Some('}'),
            Some(b'(') => Some(')'),
            _ => None,
        };
        let word = |text: &'a str| {
            let end = text.find(|c| !self.is_word(c)).unwrap_or(text.len());
            text.split_at(end)
        };
        let (mut name, mut rest) = word(&text[close.map_or(0, char::len_utf8)..]);
        if let Some(behind) = rest.strip_prefix("::") {
            section = Some(name);
            (name, rest) = word(behind);
        }
        if let Some(close) = close {
            rest = rest
                .strip_prefix(close)
                .ok_or("missing closing brace of a variable")?;
        }
        let here = |section: &str| find(self.sections.get(section)?, name);
        let value = match section.and_then(here) {
            Some(value) => value.as_deref(),
            None if section == Some("ENV") => None,
            None => here(DEFAULT)
                .ok_or_else(|| format!("variable {name} has no value"))?
                .as_deref(),
        };
        Ok((value, rest))
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Returns a line up to its comment. `#` in quotes or after a backslash does not begin a comment.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\'' | '"' | '`' if quote.is_none() => quote = Some(c),
            '#' if quote.is_none() => return &line[..at],
            c if quote == Some(c) => quote = None,
            _ => {}
        }
    }
    line
}
