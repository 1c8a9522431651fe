//! A process with all that it starts: one group, which ends as a whole.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// A process in a group of processes.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) process: Child,
    /// Until the group has ended; elsewhere there is no group.
    #[cfg(unix)]
    watchdog: Option<Watchdog>,
}

impl Group {
    pub(crate) fn start(command: &mut Command) -> io::Result<Group> {
        #[cfg(unix)]
        let watchdog = Some(Watchdog::start_for(command)?);
        Ok(Group {
            process: command.spawn()?,
            #[cfg(unix)]
            watchdog,
        })
    }

    /// Whether the process ends within this time. What it has started may live on.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> bool {
        let begin = Instant::now();
        loop {
            match self.process.try_wait() {
                Ok(None) if begin.elapsed() < limit => std::thread::sleep(Duration::from_millis(2)),
                ended => return matches!(ended, Ok(Some(_))),
            }
        }
    }

    /// Ends all of it: how the process ended.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        #[cfg(unix)]
        drop(self.watchdog.take());
        let _ = self.process.kill();
        self.process.wait().ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// The first process of a group: a shell that reads from a pipe of this program and ends the group when the pipe closes. It starts before
/// the others, so that none of them is left, however early this program is killed.
#[cfg(unix)]
#[derive(Debug)]
struct Watchdog(Child);

#[cfg(unix)]
impl Watchdog {
    /// Starts one, whose group a command that is started later belongs to.
    fn start_for(command: &mut Command) -> io::Result<Watchdog> {
        use std::os::unix::process::CommandExt as _;
        use std::process::Stdio;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "trap '' HUP INT TERM; read -r line; kill -s KILL -- -$$"]);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A signal of the terminal goes to the group of this program, not to this one.
        let watchdog = Watchdog(shell.process_group(0).spawn()?);
        command.process_group(watchdog.group().as_raw_nonzero().get());
        Ok(watchdog)
    }
    fn group(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.0)
    }
}

#[cfg(unix)]
impl Drop for Watchdog {
    fn drop(&mut self) {
        // It may have ended in this moment; until it is waited for, no other group has its number.
        let _ = rustix::process::kill_process_group(self.group(), rustix::process::Signal::KILL);
        let _ = self.0.wait();
    }
}
