//! How much memory the program may use.
//!
//! Runs that are known to need more are refused at the start ([`Limit::bytes`]). For the rest, on Linux, a thread
//! checks the memory in use and ends the program with a message when it is above the limit, before the machine runs out
//! of it. Where the system itself refuses memory (`ulimit -v`), the program ends with its message and the same exit
//! code instead of an abort.

use crate::exit::Exit;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The part of the memory that is free at the beginning which is used unless something else is asked for.
const USUAL_PART: f64 = 0.9;

/// How much memory may be used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// In bytes; `None` where there is no limit, because none was given and the system does not report its free memory.
    bytes: Option<u64>,
}

impl Limit {
    /// The limit that was asked for in GB, or most of what is free.
    pub(crate) fn new(gigabytes: Option<f64>) -> Limit {
        let asked_for = gigabytes.map(|gigabytes| (gigabytes * 1e9) as u64);
        Limit { bytes: asked_for.or_else(|| free().map(|free| (free as f64 * USUAL_PART) as u64)) }
    }

    /// In bytes.
    pub(crate) fn bytes(self) -> u64 {
        self.bytes.unwrap_or(u64::MAX)
    }

    /// From now on the program ends when it uses more.
    pub(crate) fn guard(self) {
        #[cfg(unix)]
        {
            // Rust ends a program without memory by SIGABRT, after a message.
            let always = Arc::new(AtomicBool::new(true));
            let _ = signal_hook::flag::register_conditional_shutdown(
                signal_hook::consts::SIGABRT,
                Exit::Input.code().into(),
                always,
            );
            // A file that may not grow (`ulimit -f`) is an error of the write then, with a message.
            let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        }
        #[cfg(target_os = "linux")]
        if let Some(limit) = self.bytes {
            // Without the thread there is no guard, which is no reason not to begin.
            let _ = std::thread::Builder::new().stack_size(1 << 16).spawn(move || watch(limit));
        }
    }
}

/// The bytes that the system says are free, for this process.
#[cfg(target_os = "linux")]
fn free() -> Option<u64> {
    let available = listed("/proc/meminfo", "MemAvailable:")?;
    let of_group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let of_group = of_group.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    Some(available.min(of_group))
}

#[cfg(not(target_os = "linux"))]
fn free() -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
fn watch(limit: u64) {
    const EVERY: std::time::Duration = std::time::Duration::from_millis(20);
    // In pages elsewhere, whose size cannot be asked for under valgrind.
    while let Some(used) = listed("/proc/self/status", "VmRSS:") {
        if used > limit {
            crate::output::notice!(
                "error: {:.3} GB of memory are in use, more than the limit of {:.3} GB: make the task smaller, or raise \
                 --max-memory; finished rows are kept",
                used as f64 / 1e9,
                limit as f64 / 1e9
            );
            std::process::exit(Exit::Input.code().into());
        }
        std::thread::sleep(EVERY);
    }
}

/// The bytes that a file of the system lists under a name, in kilobytes.
#[cfg(target_os = "linux")]
fn listed(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
