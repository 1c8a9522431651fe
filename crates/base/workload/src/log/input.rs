//! Plain or gzip, told apart by content.

use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufReader, Chain, Cursor, Read};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

type Rewound<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

/// The text of a file, decompressed where the file starts like gzip, whatever its name is.
pub(crate) enum Input<R> {
    Plain(Rewound<R>),
    /// One or several gzip members in a row.
    Gzip(Box<MultiGzDecoder<Rewound<R>>>),
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

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Plain(input) => input.read(buffer),
            Input::Gzip(input) => input.read(buffer),
        }
    }
}
