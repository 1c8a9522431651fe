//! A scheduler that listens: started if it is a command, and asked over ZeroMQ.

use super::zmtp::RequestSocket;
use super::{ENDPOINT, FILE_SCHEME, SCHEME, Transport};
use crate::command::Command;
use crate::fault;
use crate::process::Process;
use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long to wait before the next attempt to connect.
const PAUSE: Duration = Duration::from_millis(10);

/// How long a process may live on after its connection.
const PATIENCE: Duration = Duration::from_millis(500);

/// A connection to a scheduler, and its process if it was started here.
pub(super) struct Connection {
    socket: RequestSocket,
    process: Option<Process>,
    endpoint: String,
    limit: Duration,
    /// Where the socket of a process is.
    _folder: Option<TempDir>,
}

impl Connection {
    /// Starts the command, if it is one, and connects to its address as soon as it listens.
    pub(super) fn open(command: &Command) -> Result<Connection, String> {
        let limit = command.limit;
        let (endpoint, mut process, folder) = match &command.words[..] {
            [address] if address.starts_with(SCHEME) => (address.clone(), None, None),
            words => {
                let (endpoint, folder) = free_endpoint()?;
                let words: Vec<String> = words.iter().map(|word| word.replace(ENDPOINT, &endpoint)).collect();
                let process = Process::start(&words)?;
                (endpoint, Some(process), folder)
            }
        };
        let network = |error: String| format!("{endpoint}: {error}");
        let begin = Instant::now();
        loop {
            let error = match RequestSocket::connect(&endpoint, limit) {
                Ok(socket) => return Ok(Connection { socket, process, endpoint, limit, _folder: folder }),
                Err(error) => error,
            };
            if let Some(fault) = process.as_mut().and_then(|it| it.ends_within(Duration::ZERO)) {
                return Err(fault);
            }
            if begin.elapsed() >= limit {
                let what = match error.kind() {
                    ErrorKind::ConnectionRefused | ErrorKind::AddrNotAvailable | ErrorKind::NotFound => {
                        "no scheduler listens"
                    }
                    _ => "what listens there does not greet as ZeroMQ does (ZMTP 3, mechanism NULL)",
                };
                return Err(network(format!("{what} after {} s: {error}", limit.as_secs_f64())));
            }
            thread::sleep(PAUSE);
        }
    }

    fn silent(&self) -> String {
        let limit = self.limit;
        let unknown = || fault::silent(limit, "");
        self.process.as_ref().map_or_else(unknown, |process| process.silent(limit))
    }
}

/// An address that is not in use. On Unix it is a file in a folder of this user alone, which costs the kernel less than TCP;
/// elsewhere others on this machine may take it before the scheduler does.
fn free_endpoint() -> Result<(String, Option<TempDir>), String> {
    let found = if cfg!(unix) {
        tempfile::tempdir()
            .map(|folder| (format!("{FILE_SCHEME}{}/socket", folder.path().display()), Some(folder)))
    } else {
        let address = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        address.map(|address| (format!("{SCHEME}{address}"), None))
    };
    found.map_err(|error| format!("a free address: {error}"))
}

impl Transport for Connection {
    fn exchange(&mut self, request: &[u8]) -> Result<String, String> {
        let error = match self.socket.exchange(request) {
            Ok(reply) => {
                let not_text = |_| "its answer is not UTF-8".into();
                return String::from_utf8(reply).map_err(not_text);
            }
            Err(error) => error,
        };
        // A connection ends a little before its process does.
        if let Some(fault) = self.process.as_mut().and_then(|it| it.ends_within(PATIENCE)) {
            return Err(fault);
        }
        Err(match error.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => self.silent(),
            _ => format!("{}: {error}", self.endpoint),
        })
    }

    fn end(&mut self) {
        if let Some(process) = &mut self.process {
            process.end();
        }
    }
}
