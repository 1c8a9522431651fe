//! The directory of a ZIP file as it is written, in which a name can be twice: readers differ in which of both they take.

use std::io::{self, Read};

/// What an entry of the directory begins with.
const SIGNATURE: [u8; 4] = *b"PK\x01\x02";

/// Up to where an entry has a fixed length; behind it are three fields of the lengths that the entry gives from here on.
const FIXED: usize = 46;
const LENGTHS: usize = 28;

/// Counts the entries of a directory.
///
/// # Errors
/// It cannot be read, or ends within an entry.
pub(crate) fn count(mut directory: impl Read) -> io::Result<usize> {
    let mut entries = 0;
    loop {
        let mut signature = [0; SIGNATURE.len()];
        directory.read_exact(&mut signature)?;
        if signature != SIGNATURE {
            return Ok(entries);
        }
        let mut fixed = [0; FIXED - SIGNATURE.len()];
        directory.read_exact(&mut fixed)?;
        let lengths = fixed[LENGTHS - SIGNATURE.len()..].chunks_exact(2).take(3);
        let length: u64 = lengths.map(|it| u64::from(u16::from_le_bytes([it[0], it[1]]))).sum();
        if io::copy(&mut directory.by_ref().take(length), &mut io::sink())? < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        entries += 1;
    }
}
