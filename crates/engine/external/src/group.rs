//! A process with all that it starts: one group, which ends as a whole.

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A process that leads a group of processes.
///
/// A watchdog, a shell in a group of its own, reads from a pipe of this program and ends the group when the pipe closes without
/// a word: so it does when this program is killed.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) leader: Child,
    #[cfg(unix)]
    watchdog: Option<Child>,
    is_over: bool,
}

/// Waits for a line; at the end of the pipe it ends the group that is its argument.
#[cfg(unix)]
const WATCHDOG: &str = "trap '' HUP INT TERM; read -r line && exit; kill -s KILL -- \"-$0\"";

impl Group {
    pub(crate) fn start(command: &mut Command) -> io::Result<Group> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let leader = command.spawn()?;
        #[cfg(unix)]
        let watchdog = watchdog(&leader);
        Ok(Group {
            leader,
            #[cfg(unix)]
            watchdog,
            is_over: false,
        })
    }

    /// Whether the leader ends within this time. What it has started may live on.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> bool {
        let begin = Instant::now();
        loop {
            match self.has_ended() {
                Ok(false) if begin.elapsed() < limit => std::thread::sleep(Duration::from_millis(2)),
                Ok(has_ended) => return has_ended,
                Err(_) => return false,
            }
        }
    }

    /// The leader stays until it is waited for, so that its number remains that of the group.
    #[cfg(unix)]
    fn has_ended(&mut self) -> io::Result<bool> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let leader = WaitId::Pid(Pid::from_child(&self.leader));
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(leader, options) {
            Ok(status) => Ok(status.is_some()),
            // It was waited for.
            Err(rustix::io::Errno::CHILD) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
    #[cfg(not(unix))]
    fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.leader.try_wait()?.is_some())
    }

    /// Ends all of it: how the leader ended.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        #[cfg(unix)]
        if !std::mem::replace(&mut self.is_over, true) {
            use rustix::process::{Pid, Signal, kill_process_group};
            // It may have ended in this moment.
            let _ = kill_process_group(Pid::from_child(&self.leader), Signal::KILL);
            if let Some(mut watchdog) = self.watchdog.take() {
                // A word, so that it leaves a later group of the same number alone.
                let word = watchdog.stdin.take().map(|mut pipe| io::Write::write_all(&mut pipe, b"\n"));
                if !matches!(word, Some(Ok(()))) {
                    let _ = watchdog.kill();
                }
                let _ = watchdog.wait();
            }
        }
        // Elsewhere, or if the group could not be ended.
        let _ = self.leader.kill();
        self.leader.wait().ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
fn watchdog(leader: &Child) -> Option<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", WATCHDOG]).arg(leader.id().to_string());
    // A signal of the terminal goes to the group of this program, not to this one.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
}
