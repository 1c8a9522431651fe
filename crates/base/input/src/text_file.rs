//! Reading of small text files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Size limit of text files that are read as a whole, in bytes. Logs, events files and rows are read
/// in pieces.
pub const LONGEST_TEXT: u64 = 1 << 28;

/// Reads a whole text file of at most 256 MB ([`LONGEST_TEXT`]): scenarios, platforms, settings,
/// problems.
///
/// # Errors
///
/// Returns an error if the file cannot be read, is longer, or is not UTF-8.
pub fn read_text_file(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(LONGEST_TEXT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST_TEXT {
        let message = "file exceeds the limit of 256 MB";
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_an_end_is_refused() {
        let path = std::env::temp_dir().join(format!("dfrsim-text-{}", std::process::id()));
        File::create(&path).unwrap().set_len(LONGEST_TEXT + 10).unwrap();
        let error = read_text_file(&path).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(read_text_file(&path).is_err());
    }
}
