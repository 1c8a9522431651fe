//! A process that decides: started, watched, and ended with its simulation.

use crate::fault::Fault;
use crate::group::Group;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The most bytes of an answer.
const MOST_BYTES: usize = 1 << 28;

/// The lines of standard error that a message shows.
const SHOWN_LINES: usize = 8;

/// Longer lines of standard error are shown as several.
const LONGEST_SHOWN: u64 = 1 << 10;

/// How long a process may take to end when its simulation has.
const GRACE: Duration = Duration::from_secs(2);

/// A running process.
#[derive(Debug)]
pub(crate) struct Process {
    group: Group,
    last_lines: Arc<Mutex<VecDeque<String>>>,
}

/// The lines that a process reads and writes. Threads pass them on, so that neither a process that does not read nor one that
/// does not write can hold up a simulation.
#[derive(Debug)]
pub(crate) struct Lines {
    to: Sender<Vec<u8>>,
    from: Receiver<Vec<u8>>,
}

impl Process {
    /// Starts a command and ignores its standard output.
    pub(crate) fn start(words: &[String]) -> Result<Process, Fault> {
        Process::spawn(words, Stdio::null(), Stdio::null())
    }

    /// Starts a command that reads lines and writes lines.
    pub(crate) fn start_piped(words: &[String]) -> Result<(Process, Lines), Fault> {
        let mut process = Process::spawn(words, Stdio::piped(), Stdio::piped())?;
        let mut input = process.group.leader.stdin.take().expect("standard input is piped");
        let output = process.group.leader.stdout.take().expect("standard output is piped");
        let (to, lines) = channel::<Vec<u8>>();
        thread::spawn(move || lines.into_iter().try_for_each(|line| input.write_all(&line)));
        // There is never more than one unread line.
        let (sender, from) = sync_channel(1);
        thread::spawn(move || read_lines(output, &sender));
        Ok((process, Lines { to, from }))
    }

    fn spawn(words: &[String], input: Stdio, output: Stdio) -> Result<Process, Fault> {
        let (program, arguments) = words.split_first().expect("a command has a word");
        let mut command = Command::new(program);
        command.args(arguments).stdin(input).stdout(output).stderr(Stdio::piped());
        let group = Group::start(&mut command);
        let mut group = group.map_err(|error| Fault::Start { command: words.join(" "), error })?;
        let errors = group.leader.stderr.take().expect("standard error is piped");
        let last_lines = Arc::<Mutex<VecDeque<String>>>::default();
        let kept = Arc::clone(&last_lines);
        thread::spawn(move || keep_last_lines(errors, &kept));
        Ok(Process { group, last_lines })
    }

    /// The fault of a process whose output has ended.
    pub(crate) fn ended(&mut self) -> Fault {
        let has_ended = self.group.ends_within(GRACE);
        let status = self.group.end().filter(|_| has_ended);
        let status = status.map_or_else(String::new, |status| format!(" with {status}"));
        // Its last words are on their way.
        thread::sleep(Duration::from_millis(20));
        Fault::Ended { status, stderr: self.last_words() }
    }

    /// The fault of a process that does not answer.
    pub(crate) fn silent(&self, limit: Duration) -> Fault {
        Fault::Silent { limit, stderr: self.last_words() }
    }

    /// The fault of a process that ends within this time.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> Option<Fault> {
        self.group.ends_within(limit).then(|| self.ended())
    }

    fn last_words(&self) -> String {
        let lines = self.last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        format!("; its last words: {}", lines.join(" | "))
    }

    /// Lets it end by itself for a while, then ends it, and all that it has started.
    pub(crate) fn end(&mut self) {
        self.group.ends_within(GRACE);
        self.group.end();
    }
}

impl Lines {
    /// Writes a line, which has its end.
    pub(crate) fn write(&self, line: Vec<u8>) {
        // If the process has ended, so have the lines that it writes.
        let _ = self.to.send(line);
    }

    /// The next line, without its end.
    pub(crate) fn next(&self, process: &mut Process, limit: Duration) -> Result<Vec<u8>, Fault> {
        let line = match self.from.recv_timeout(limit) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => return Err(process.silent(limit)),
            Err(RecvTimeoutError::Disconnected) => return Err(process.ended()),
        };
        match line.strip_suffix(b"\n") {
            Some(line) => Ok(line.to_owned()),
            None if line.len() > MOST_BYTES => Err(Fault::TooLong { most: MOST_BYTES }),
            None => {
                let part = format!(" after half a line: `{}`", String::from_utf8_lossy(&line));
                match process.ended() {
                    Fault::Ended { status, stderr } => Err(Fault::Ended { status: status + &part, stderr }),
                    other => Err(other),
                }
            }
        }
    }
}

/// Hands on line by line until the end, or until the receiver is gone.
fn read_lines(output: impl Read, sender: &SyncSender<Vec<u8>>) {
    let mut reader = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(MOST_BYTES as u64 + 1).read_until(b'\n', &mut line) {
            Ok(1..) if sender.send(line).is_ok() => {}
            _ => return,
        }
    }
}

fn keep_last_lines(errors: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(errors);
    let mut line = Vec::new();
    while matches!(reader.by_ref().take(LONGEST_SHOWN).read_until(b'\n', &mut line), Ok(1..)) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == SHOWN_LINES {
            kept.pop_front();
        }
        kept.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
        line.clear();
    }
}
