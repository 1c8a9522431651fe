//! Limit of the memory that the program may use.
//!
//! Runs that are known to need more are refused at the start ([`Limit::bytes`]). For all other runs,
//! on Linux, a thread checks the memory in use and ends the program with a message if it exceeds the
//! limit, before the machine runs out of memory. If the system itself refuses an allocation (`ulimit
//! -v`), the program ends with Rust's message and the same exit code instead of an abort.

use crate::exit::Exit;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Default limit, as a fraction of the memory that is free at the start.
const DEFAULT_FRACTION: f64 = 0.9;

/// Limit of the memory that the program may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Limit in bytes; `None` if none was given and the system does not report its free memory.
    bytes: Option<u64>,
}

impl Limit {
    /// Creates the given limit (in units of 10^9 bytes), or by default one of 90 % of the free
    /// memory.
    pub(crate) fn new(gigabytes: Option<f64>) -> Limit {
        let asked_for = gigabytes.map(|gigabytes| (gigabytes * 1e9) as u64);
        Limit { bytes: asked_for.or_else(|| free().map(|free| (free as f64 * DEFAULT_FRACTION) as u64)) }
    }

    /// Returns the limit in bytes; `u64::MAX` if there is none.
    pub(crate) fn bytes(self) -> u64 {
        self.bytes.unwrap_or(u64::MAX)
    }

    /// Starts enforcing the limit: the program ends once it uses more memory.
    pub(crate) fn guard(self) {
        #[cfg(unix)]
        {
            // Rust reports a failed allocation and then aborts by SIGABRT; the handler turns that
            // into an exit code.
            let always = Arc::new(AtomicBool::new(true));
            let _ = signal_hook::flag::register_conditional_shutdown(
                signal_hook::consts::SIGABRT,
                Exit::Input.code().into(),
                always,
            );
            // SIGXFSZ is caught, so that a write beyond the file size limit (`ulimit -f`) fails with
            // an error, which is reported.
            let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        }
        #[cfg(target_os = "linux")]
        if let Some(limit) = self.bytes {
            // If the thread cannot be started the limit is not enforced, which is no reason to
            // refuse the run.
            let _ = std::thread::Builder::new().stack_size(1 << 16).spawn(move || watch(limit));
        }
    }
}

/// Returns the bytes that are available to this process, according to the system and its control
/// group.
#[cfg(target_os = "linux")]
fn free() -> Option<u64> {
    let available = read_entry("/proc/meminfo", "MemAvailable:")?;
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
    const INTERVAL: std::time::Duration = std::time::Duration::from_millis(20);
    // VmRSS is in kilobytes. Other files count in pages, whose size cannot be queried under
    // valgrind.
    while let Some(used) = read_entry("/proc/self/status", "VmRSS:") {
        if used > limit {
            crate::output::notice!(
                "error: {:.3} GB of memory are in use, more than the limit of {:.3} GB: make the task smaller, or raise \
                 --max-memory; finished rows are kept",
                used as f64 / 1e9,
                limit as f64 / 1e9
            );
            std::process::exit(Exit::Input.code().into());
        }
        std::thread::sleep(INTERVAL);
    }
}

/// Reads an entry, given in kilobytes, of a file in /proc and converts it to bytes.
#[cfg(target_os = "linux")]
fn read_entry(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
