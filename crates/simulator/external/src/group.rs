//! A process together with all processes that it starts: a process group that is terminated as a
//! whole. On Linux, processes that have left the group are found by a variable of their environment.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// A process in a process group.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    pub(crate) process: Child,
    /// Present until the group has been terminated. Only Unix has process groups.
    #[cfg(unix)]
    watchdog: Option<Watchdog>,
}

impl ProcessGroup {
    pub(crate) fn start(command: &mut Command) -> io::Result<ProcessGroup> {
        #[cfg(unix)]
        let watchdog = Some(Watchdog::start_for(command)?);
        Ok(ProcessGroup {
            process: command.spawn()?,
            #[cfg(unix)]
            watchdog,
        })
    }

    /// Waits up to `limit` for the process to end, and returns whether it has ended. Its children
    /// may still be running.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> bool {
        let begin = Instant::now();
        loop {
            match self.process.try_wait() {
                Ok(None) if begin.elapsed() < limit => std::thread::sleep(Duration::from_millis(2)),
                ended => return matches!(ended, Ok(Some(_))),
            }
        }
    }

    /// Terminates the whole group, and returns the exit status of the process.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        #[cfg(unix)]
        drop(self.watchdog.take());
        let _ = self.process.kill();
        self.process.wait().ok()
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.end();
    }
}

/// Environment variable of the processes of a group, whose value is the number of the group. It
/// remains with processes that leave the group, as in a session of their own.
#[cfg(unix)]
const VARIABLE: &str = "DFRSIM_PROCESS_GROUP";

/// Script of a watchdog: kills the processes that have left its group, and then the group.
#[cfg(unix)]
const SCRIPT: &str = "trap '' HUP INT TERM; read -r line
for process in /proc/[0-9]*; do
  tr '\\0' '\\n' < $process/environ | grep -qx \"DFRSIM_PROCESS_GROUP=$$\" && kill -s KILL ${process#/proc/}
done
kill -s KILL -- -$$";

/// The first process of a group: a shell that reads from a pipe of this program, and kills the group
/// when the pipe closes. It starts before the others, so that none of them survives, however early
/// this program is killed.
#[cfg(unix)]
#[derive(Debug)]
struct Watchdog(Child);

#[cfg(unix)]
impl Watchdog {
    /// Starts a watchdog, and assigns a command that is started later to its group.
    fn start_for(command: &mut Command) -> io::Result<Watchdog> {
        use std::os::unix::process::CommandExt as _;
        use std::process::Stdio;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT]);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Separates the group from this program's, which gets the signals of the terminal.
        let watchdog = Watchdog(shell.process_group(0).spawn()?);
        let group = watchdog.group().as_raw_nonzero().get();
        command.process_group(group).env(VARIABLE, group.to_string());
        Ok(watchdog)
    }
    fn group(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.0)
    }
}

#[cfg(unix)]
impl Drop for Watchdog {
    fn drop(&mut self) {
        // The watchdog may just have ended. Until it has been waited for, its id is not given to
        // another group.
        let _ = rustix::process::kill_process_group(self.group(), rustix::process::Signal::KILL);
        kill_processes_outside(self.group());
        let _ = self.0.wait();
    }
}

/// Kills the processes that have left a group.
#[cfg(unix)]
fn kill_processes_outside(group: rustix::process::Pid) {
    use rustix::process::{Pid, Signal, kill_process};
    let variable = format!("{VARIABLE}={}", group.as_raw_nonzero());
    // Only Linux has /proc; the processes of other users cannot be read, and are none of the group's.
    let processes = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    for process in processes {
        let number = process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        let Some(number) = number else { continue };
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|each| each == variable.as_bytes()) {
            let _ = kill_process(number, Signal::KILL);
        }
    }
}
