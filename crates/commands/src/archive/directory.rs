//! Central directory of a ZIP file as stored, in which a name may occur twice: readers differ in
//! which of the two entries they use.

use std::io::{self, Read};

/// Signature of an entry of the central directory.
const SIGNATURE: [u8; 4] = *b"PK\x01\x02";

/// Size of the fixed part of an entry in bytes. Three variable fields follow, whose lengths are
/// stored from `LENGTHS_OFFSET` on.
const FIXED_SIZE: usize = 46;
const LENGTHS_OFFSET: usize = 28;

/// Counts the entries of a central directory.
///
/// # Errors
/// Returns an error if it cannot be read, or ends within an entry.
pub(crate) fn count_entries(mut directory: impl Read) -> io::Result<usize> {
    let mut entries = 0;
    loop {
        let mut signature = [0; SIGNATURE.len()];
        directory.read_exact(&mut signature)?;
        if signature != SIGNATURE {
            return Ok(entries);
        }
        let mut fixed = [0; FIXED_SIZE - SIGNATURE.len()];
        directory.read_exact(&mut fixed)?;
        let lengths = fixed[LENGTHS_OFFSET - SIGNATURE.len()..].chunks_exact(2).take(3);
        let length: u64 = lengths.map(|it| u64::from(u16::from_le_bytes([it[0], it[1]]))).sum();
        if io::copy(&mut directory.by_ref().take(length), &mut io::sink())? < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        entries += 1;
    }
}
