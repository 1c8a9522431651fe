//! Notices on standard error, and text without terminal control sequences.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write as _};

/// Prints a line to standard error, like `eprintln!`, but ignores write errors: a reader that has
/// closed the stream or a full disk must not end a run.
macro_rules! notice {
    ($($argument:tt)*) => { $crate::terminal::print_notice(format_args!($($argument)*)) };
}
pub(crate) use notice;

/// Prints a line to standard error.
pub(crate) fn print_notice(line: impl Display) {
    let line = line.to_string();
    let line = shortened(&line);
    let _ = io::stderr().lock().write_all(visible(&format!("{line}\n")).as_bytes());
}

/// Maximum length of a line of a notice, in characters; a notice may quote a line of a file.
const LONGEST_LINE: usize = 4_000;

/// Truncates the long lines of the text.
fn shortened(text: &str) -> Cow<'_, str> {
    if text.lines().all(|line| line.len() <= LONGEST_LINE) {
        return Cow::Borrowed(text);
    }
    let short = |line: &str| match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}… ({} bytes)", &line[..end], line.len()),
        None => line.to_owned(),
    };
    Cow::Owned(text.lines().map(short).collect::<Vec<_>>().join("\n"))
}

/// Replaces control characters by escape sequences, because names from files could otherwise control
/// the terminal.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let is_harmful = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_harmful(letter) {
            true => visible.extend(letter.escape_default()),
            false => visible.push(letter),
        }
    }
    Cow::Owned(visible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut() {
        let text = format!("a\n{}\nb", "ä".repeat(5_000));
        let short = shortened(&text);
        assert!(short.starts_with("a\nä") && short.ends_with("ä… (10000 bytes)\nb"), "{short}");
        assert_eq!(shortened("a\nb"), "a\nb");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(visible("a table:\n\tä | b"), "a table:\n\tä | b");
        assert_eq!(visible("\u{1b}[2J\r\u{7}\u{9b}"), "\\u{1b}[2J\\r\\u{7}\\u{9b}");
    }
}
