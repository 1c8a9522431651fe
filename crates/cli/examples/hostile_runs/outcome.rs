//! Outcome of a run.

use dfrsim_commands::exit::Exit;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Time limit of a run in seconds, after which it is killed.
const TIME: f64 = 10.0;
/// Polling intervals while waiting for a run to end, initial and longest.
const NAPS: [Duration; 2] = [Duration::from_micros(500), Duration::from_millis(5)];
/// Kind of outcome; the report counts the runs of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// The run ended with one of the [documented codes](Exit), and with a message if it failed.
    Code(i32),
    /// The run exceeded the time limit, but printed something.
    Long,
    /// The run exceeded the time limit without output.
    TimeOut,
    /// The run panicked.
    Panic,
    /// The run was terminated by this signal.
    Signal(i32),
    /// The run ended with an undocumented exit code.
    OtherCode(i32),
    /// The run failed with this code and without a message.
    Silent(i32),
}

impl Verdict {
    /// Returns whether this is a bug of the program.
    pub(crate) fn is_bad(self) -> bool {
        !matches!(self, Verdict::Code(_) | Verdict::Long)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Code(code) => write!(f, "exit code {code}"),
            Verdict::Long => f.write_str("more than 10 s, with a message"),
            Verdict::TimeOut => f.write_str("more than 10 s without a message"),
            Verdict::Panic => f.write_str("panic"),
            Verdict::Signal(signal) => write!(f, "death by signal {signal}"),
            Verdict::OtherCode(code) => write!(f, "undocumented exit code {code}"),
            Verdict::Silent(code) => write!(f, "exit code {code} without a message"),
        }
    }
}

/// A run that has ended.
pub(crate) struct Outcome {
    /// Kind of outcome.
    pub(crate) verdict: Verdict,
    /// Duration of the run in seconds.
    pub(crate) seconds: f64,
    /// Standard error of the run.
    message: String,
}

impl Outcome {
    /// Returns whether the verdict is a bug of the program.
    pub(crate) fn is_bad(&self) -> bool {
        self.verdict.is_bad()
    }

    /// Returns the last lines of standard error.
    pub(crate) fn last_lines(&self) -> impl Iterator<Item = String> + '_ {
        let lines: Vec<&str> = self.message.lines().collect();
        let kept = lines[lines.len().saturating_sub(5)..].to_vec();
        kept.into_iter().map(|line| line.chars().take(300).collect())
    }
}

/// Runs the program within the time limit; it inherits the memory limit of this process. The output
/// goes to files of the worker, because a pipe could be full.
pub(crate) fn run(
    program: &Path,
    folder: &Path,
    arguments: &[String],
    printed: &Path,
) -> io::Result<Outcome> {
    let begin = Instant::now();
    let [out, error] = ["out", "error"].map(|ending| printed.with_extension(ending));
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&error)?)
        .spawn()?;
    let status = wait(&mut child, begin)?;
    let seconds = begin.elapsed().as_secs_f64();
    let message = String::from_utf8_lossy(&fs::read(&error)?).into_owned();
    let code = status.code();
    let said = !message.trim().is_empty() || fs::metadata(&out)?.len() > 0;
    let verdict = if message.contains("panicked") || code == Some(101) {
        Verdict::Panic
    } else if seconds >= TIME {
        if said { Verdict::Long } else { Verdict::TimeOut }
    } else if let Some(signal) = status.signal() {
        Verdict::Signal(signal)
    } else {
        match code.expect("without a signal there is a code") {
            code if Exit::ALL.iter().all(|exit| i32::from(exit.code()) != code) => Verdict::OtherCode(code),
            code if code != 0 && !said => Verdict::Silent(code),
            code => Verdict::Code(code),
        }
    };
    Ok(Outcome { verdict, seconds, message })
}

/// Waits for the end of a run; kills it at the time limit.
fn wait(child: &mut Child, begin: Instant) -> io::Result<ExitStatus> {
    let [mut nap, longest] = NAPS;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if begin.elapsed().as_secs_f64() >= TIME {
            child.kill()?;
            return child.wait();
        }
        thread::sleep(nap);
        nap = longest.min(nap * 2);
    }
}

/// Quotes a command for a shell.
pub(crate) fn quoted(program: &Path, arguments: &[String]) -> String {
    let words = std::iter::once(program.as_os_str()).chain(arguments.iter().map(OsStr::new));
    let quoted: Vec<String> =
        words.map(|word| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"))).collect();
    quoted.join(" ")
}
