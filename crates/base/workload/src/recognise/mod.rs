//! Recognition of files by their content.
//!
//! [`recognise`] reads the first bytes of a file, decompressed if they are gzip, and determines its
//! [`Kind`]. Names of files decide only between kinds that the content leaves open. A file that is no
//! log of jobs has one message, with its kind and the command that takes it ([`Kind::refusal`]).
//!
//! ```
//! use dfrsim_workload::recognise::{Kind, of_start};
//! let name = "jobs.txt".as_ref();
//! assert_eq!(of_start(b"; MaxProcs: 8\n1 0 -1 60 4 -1 -1 4 100 -1 1 7 1 -1 1 1 -1 -1\n", true, name), Kind::Swf);
//! assert_eq!(of_start(b"JobID|State|Submit|Start|End\n", true, name), Kind::Slurm);
//! let table = of_start(b"job_id,user,gpus,end\n1,u0,2,2026-03-01\n", true, name);
//! assert!(table.refusal().unwrap().starts_with("found a table with commas, columns job_id, user, gpus, end"));
//! ```

mod expected;
mod foreign;
mod json;
mod kind;
mod lines;
mod magic;

pub use expected::Expected;
pub use foreign::Foreign;
pub use kind::Kind;

use crate::log::{Input, LogError, open_log};
use std::io::{self, Cursor, Read as _};
use std::path::Path;

/// Number of bytes of a file that are looked at.
const START_BYTES: usize = 1 << 15;

/// Determines the kind of a file from its first bytes. `is_whole` is true if these are all.
pub fn of_start(start: &[u8], is_whole: bool, name: &Path) -> Kind {
    if start.is_empty() {
        return Kind::Foreign(&foreign::EMPTY);
    }
    if let Some(foreign) = magic::recognise(start) {
        return Kind::Foreign(foreign);
    }
    lines::recognise(&String::from_utf8_lossy(start), is_whole, name)
}

/// Determines the kind of a file, plain or gzip. A pipe is not read further by this, but cannot be
/// read again.
///
/// # Errors
///
/// [`LogError::Open`] if the file cannot be opened.
pub fn recognise(path: &Path) -> Result<Kind, LogError> {
    Ok(Peeked::open(path)?.kind)
}

/// A file whose kind has been determined and that can still be read from its start.
pub(crate) struct Peeked {
    /// Kind of the file.
    pub(crate) kind: Kind,
    /// All bytes of the file, decompressed.
    pub(crate) input: Input<'static>,
}

impl Peeked {
    /// Opens a file. An error after its first bytes is left to the reader of `input`.
    ///
    /// # Errors
    ///
    /// [`LogError::Open`] if the file cannot be opened.
    pub(crate) fn open(path: &Path) -> Result<Peeked, LogError> {
        let open = |source| LogError::Open { file: path.display().to_string(), source };
        let mut input = open_log(path).map_err(open)?;
        let mut start = Vec::new();
        let error = input.by_ref().take(START_BYTES as u64).read_to_end(&mut start).err();
        let is_whole = start.len() < START_BYTES;
        let kind = match &error {
            // The reader reports it.
            Some(_) if start.is_empty() => Kind::Swf,
            _ => of_start(&start, is_whole, path),
        };
        let rest: Input<'static> = match error {
            Some(error) => Box::new(Broken(Some(error))),
            None => input,
        };
        Ok(Peeked { kind, input: Box::new(Cursor::new(start).chain(rest)) })
    }
}

/// An input that ends with an error.
struct Broken(Option<io::Error>);

impl io::Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

#[cfg(test)]
mod tests;
