//! A process that decides: started, watched, and ended with its simulation.

use crate::fault;
use crate::group::Group;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The most bytes of an answer.
const MOST_BYTES: usize = 1 << 28;

/// The lines of standard error that a message shows.
const SHOWN_LINES: usize = 8;

/// Longer lines of standard error are shown as several.
const LONGEST_SHOWN: u64 = 1 << 10;

/// How long a process may take to end when its simulation has.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// A running process.
#[derive(Debug)]
pub(crate) struct Process {
    group: Group,
    last_lines: Arc<Mutex<VecDeque<String>>>,
}

/// The lines that a process reads and writes. Neither one that does not read nor one that does not write can hold up a simulation.
#[derive(Debug)]
pub(crate) struct Lines {
    to: Patient<ChildStdin>,
    from: BufReader<Patient<ChildStdout>>,
}

/// An end of a pipe, at which reading and writing fail after the deadline.
#[derive(Debug)]
struct Patient<P> {
    pipe: P,
    deadline: Instant,
}

impl Read for Patient<ChildStdout> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait(&self.pipe, false, self.deadline)?;
        self.pipe.read(buffer)
    }
}

impl Write for Patient<ChildStdin> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.pipe.write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => wait(&self.pipe, true, self.deadline)?,
                written => return written,
            }
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until a pipe can be read or written.
#[cfg(unix)]
fn wait(pipe: &impl std::os::fd::AsFd, writes: bool, deadline: Instant) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let flags = if writes { PollFlags::OUT } else { PollFlags::IN };
    loop {
        let left = Timespec::try_from(deadline.saturating_duration_since(Instant::now())).ok();
        match poll(&mut [PollFd::new(pipe, flags)], left.as_ref()) {
            Ok(0) => return Err(ErrorKind::TimedOut.into()),
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Other systems have no deadline here.
#[cfg(not(unix))]
fn wait<P>(_: &P, _: bool, _: Instant) -> io::Result<()> {
    Ok(())
}

impl Process {
    /// Starts a command and ignores its standard output.
    pub(crate) fn start(words: &[String]) -> Result<Process, String> {
        Process::spawn(words, Stdio::null(), Stdio::null())
    }

    /// Starts a command that reads lines and writes lines.
    pub(crate) fn start_piped(words: &[String]) -> Result<(Process, Lines), String> {
        let mut process = Process::spawn(words, Stdio::piped(), Stdio::piped())?;
        let input = process.group.process.stdin.take().expect("standard input is piped");
        let output = process.group.process.stdout.take().expect("standard output is piped");
        // There is mostly room for a line: it is only waited for if there is none.
        #[cfg(unix)]
        rustix::io::ioctl_fionbio(&input, true).map_err(|error| {
            format!("`{}` cannot be started: {}", words.join(" "), io::Error::from(error))
        })?;
        let deadline = Instant::now();
        let from = BufReader::with_capacity(1 << 16, Patient { pipe: output, deadline });
        Ok((process, Lines { to: Patient { pipe: input, deadline }, from }))
    }

    fn spawn(words: &[String], input: Stdio, output: Stdio) -> Result<Process, String> {
        let (program, arguments) = words.split_first().expect("a command has a word");
        let mut command = Command::new(program);
        command.args(arguments).stdin(input).stdout(output).stderr(Stdio::piped());
        let group = Group::start(&mut command);
        let mut group = group.map_err(|error| format!("`{}` cannot be started: {error}", words.join(" ")))?;
        let errors = group.process.stderr.take().expect("standard error is piped");
        let last_lines = Arc::<Mutex<VecDeque<String>>>::default();
        let kept = Arc::clone(&last_lines);
        thread::spawn(move || keep_last_lines(errors, &kept));
        Ok(Process { group, last_lines })
    }

    /// The fault of a process whose output has ended.
    fn ended(&mut self, where_in_answer: &str) -> String {
        let has_ended = self.group.ends_within(GRACE);
        let status = self.group.end().filter(|_| has_ended);
        let status = status.map_or_else(String::new, |status| format!(" with {status}"));
        // Its last words are on their way.
        thread::sleep(Duration::from_millis(20));
        format!("its process ended{status}{where_in_answer}{}", self.last_words())
    }

    /// The fault of a process that does not answer.
    pub(crate) fn silent(&self, limit: Duration) -> String {
        fault::silent(limit, &self.last_words())
    }

    /// The fault of a process that ends within this time.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> Option<String> {
        self.group.ends_within(limit).then(|| self.ended(""))
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
    /// Writes a line, which has its end; the line that answers it, without its end.
    pub(crate) fn ask(
        &mut self,
        line: &[u8],
        process: &mut Process,
        limit: Duration,
    ) -> Result<Vec<u8>, String> {
        let mut answer = Vec::new();
        let sent = self.write(line, limit);
        let read = sent.and_then(|()| {
            self.from.get_mut().deadline = Instant::now() + limit;
            self.from.by_ref().take(MOST_BYTES as u64 + 1).read_until(b'\n', &mut answer)
        });
        match read {
            Err(error) if error.kind() == ErrorKind::TimedOut => Err(process.silent(limit)),
            _ if answer.pop_if(|last| *last == b'\n').is_some() => Ok(answer),
            _ if answer.is_empty() => Err(process.ended("")),
            _ if answer.len() > MOST_BYTES => Err(format!("its answer has more than {MOST_BYTES} bytes")),
            _ => {
                let part = format!(" after half a line: `{}`", String::from_utf8_lossy(&answer));
                Err(process.ended(&part))
            }
        }
    }

    /// Writes a line, which has its end.
    pub(crate) fn write(&mut self, line: &[u8], limit: Duration) -> io::Result<()> {
        self.to.deadline = Instant::now() + limit;
        match self.to.write_all(line) {
            // If the process has ended, so have the lines that it writes.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written,
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
