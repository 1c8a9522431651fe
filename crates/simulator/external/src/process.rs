//! A process that decides: it is started, monitored, and terminated with its simulation.

use crate::fault;
use crate::group::ProcessGroup;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum length of an answer in bytes.
const MAX_BYTES: usize = 1 << 28;

/// Number of lines of standard error that a message shows.
const SHOWN_LINES: usize = 8;

/// Maximum length of these lines in bytes; longer ones are split.
const MAX_SHOWN_BYTES: u64 = 1 << 10;

/// Grace period for a process to end after its simulation.
pub(crate) const EXIT_GRACE: Duration = Duration::from_secs(2);

/// A running process with the last lines of its standard error.
#[derive(Debug)]
pub(crate) struct Process {
    group: ProcessGroup,
    last_lines: Arc<Mutex<VecDeque<String>>>,
}

/// Channel for the lines that a process reads and writes. Deadlines prevent a process that does not
/// read or write from blocking the simulation.
#[derive(Debug)]
pub(crate) struct LineChannel {
    to: DeadlinePipe<ChildStdin>,
    from: BufReader<DeadlinePipe<ChildStdout>>,
}

/// An end of a pipe on which reading and writing fail after a deadline.
#[derive(Debug)]
struct DeadlinePipe<P> {
    pipe: P,
    deadline: Instant,
}

impl Read for DeadlinePipe<ChildStdout> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait(&self.pipe, false, self.deadline)?;
        self.pipe.read(buffer)
    }
}

impl Write for DeadlinePipe<ChildStdin> {
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

/// Waits until a pipe can be read or written, or until the deadline.
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

/// Returns at once: deadlines are only supported on Unix.
#[cfg(not(unix))]
fn wait<P>(_: &P, _: bool, _: Instant) -> io::Result<()> {
    Ok(())
}

impl Process {
    /// Starts a command and discards its standard output.
    pub(crate) fn start(words: &[String]) -> Result<Process, String> {
        Process::spawn(words, Stdio::null(), Stdio::null())
    }

    /// Starts a command that reads and writes lines.
    pub(crate) fn start_piped(words: &[String]) -> Result<(Process, LineChannel), String> {
        let mut process = Process::spawn(words, Stdio::piped(), Stdio::piped())?;
        let input = process.group.process.stdin.take().expect("standard input is piped");
        let output = process.group.process.stdout.take().expect("standard output is piped");
        // A line usually fits into the pipe; writing blocks only if it does not.
        #[cfg(unix)]
        rustix::io::ioctl_fionbio(&input, true).map_err(|error| {
            format!("`{}` cannot be started: {}", words.join(" "), io::Error::from(error))
        })?;
        let deadline = Instant::now();
        let from = BufReader::with_capacity(1 << 16, DeadlinePipe { pipe: output, deadline });
        Ok((process, LineChannel { to: DeadlinePipe { pipe: input, deadline }, from }))
    }

    fn spawn(words: &[String], input: Stdio, output: Stdio) -> Result<Process, String> {
        let (program, arguments) = words.split_first().expect("a command has at least one word");
        let mut command = Command::new(program);
        command.args(arguments).stdin(input).stdout(output).stderr(Stdio::piped());
        let group = ProcessGroup::start(&mut command);
        let mut group = group.map_err(|error| {
            let cause = match error.kind() {
                ErrorKind::NotFound => format!(
                    "there is no program `{program}`; a script needs the program that runs it: `python3 {program}`"
                ),
                ErrorKind::PermissionDenied => format!(
                    "`{program}` is not a program; a script needs the program that runs it: `python3 {program}`"
                ),
                _ => error.to_string(),
            };
            format!("`{}` cannot be started: {cause}", words.join(" "))
        })?;
        let errors = group.process.stderr.take().expect("standard error is piped");
        let last_lines = Arc::<Mutex<VecDeque<String>>>::default();
        let kept = Arc::clone(&last_lines);
        thread::spawn(move || keep_last_lines(errors, &kept));
        Ok(Process { group, last_lines })
    }

    /// Formats the error for a process whose output has ended.
    fn exit_error(&mut self, where_in_answer: &str) -> String {
        let has_ended = self.group.ends_within(EXIT_GRACE);
        let status = self.group.end().filter(|_| has_ended);
        let status = status.map_or_else(String::new, |status| format!(" with {status}"));
        // The last output of the process may still be on its way.
        thread::sleep(Duration::from_millis(20));
        format!("its process ended{status}{where_in_answer}{}", self.stderr_tail())
    }

    /// Formats the error for a process that does not answer.
    pub(crate) fn no_answer(&self, limit: Duration) -> String {
        fault::no_answer(limit, &self.stderr_tail())
    }

    /// Returns the error for the process if it ends within `limit`.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> Option<String> {
        self.group.ends_within(limit).then(|| self.exit_error(""))
    }

    fn stderr_tail(&self) -> String {
        let lines = self.last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        format!("; last lines of its standard error: {}", lines.join(" | "))
    }

    /// Gives the process a grace period to end, and then terminates its group.
    pub(crate) fn end(&mut self) {
        self.group.ends_within(EXIT_GRACE);
        self.group.end();
    }
}

impl LineChannel {
    /// Writes a line, including its line end, and returns the answer without its line end.
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
            self.from.by_ref().take(MAX_BYTES as u64 + 1).read_until(b'\n', &mut answer)
        });
        match read {
            Err(error) if error.kind() == ErrorKind::TimedOut => Err(process.no_answer(limit)),
            _ if answer.pop_if(|last| *last == b'\n').is_some() => Ok(answer),
            _ if answer.is_empty() => Err(process.exit_error("")),
            _ if answer.len() > MAX_BYTES => Err(format!("its answer has more than {MAX_BYTES} bytes")),
            _ => {
                let part = format!(" after an incomplete line: `{}`", String::from_utf8_lossy(&answer));
                Err(process.exit_error(&part))
            }
        }
    }

    /// Writes a line, including its line end.
    pub(crate) fn write(&mut self, line: &[u8], limit: Duration) -> io::Result<()> {
        self.to.deadline = Instant::now() + limit;
        match self.to.write_all(line) {
            // The end of the process is reported when its answer is read.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

fn keep_last_lines(errors: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(errors);
    let mut line = Vec::new();
    while matches!(reader.by_ref().take(MAX_SHOWN_BYTES).read_until(b'\n', &mut line), Ok(1..)) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == SHOWN_LINES {
            kept.pop_front();
        }
        kept.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
        line.clear();
    }
}
