//! Plain or gzip, recognised by content.

use super::read_ahead::ReadAhead;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// From which size on a gzip file is decompressed on a thread of its own.
const LARGE: u64 = 1 << 17;

type Rewound<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

/// The text of a file, decompressed if the file starts like gzip, regardless of its name.
pub(crate) enum Input<R> {
    Plain(Rewound<R>),
    /// One or several gzip members in a row.
    Gzip(Box<MultiGzDecoder<Rewound<R>>>),
    /// The same, on a thread of its own.
    Ahead(ReadAhead),
}

impl<R: Read> Input<R> {
    pub(crate) fn new(input: R) -> io::Result<Input<R>> {
        let mut input = BufReader::with_capacity(1 << 16, input);
        let mut start = Vec::with_capacity(GZIP_MAGIC.len());
        input.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut start)?;
        let gzip = start == GZIP_MAGIC;
        let rewound = Cursor::new(start).chain(input);
        Ok(if gzip { Input::Gzip(Box::new(MultiGzDecoder::new(rewound))) } else { Input::Plain(rewound) })
    }
}

impl Input<File> {
    pub(crate) fn of_file(file: File) -> io::Result<Input<File>> {
        let is_large = file.metadata()?.len() >= LARGE;
        Ok(match Input::new(file)? {
            Input::Gzip(decoder) if is_large => Input::Ahead(ReadAhead::new(decoder)?),
            input => input,
        })
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Plain(input) => input.read(buffer),
            Input::Gzip(input) => input.read(buffer),
            Input::Ahead(input) => input.read(buffer),
        }
    }
}
