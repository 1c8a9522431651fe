//! Reading ahead on a separate thread.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Size of a block in bytes.
const BLOCK_BYTES: usize = 1 << 17;

/// Maximum number of blocks read ahead.
const MAX_BLOCKS: usize = 4;

/// Contents of another input, read ahead by a thread. A log is thus parsed while its next part is
/// decompressed.
///
/// The thread ends at the end of the input, after an error, or when this value is dropped.
pub(crate) struct ReadAhead {
    /// Blocks read ahead. An empty block marks the end; if the channel closes without one, the
    /// thread has failed.
    filled: Receiver<io::Result<Vec<u8>>>,
    /// Emptied blocks, whose memory is reused.
    empty: SyncSender<Vec<u8>>,
    /// Current block, and the number of its bytes that have been consumed.
    block: Vec<u8>,
    read: usize,
    /// True after the last block.
    ended: bool,
}

impl ReadAhead {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// The thread cannot be created.
    pub(super) fn new(mut input: impl Read + Send + 'static) -> io::Result<ReadAhead> {
        let (fill, filled) = sync_channel(MAX_BLOCKS);
        let (empty, emptied) = sync_channel::<Vec<u8>>(MAX_BLOCKS);
        thread::Builder::new().name("read ahead".into()).spawn(move || {
            loop {
                let mut block = emptied.try_recv().unwrap_or_default();
                block.clear();
                let result = input.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut block);
                let is_last = block.is_empty();
                // Data read before an error are valid.
                let is_part = !is_last || result.is_ok();
                if is_part && fill.send(Ok(block)).is_err() {
                    return;
                }
                if let Err(error) = result {
                    let _ = fill.send(Err(error));
                    return;
                }
                if is_last {
                    return;
                }
            }
        })?;
        Ok(ReadAhead { filled, empty, block: Vec::new(), read: 0, ended: false })
    }
}

impl Read for ReadAhead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.block.len() && !self.ended {
            let broken_off = |_| io::Error::other("the decompression thread stopped unexpectedly");
            let block = self.filled.recv().map_err(broken_off)??;
            self.ended = block.is_empty();
            let emptied = std::mem::replace(&mut self.block, block);
            self.read = 0;
            // The block is freed if the channel is full or the thread has ended.
            let _ = self.empty.try_send(emptied);
        }
        let count = buffer.len().min(self.block.len() - self.read);
        buffer[..count].copy_from_slice(&self.block[self.read..self.read + count]);
        self.read += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK_BYTES, ReadAhead};
    use std::io::{self, Read};

    /// An input of this many bytes, followed by an error.
    struct Failing(io::Take<io::Repeat>);

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("broken")),
                count => Ok(count),
            }
        }
    }

    #[test]
    fn everything_is_read_in_order() {
        for length in [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 20 * BLOCK_BYTES + 7] {
            let text: Vec<u8> = (0..length).map(|place| (place % 251) as u8).collect();
            let mut read = Vec::new();
            ReadAhead::new(io::Cursor::new(text.clone())).unwrap().read_to_end(&mut read).unwrap();
            assert!(read == text, "{length} bytes");
        }
    }

    #[test]
    fn what_is_before_an_error_is_read() {
        for length in [0, 10, BLOCK_BYTES, 3 * BLOCK_BYTES + 1] {
            let mut read = Vec::new();
            let mut ahead = ReadAhead::new(Failing(io::repeat(7).take(length as u64))).unwrap();
            let error = ahead.read_to_end(&mut read).unwrap_err();
            assert_eq!((read.len(), error.to_string().as_str()), (length, "broken"));
            assert!(ahead.read(&mut [0; 4]).is_err(), "an error is no end");
        }
    }

    #[test]
    fn a_thread_that_breaks_off_is_no_end() {
        struct Panicking;
        impl Read for Panicking {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                panic!("a test of what happens then");
            }
        }
        let error = ReadAhead::new(Panicking).unwrap().read(&mut [0; 4]).unwrap_err();
        assert_eq!(error.to_string(), "the decompression thread stopped unexpectedly");
    }

    #[test]
    fn it_may_be_dropped_before_the_end() {
        let mut ahead = ReadAhead::new(io::repeat(1)).unwrap();
        ahead.read_exact(&mut [0; 100]).unwrap();
    }
}
