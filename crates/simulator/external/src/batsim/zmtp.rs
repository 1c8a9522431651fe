//! A request socket of ZeroMQ over TCP or a Unix socket: [ZMTP 3.0](https://rfc.zeromq.org/spec/23),
//! mechanism NULL, a single peer.
//!
//! A simulation has to wait while a scheduler decides, so this socket blocks. A request costs its
//! two system calls, half of the cost of the crate `zeromq` with the event loop of tokio, and adds
//! no dependencies to the program.

use super::{FILE_SCHEME, SCHEME};
use std::fmt::Debug;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

/// Maximum length of a frame in bytes.
const MAX_FRAME_BYTES: u64 = 1 << 28;

/// Flags of a frame.
const MORE: u8 = 1;
const LONG: u8 = 2;
const COMMAND: u8 = 4;

/// Length in bytes of the greeting, which has the version and the mechanism.
const GREETING: usize = 64;

/// Command that announces the type of the socket.
const READY: &[u8] = b"\x05READY\x0bSocket-Type\0\0\0\x03REQ\x08Identity\0\0\0\0";

/// A connection over TCP or a Unix socket.
pub(super) trait Stream: Read + Write + Debug {}

impl<S: Read + Write + Debug> Stream for S {}

/// A connected request socket.
#[derive(Debug)]
pub(super) struct RequestSocket<S = Box<dyn Stream>> {
    stream: BufReader<S>,
    limit: Duration,
    /// Time by which the expected data must have arrived.
    deadline: Instant,
    out: Vec<u8>,
}

impl RequestSocket {
    /// Connects to `tcp://HOST:PORT` or `ipc://FILE`. The handshake must complete within `limit`,
    /// and so must each later reply.
    pub(super) fn connect(endpoint: &str, limit: Duration) -> Result<RequestSocket> {
        #[cfg(unix)]
        if let Some(file) = endpoint.strip_prefix(FILE_SCHEME) {
            let stream = std::os::unix::net::UnixStream::connect(file)?;
            stream.set_read_timeout(Some(limit))?;
            stream.set_write_timeout(Some(limit))?;
            return RequestSocket::handshake(Box::new(stream), limit);
        }
        let mut refused = Error::new(ErrorKind::AddrNotAvailable, "the address does not resolve");
        for address in endpoint.trim_start_matches(SCHEME).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, limit) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(Some(limit))?;
                    stream.set_write_timeout(Some(limit))?;
                    return RequestSocket::handshake(Box::new(stream), limit);
                }
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }
}

impl<S: Read + Write> RequestSocket<S> {
    /// Performs the handshake over a stream whose reads and writes time out after `limit`.
    fn handshake(stream: S, limit: Duration) -> Result<RequestSocket<S>> {
        let stream = BufReader::with_capacity(1 << 16, stream);
        let mut socket = RequestSocket { stream, limit, deadline: Instant::now() + limit, out: Vec::new() };
        let mut greeting = [0; GREETING];
        (greeting[0], greeting[9], greeting[10]) = (0xff, 0x7f, 3);
        greeting[12..16].copy_from_slice(b"NULL");
        socket.stream.get_mut().write_all(&greeting)?;
        let theirs = socket.read_bytes(GREETING)?;
        if theirs[0] != 0xff || theirs[9] != 0x7f || theirs[10] < 3 || theirs[12..32] != greeting[12..32] {
            return Err(protocol_error("the peer does not speak ZMTP 3 with the mechanism NULL"));
        }
        socket.out.clear();
        frame(&mut socket.out, COMMAND, READY);
        socket.stream.get_mut().write_all(&socket.out)?;
        loop {
            match socket.frame()? {
                (COMMAND, ready) if ready.starts_with(b"\x05READY") => return Ok(socket),
                (COMMAND, error) if error.starts_with(b"\x05ERROR") => {
                    return Err(protocol_error("the peer refuses the connection of a request socket"));
                }
                (COMMAND, _) => {}
                _ => return Err(protocol_error("the peer sent a message before it was ready")),
            }
        }
    }

    /// Sends a request and waits for its reply.
    pub(super) fn exchange(&mut self, request: &[u8]) -> Result<Vec<u8>> {
        self.deadline = Instant::now() + self.limit;
        self.out.clear();
        // The envelope of a request ends with an empty frame.
        frame(&mut self.out, MORE, &[]);
        frame(&mut self.out, 0, request);
        self.stream.get_mut().write_all(&self.out)?;
        match self.message_frame()? {
            (true, envelope) if envelope.is_empty() => {}
            _ => return Err(protocol_error("the reply does not begin with an empty frame")),
        }
        let (mut has_more, reply) = self.message_frame()?;
        while has_more {
            (has_more, _) = self.message_frame()?;
        }
        Ok(reply)
    }

