//! Requests and replies over ZeroMQ.

use super::{ENDPOINT, Transport};
use crate::command::Command;
use crate::fault::Fault;
use crate::process::Process;
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use zeromq::{ReqSocket, Socket, SocketRecv, SocketSend};

/// How long to wait before the next attempt to connect.
const PAUSE: Duration = Duration::from_millis(10);

/// How long a process may live on after its connection.
const PATIENCE: Duration = Duration::from_millis(500);

/// A connection to a scheduler, and its process if it was started here.
pub(super) struct Connection {
    runtime: Runtime,
    socket: ReqSocket,
    process: Option<Process>,
    endpoint: String,
    limit: Duration,
}

impl Connection {
    /// Starts the command, if it is one, and connects to its address as soon as it listens.
    pub(super) fn open(command: &Command) -> Result<Connection, Fault> {
        let limit = command.limit;
        let (endpoint, mut process) = match &command.words[..] {
            [address] if address.starts_with("tcp://") => (address.clone(), None),
            words => {
                let endpoint = free_endpoint()?;
                let words: Vec<String> = words.iter().map(|word| word.replace(ENDPOINT, &endpoint)).collect();
                let process = Process::start(&words)?;
                (endpoint, Some(process))
            }
        };
        let network = |error: String| Fault::Network { endpoint: endpoint.clone(), error };
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| network(error.to_string()))?;
        let begin = Instant::now();
        loop {
            let mut socket = ReqSocket::new();
            let left = limit.saturating_sub(begin.elapsed());
            let connected = runtime.block_on(async { timeout(left, socket.connect(&endpoint)).await });
            if let Ok(Ok(())) = connected {
                return Ok(Connection { runtime, socket, process, endpoint, limit });
            }
            if let Some(fault) = process.as_mut().and_then(|it| it.ends_within(Duration::ZERO)) {
                return Err(fault);
            }
            match connected {
                Ok(Err(_)) if begin.elapsed() < limit => thread::sleep(PAUSE),
                Ok(Err(error)) => return Err(network(error.to_string())),
                _ => return Err(network(format!("nobody listens for {} s", limit.as_secs_f64()))),
            }
        }
    }

    fn silent(&self) -> Fault {
        let limit = self.limit;
        let unknown = || Fault::Silent { limit, stderr: String::new() };
        self.process.as_ref().map_or_else(unknown, |process| process.silent(limit))
    }
}

/// An address that nobody uses at the moment.
fn free_endpoint() -> Result<String, Fault> {
    let address = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let address =
        address.map_err(|error| Fault::Network { endpoint: "127.0.0.1".into(), error: error.to_string() })?;
    Ok(format!("tcp://{address}"))
}

impl Transport for Connection {
    fn exchange(&mut self, request: String) -> Result<String, Fault> {
        let Connection { runtime, socket, limit, .. } = self;
        let reply = runtime.block_on(async {
            timeout(*limit, async {
                socket.send(request.into()).await?;
                socket.recv().await
            })
            .await
        });
        if let Ok(Ok(reply)) = reply {
            let text = reply.get(0).map(|frame| String::from_utf8(frame.to_vec()));
            return text.and_then(Result::ok).ok_or_else(|| Fault::Wrong("its answer is not UTF-8".into()));
        }
        // A connection ends a little before its process does.
        if let Some(fault) = self.process.as_mut().and_then(|it| it.ends_within(PATIENCE)) {
            return Err(fault);
        }
        Err(match reply {
            Ok(Err(error)) => Fault::Network { endpoint: self.endpoint.clone(), error: error.to_string() },
            _ => self.silent(),
        })
    }

    fn end(&mut self) {
        if let Some(process) = &mut self.process {
            process.end();
        }
    }
}
