//! Input of plain and gzip files, which are distinguished by content.

use super::read_ahead::ReadAhead;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::path::Path;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Size in bytes from which a gzip file is decompressed on a separate thread.
const READ_AHEAD_FROM: u64 = 1 << 17;

/// Decompressed text of a log. The type is boxed so that the readers are compiled once, in this
/// crate.
pub(crate) type Input<'a> = Box<dyn Read + Send + 'a>;

type Rewound<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

/// Returns the complete input, and whether it starts like gzip.
fn detect_gzip<R: Read>(input: R) -> io::Result<(Rewound<R>, bool)> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut start = Vec::with_capacity(GZIP_MAGIC.len());
    input.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut start)?;
    let is_gzip = start == GZIP_MAGIC;
    Ok((Cursor::new(start).chain(input), is_gzip))
}

/// Returns the text of an input, decompressed if it starts like gzip. Concatenated gzip members are
/// supported.
pub(crate) fn decompress<'a>(input: impl Read + Send + 'a) -> io::Result<Input<'a>> {
    let (input, is_gzip) = detect_gzip(input)?;
    Ok(if is_gzip { Box::new(MultiGzDecoder::new(input)) } else { Box::new(input) })
}

/// Opens a file and returns its text, decompressed if it starts like gzip. Its name is irrelevant.
pub(crate) fn open_log(path: &Path) -> io::Result<Input<'static>> {
    let file = File::open(path)?;
    if file.metadata()?.len() < READ_AHEAD_FROM {
        return decompress(file);
    }
    let (input, is_gzip) = detect_gzip(file)?;
    Ok(if is_gzip { Box::new(ReadAhead::new(MultiGzDecoder::new(input))?) } else { Box::new(input) })
}