    /// Returns whether more frames follow, and the next frame of a message. Commands in between are
    /// answered.
    fn message_frame(&mut self) -> Result<(bool, Vec<u8>)> {
        loop {
            let (flags, body) = self.frame()?;
            if flags & COMMAND == 0 {
                return Ok((flags & MORE != 0, body));
            }
            // Answers a heartbeat: a PING has two bytes of time to live and a context, which the
            // PONG returns.
            if let Some(context) = body.strip_prefix(b"\x04PING").and_then(|rest| rest.get(2..)) {
                self.out.clear();
                frame(&mut self.out, COMMAND, &[b"\x04PONG", context].concat());
                self.stream.get_mut().write_all(&self.out)?;
            }
        }
    }

    /// Reads the flags and the body of a frame.
    fn frame(&mut self) -> Result<(u8, Vec<u8>)> {
        let flags = self.read_bytes(1)?[0];
        let length = match flags & LONG {
            0 => u64::from(self.read_bytes(1)?[0]),
            _ => self.read_bytes(8)?.iter().fold(0, |length, &byte| length << 8 | u64::from(byte)),
        };
        if length > MAX_FRAME_BYTES {
            return Err(protocol_error("the peer sent a frame of more than 256 MiB"));
        }
        Ok((flags & !LONG, self.read_bytes(length as usize)?))
    }

    fn read_bytes(&mut self, count: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() < count {
            if self.stream.buffer().is_empty() && Instant::now() > self.deadline {
                return Err(ErrorKind::TimedOut.into());
            }
            let there = self.stream.fill_buf()?;
            if there.is_empty() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let part = there.len().min(count - bytes.len());
            bytes.extend_from_slice(&there[..part]);
            self.stream.consume(part);
        }
        Ok(bytes)
    }
}

fn protocol_error(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

fn frame(out: &mut Vec<u8>, flags: u8, body: &[u8]) {
    match u8::try_from(body.len()) {
        Ok(length) => out.extend([flags, length]),
        Err(_) => {
            out.push(flags | LONG);
            out.extend((body.len() as u64).to_be_bytes());
        }
    }
    out.extend(body);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A scripted peer: its output, which does not depend on its input, and its input.
    #[derive(Debug)]
    struct Peer<'a> {
        sends: &'a [u8],
        got: Vec<u8>,
    }

    impl Read for Peer<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            // Byte by byte, so that frames never coincide with reads.
            self.sends.read(&mut buffer[..1])
        }
    }
    impl Write for Peer<'_> {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            self.got.extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    fn greeting() -> Vec<u8> {
        let mut greeting = vec![0; GREETING];
        (greeting[0], greeting[9], greeting[10], greeting[11]) = (0xff, 0x7f, 3, 1);
        greeting[12..16].copy_from_slice(b"NULL");
        greeting
    }

    /// Returns the reply to a request if the peer sends `sends` after its greeting.
    fn reply(sends: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
        let sends = [&greeting()[..], sends].concat();
        let peer = Peer { sends: &sends, got: Vec::new() };
        let mut socket = RequestSocket::handshake(peer, Duration::from_secs(60))?;
        let before = socket.stream.get_ref().got.len();
        let reply = socket.exchange(&[b'x'; 300])?;
        Ok((reply, socket.stream.get_ref().got[before..].to_vec()))
    }

    const READY_REP: &[u8] = b"\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03REP";

    #[test]
    fn a_request_has_its_reply() {
        let (found, sent) = reply(&[READY_REP, b"\x01\0\0\x02{}"].concat()).unwrap();
        assert_eq!(found, b"{}");
        let request = [&b"\x01\0\x02\0\0\0\0\0\0\x01\x2c"[..], &[b'x'; 300]].concat();
        assert_eq!(sent, request);
        let long = [&b"\x02\0\0\0\0\0\0\x01\x2c"[..], &[b'y'; 300]].concat();
        assert_eq!(reply(&[READY_REP, b"\x01\0", &long].concat()).unwrap().0, [b'y'; 300]);
    }

    #[test]
    fn other_frames_are_left_out_and_pings_answered() {
        let ping = b"\x04\x09\x04PING\0\x0aab";
        let several = [READY_REP, b"\x01\0", ping, b"\x01\x01a\0\x01b"].concat();
        let (found, sent) = reply(&several).unwrap();
        assert_eq!(found, b"a");
        assert!(sent.ends_with(b"\x04\x07\x04PONGab"));
    }

    #[test]
    fn nonsense_is_an_error() {
        for (sends, expected) in [
            (&b"\x04\x09\x05ERROR\x02no"[..], "refuses"),
            (b"\0\x01a", "before it was ready"),
            (&[READY_REP, b"\0\x01a"].concat(), "does not begin with an empty frame"),
            (&[READY_REP, b"\x01\0\x02\xff\0\0\0\0\0\0\0"].concat(), "more than 256 MiB"),
            (&[READY_REP, b"\x01\0\0\x05{}"].concat(), "unexpected end of file"),
            (READY_REP, "unexpected end of file"),
        ] {
            let found = reply(sends).unwrap_err().to_string();
            assert!(found.contains(expected), "{found}");
        }
        let http = Peer { sends: &[b' '; GREETING], got: Vec::new() };
        let found = RequestSocket::handshake(http, Duration::from_secs(60)).unwrap_err().to_string();
        assert!(found.contains("does not speak ZMTP 3"), "{found}");
    }
}
