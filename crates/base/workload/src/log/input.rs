//! Plain or gzip, recognised by content.

use super::read_ahead::ReadAhead;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::path::Path;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// From which size on a gzip file is decompressed on a thread of its own.
const LARGE: u64 = 1 << 17;

/// The text of a log. Of any type, so that what reads it is compiled once, in this crate.
pub(crate) type Input<'a> = Box<dyn Read + Send + 'a>;

type Rewound<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

/// An input from its begin, and whether it begins like gzip: one or several members in a row.
fn examined<R: Read>(input: R) -> io::Result<(Rewound<R>, bool)> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut start = Vec::with_capacity(GZIP_MAGIC.len());
    input.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut start)?;
    let is_gzip = start == GZIP_MAGIC;
    Ok((Cursor::new(start).chain(input), is_gzip))
}

/// The text of an input, decompressed if it begins like gzip.
pub(crate) fn decompressed<'a>(input: impl Read + Send + 'a) -> io::Result<Input<'a>> {
    let (input, is_gzip) = examined(input)?;
    Ok(if is_gzip { Box::new(MultiGzDecoder::new(input)) } else { Box::new(input) })
}

/// The same of a file, regardless of its name.
pub(crate) fn opened(path: &Path) -> io::Result<Input<'static>> {
    let file = File::open(path)?;
    if file.metadata()?.len() < LARGE {
        return decompressed(file);
    }
    let (input, is_gzip) = examined(file)?;
    Ok(if is_gzip { Box::new(ReadAhead::new(MultiGzDecoder::new(input))?) } else { Box::new(input) })
}
