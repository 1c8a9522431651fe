//! Schedulers that speak Batsim's protocol over ZeroMQ: a correct one, whose bytes are recorded, and
//! one that replays the bytes of a file without reading requests.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

/// First argument that runs this program as the recording scheduler; the file and the address
/// follow.
pub(crate) const RECORD: &str = "--record";
/// First argument that runs this program as the replaying scheduler; the file and the address
/// follow.
pub(crate) const REPLAY: &str = "--replay";

/// Time limit for the other side to close the connection.
const PATIENCE: Duration = Duration::from_secs(2);

/// Size in bytes of the greeting that both sides send first: ZMTP 3.1, mechanism NULL.
const GREETING: usize = 64;
const READY: &[u8] = b"\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03REP";

/// Runs as the scheduler that the arguments select.
///
/// # Errors
/// Fails if the connection or the file fails.
pub(crate) fn run(arguments: &[String]) -> io::Result<()> {
    let [part, file, endpoint] = arguments else { return Err(io::ErrorKind::InvalidInput.into()) };
    let (stream, _) = UnixListener::bind(endpoint.trim_start_matches("ipc://"))?.accept()?;
    if part == RECORD { record(&stream, Path::new(file)) } else { replay(stream, &fs::read(file)?) }
}

fn replay(mut stream: UnixStream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.shutdown(Shutdown::Write)?;
    // Unread data would reset the connection before the bytes have arrived.
    stream.set_read_timeout(Some(PATIENCE))?;
    io::copy(&mut stream, &mut io::sink()).map(drop)
}

/// Runs one job at a time on the first nodes, and records all sent bytes in `file`.
fn record(stream: &UnixStream, file: &Path) -> io::Result<()> {
    let (mut asked, mut answers) = (BufReader::new(stream), stream);
    let mut greeting = [0; GREETING];
    (greeting[0], greeting[9], greeting[10], greeting[11]) = (0xff, 0x7f, 3, 1);
    greeting[12..16].copy_from_slice(b"NULL");
    let mut sent = [&greeting[..], READY].concat();
    answers.write_all(&sent)?;
    asked.read_exact(&mut greeting)?;
    frame(&mut asked)?;
    let (mut waiting, mut is_busy) = (VecDeque::new(), false);
    // Each message has two frames: an envelope and the request.
    while frame(&mut asked).is_ok() {
        let request: Value = serde_json::from_slice(&frame(&mut asked)?)?;
        let now = &request["now"];
        for event in request["events"].as_array().into_iter().flatten() {
            let data = &event["data"];
            match event["type"].as_str() {
                Some("JOB_SUBMITTED") => {
                    waiting.push_back((data["job_id"].clone(), data["job"]["res"].as_u64()));
                }
                Some("JOB_COMPLETED") => is_busy = false,
                _ => {}
            }
        }
        let next = if is_busy { None } else { waiting.pop_front() };
        is_busy |= next.is_some();
        let execute = next.map(|(job, width)| {
            let alloc = format!("0-{}", width.unwrap_or(1) - 1);
            json!({ "timestamp": now, "type": "EXECUTE_JOB", "data": { "job_id": job, "alloc": alloc } })
        });
        let events: Vec<Value> = execute.into_iter().collect();
        let reply = json!({ "now": now, "events": events }).to_string();
        let length = (reply.len() as u64).to_be_bytes();
        let message = [&b"\x01\0\x02"[..], &length, reply.as_bytes()].concat();
        answers.write_all(&message)?;
        sent.extend(message);
        fs::write(file, &sent)?;
    }
    Ok(())
}

/// Reads the body of a frame.
fn frame(from: &mut impl Read) -> io::Result<Vec<u8>> {
    const LONG: u8 = 2;
    let mut flags = [0];
    from.read_exact(&mut flags)?;
    let mut length = [0; 8];
    let short = if flags[0] & LONG == 0 { 7 } else { 0 };
    from.read_exact(&mut length[short..])?;
    let mut body = Vec::new();
    from.take(u64::from_be_bytes(length)).read_to_end(&mut body)?;
    Ok(body)
}
