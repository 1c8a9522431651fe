//! Limit of the memory that the program may use.
//!
//! Runs that are known to need more are refused at the start ([`Limit::bytes`]). For all other runs,
//! on Linux, a thread checks the memory in use and ends the program with a message if it exceeds the
//! limit, before the machine runs out of memory. A limit of the system (`ulimit -v`) counts as well. If
//! the system itself refuses an allocation, the program ends with Rust's message and the same exit
//! code instead of an abort.

use crate::exit::Exit;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Default limit, as a fraction of the memory that is free at the start.
const DEFAULT_FRACTION: f64 = 0.9;

/// Default limit for work on files of others, in bytes. The memory in use is sampled from time to
/// time, and stays below 1 GB.
const RECEIVED_BYTES: u64 = 800_000_000;

/// Limit of the memory that the program may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Limit in bytes; `None` if none was given and the system does not report its free memory.
    bytes: Option<u64>,
    /// Address space that the system allows, in bytes; `None` if it does not limit it.
    address_space: Option<u64>,
}

/// Fraction of the allowed address space at which the program ends, before the system refuses more.
const ADDRESS_SPACE_FRACTION: f64 = 0.97;

impl Limit {
    /// Creates the given limit (in units of 10^9 bytes), or by default one of 90 % of the free
    /// memory.
    pub(crate) fn new(gigabytes: Option<f64>) -> Limit {
        let asked_for = gigabytes.map(|gigabytes| (gigabytes * 1e9) as u64);
        let bytes = asked_for.or_else(|| free().map(|free| (free as f64 * DEFAULT_FRACTION) as u64));
        Limit { bytes, address_space: address_space() }
    }

    /// Creates the given limit, or the default one for files of others: at most 0.8 GB.
    pub(crate) fn for_received_files(gigabytes: Option<f64>) -> Limit {
        let usual = Limit::new(gigabytes);
        match gigabytes {
            Some(_) => usual,
            None => Limit { bytes: Some(usual.bytes().min(RECEIVED_BYTES)), ..usual },
        }
    }

    /// Returns the limit in bytes, which includes that of the system; `u64::MAX` if there is none.
    pub(crate) fn bytes(self) -> u64 {
        self.bytes.into_iter().chain(self.address_space).min().unwrap_or(u64::MAX)
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
        if self.bytes.is_some() || self.address_space.is_some() {
            // If the thread cannot be started the limit is not enforced, which is no reason to
            // refuse the run.
            let _ = std::thread::Builder::new().stack_size(1 << 16).spawn(move || watch(self));
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

/// Returns the address space that the system allows to this process, in bytes.
#[cfg(unix)]
fn address_space() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
fn watch(limit: Limit) {
    const INTERVAL: std::time::Duration = std::time::Duration::from_millis(5);
    // VmRSS and VmSize are in kilobytes. Other files count in pages, whose size cannot be queried
    // under valgrind.
    let used = |name: &str, limit: Option<u64>| {
        let used = read_entry("/proc/self/status", name)?;
        limit.filter(|limit| used > *limit).map(|limit| (used as f64 / 1e9, limit as f64 / 1e9))
    };
    let allowed = limit.address_space.map(|bytes| (bytes as f64 * ADDRESS_SPACE_FRACTION) as u64);
    let fault = loop {
        if let Some((used, limit)) = used("VmRSS:", limit.bytes) {
            break format!(
                "{used:.3} GB of memory are in use, more than the limit of {limit:.3} GB: make the task smaller, or raise \
                 --max-memory"
            );
        }
        if let Some((used, limit)) = used("VmSize:", allowed) {
            break format!(
                "{used:.3} GB of address space are in use, and the system allows about {limit:.3} GB (`ulimit -v`): make the task \
                 smaller, use fewer --threads, or raise that limit"
            );
        }
        std::thread::sleep(INTERVAL);
    };
    crate::output::notice!("error: {fault}; finished rows are kept");
    crate::temporary::remove_all();
    std::process::exit(Exit::Input.code().into());
}

/// Reads an entry, given in kilobytes, of a file in /proc and converts it to bytes.
#[cfg(target_os = "linux")]
fn read_entry(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
