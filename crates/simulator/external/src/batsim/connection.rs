//! Connection to a scheduler over ZeroMQ; the scheduler is started if it is a command.

use super::zmtp::RequestSocket;
use super::{ENDPOINT, FILE_SCHEME, SCHEME, Transport};
use crate::command::Command;
use crate::fault;
use crate::process::Process;
use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Interval between attempts to connect.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Grace period for a process to end after its connection.
const DISCONNECT_GRACE: Duration = Duration::from_millis(500);

/// A connection to a scheduler, and its process if it was started by this program.
pub(super) struct Connection {
    socket: RequestSocket,
    process: Option<Process>,
    endpoint: String,
    limit: Duration,
    /// Folder of the process's socket.
    _folder: Option<TempDir>,
}

impl Connection {
    /// Starts the scheduler if it is a command, and connects as soon as it listens.
    pub(super) fn open(command: &Command) -> Result<Connection, String> {
        let limit = command.limit;
        let (endpoint, mut process, folder) = match &command.words[..] {
            [address] if address.starts_with(SCHEME) => (address.clone(), None, None),
            words => {
                let (endpoint, folder) = unused_endpoint()?;
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
                    _ => "the peer did not complete the ZeroMQ handshake (ZMTP 3, mechanism NULL)",
                };
                return Err(network(format!("{what} after {} s: {error}", limit.as_secs_f64())));
            }
            thread::sleep(RETRY_INTERVAL);
        }
    }

    fn no_answer(&self) -> String {
        let limit = self.limit;
        let unknown = || fault::no_answer(limit, "");
        self.process.as_ref().map_or_else(unknown, |process| process.no_answer(limit))
    }
}

/// Returns an unused address. On Unix it is a file in a private folder, which is cheaper than TCP;
/// elsewhere another process may bind the address before the scheduler does.
fn unused_endpoint() -> Result<(String, Option<TempDir>), String> {
    let found = if cfg!(unix) {
        tempfile::tempdir()
            .map(|folder| (format!("{FILE_SCHEME}{}/socket", folder.path().display()), Some(folder)))
    } else {
        let address = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        address.map(|address| (format!("{SCHEME}{address}"), None))
    };
    found.map_err(|error| format!("cannot create an endpoint: {error}"))
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
        // A connection closes shortly before its process ends.
        if let Some(fault) = self.process.as_mut().and_then(|it| it.ends_within(DISCONNECT_GRACE)) {
            return Err(fault);
        }
        Err(match error.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => self.no_answer(),
            _ => format!("{}: {error}", self.endpoint),
        })
    }

    fn end(&mut self) {
        if let Some(process) = &mut self.process {
            process.end();
        }
    }
}
