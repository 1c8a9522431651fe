//! Line splitting in bounded memory, without copying each line.

use super::input::Input;
use std::io;
use std::ops::Range;

/// Maximum length of a line, and size of the buffer, in bytes.
pub(super) const LONGEST_LINE: usize = 1 << 16;

/// Byte order mark, which some editors write before the first line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reader that returns the lines of an input as slices of one reused buffer.
pub(super) struct Lines<'a> {
    input: Input<'a>,
    buffer: Box<[u8]>,
    /// Bytes that have been read but not returned yet.
    pending: Range<usize>,
    /// Offset of the last line in the buffer.
    last: usize,
    /// Number of the last line, from 1.
    number: u64,
    at_end: bool,
}

/// Reason why a line cannot be returned.
pub(super) enum LineError {
    /// The line was longer than [`LONGEST_LINE`] and has been skipped.
    TooLong,
    /// Reading failed; no more lines follow.
    Input(io::Error),
}

impl From<io::Error> for LineError {
    fn from(error: io::Error) -> LineError {
        LineError::Input(error)
    }
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: Input<'a>) -> Lines<'a> {
        let buffer = vec![0; LONGEST_LINE].into_boxed_slice();
        Lines { input, buffer, pending: 0..0, last: 0, number: 0, at_end: false }
    }
    /// Returns the number of the last line returned, from 1; 0 before the first.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }
    /// Returns the next line without its newline; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, LineError> {
        let mut searched = self.pending.start;
        loop {
            let unsearched = &self.buffer[searched..self.pending.end];
            if let Some(length) = memchr::memchr(b'\n', unsearched) {
                return Ok(Some(self.take(searched + length, 1)));
            }
            if self.at_end {
                return Ok((!self.pending.is_empty()).then(|| self.take(self.pending.end, 0)));
            }
            if self.pending.len() == LONGEST_LINE {
                self.skip_line()?;
                return Err(LineError::TooLong);
            }
            searched = self.pending.len();
            self.fill()?;
        }
    }
    /// Steps back, so that the last line is returned once more.
    pub(super) fn step_back(&mut self) {
        self.pending.start = self.last;
        self.number -= 1;
    }

    /// Takes the pending bytes up to `end`, and skips `newline` bytes after them.
    fn take(&mut self, end: usize, newline: usize) -> &[u8] {
        self.last = self.pending.start;
        self.pending.start = end + newline;
        self.number += 1;
        let line = &self.buffer[self.last..end];
        if self.number == 1 { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line }
    }
    /// Moves the pending bytes to the front of the buffer and reads more after them.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.pending.clone(), 0);
        self.pending = 0..self.pending.len();
        let read = loop {
            match self.input.read(&mut self.buffer[self.pending.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.pending.end += read;
        self.at_end = read == 0;
        Ok(())
    }
    fn skip_line(&mut self) -> io::Result<()> {
        self.number += 1;
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[self.pending.clone()]) {
                self.pending.start += length + 1;
                return Ok(());
            }
            self.pending = 0..0;
            if self.at_end {
                return Ok(());
            }
            self.fill()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn all(input: impl Read + Send) -> Vec<String> {
        let mut lines = Lines::new(Box::new(input));
        let mut found = Vec::new();
        loop {
            match lines.next() {
                Ok(Some(line)) => found.push(String::from_utf8_lossy(line).into_owned()),
                Ok(None) => return found,
                Err(LineError::TooLong) => found.push("too long".to_owned()),
                Err(LineError::Input(error)) => {
                    found.push(error.to_string());
                    return found;
                }
            }
        }
    }

    #[test]
    fn the_last_line_needs_no_newline() {
        assert_eq!(all(&b""[..]), [""; 0]);
        assert_eq!(all(&b"a\n\nb"[..]), ["a", "", "b"]);
        assert_eq!(all(&b"a\nb\n"[..]), ["a", "b"]);
    }

    #[test]
    fn long_lines_are_skipped_and_the_others_kept() {
        let just_fits = "x".repeat(LONGEST_LINE - 1);
        let too_long = "y".repeat(3 * LONGEST_LINE);
        let text = format!("a\n{just_fits}\n{too_long}\nb\n{too_long}");
        assert_eq!(all(text.as_bytes()), ["a", &just_fits, "too long", "b", "too long"]);
    }

    #[test]
    fn lines_do_not_depend_on_how_the_input_is_cut() {
        struct ByteByByte<'a>(&'a [u8]);
        impl Read for ByteByByte<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = buffer.len().min(1);
                self.0.read(&mut buffer[..length])
            }
        }
        let text = b"first\nsecond\r\n\nlast";
        assert_eq!(all(ByteByByte(text)), all(&text[..]));
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_first_line() {
        assert_eq!(all("\u{feff}a\n\u{feff}b\n".as_bytes()), ["a", "\u{feff}b"]);
        let mut lines = Lines::new(Box::new("\u{feff}a\n".as_bytes()));
        assert!(matches!(lines.next(), Ok(Some(b"a"))));
        lines.step_back();
        assert!(matches!(lines.next(), Ok(Some(b"a"))));
    }

    #[test]
    fn a_line_can_be_put_back() {
        let mut lines = Lines::new(Box::new(&b"a\nb\n"[..]));
        assert!(matches!(lines.next(), Ok(Some(b"a"))));
        lines.step_back();
        assert!(matches!(lines.next(), Ok(Some(b"a"))));
        assert_eq!(lines.number(), 1);
        assert!(matches!(lines.next(), Ok(Some(b"b"))));
    }
}
