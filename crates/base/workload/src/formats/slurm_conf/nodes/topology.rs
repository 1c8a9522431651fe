//! Processors of a node, by Slurm's rules for `CPUs`, `Boards`, `Sockets`, `CoresPerSocket` and
//! `ThreadsPerCore` (page `slurm.conf` of the manual, section "Node configuration").

use super::super::ConfError;
use super::super::lines::Location;

/// Keys of a `NodeName` line that determine the number of processors.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Topology {
    cpus: Option<u32>,
    /// Older name of `CPUs`, which takes precedence over it.
    procs: Option<u32>,
    boards: Option<u32>,
    sockets: Option<u32>,
    sockets_per_board: Option<u32>,
    cores: Option<u32>,
    threads: Option<u32>,
    /// Cores that are kept for the system.
    reserved_cores: Option<u32>,
    /// Processors that are kept for the system, as a list of numbers.
    reserved_cpus: Option<Vec<u32>>,
}

/// Number of processors of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Processors {
    /// Processors as Slurm counts them, `CPUTot`.
    pub(super) all: u32,
    /// Processors that jobs can get, `CPUEfctv`.
    pub(super) for_jobs: u32,
    /// Value of `CPUs` that contradicts the other keys, and is replaced.
    pub(super) replaced: Option<u32>,
}

impl Topology {
    /// Sets a key of a node's line; returns whether it is one of a topology.
    pub(super) fn set(&mut self, key: &str, value: &str, at: &Location) -> Result<bool, ConfError> {
        let place = match key {
            "cpus" => &mut self.cpus,
            "procs" => &mut self.procs,
            "boards" => &mut self.boards,
            "sockets" => &mut self.sockets,
            "socketsperboard" => &mut self.sockets_per_board,
            "corespersocket" => &mut self.cores,
            "threadspercore" => &mut self.threads,
            "corespeccount" => &mut self.reserved_cores,
            "cpuspeclist" => {
                self.reserved_cpus =
                    Some(cpu_numbers(value).ok_or_else(|| {
                        at.unexpected(value, "numbers and ranges of processors such as 0,8-9")
                    })?);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let number = at.number(value)?;
        if number > u32::from(u16::MAX) {
            return Err(at.unexpected(value, "a whole number up to 65535"));
        }
        *place = Some(number);
        Ok(true)
    }

    /// Returns the processors of a node.
    ///
    /// # Errors
    ///
    /// Numbers that Slurm refuses: as many processors as sockets, which have several cores.
    pub(super) fn processors(&self) -> Result<Processors, String> {
        let or_one = |given: Option<u32>| given.unwrap_or(1).max(1);
        let (cores, threads) = (or_one(self.cores), or_one(self.threads));
        let given = self.cpus.or(self.procs);
        let per_socket = cores.saturating_mul(threads);
        let sockets = match (self.sockets_per_board, self.sockets, given) {
            (Some(each), _, _) => or_one(self.boards).saturating_mul(each.max(1)),
            (None, Some(sockets), _) => sockets.max(1),
            (None, None, Some(cpus)) if cpus > 0 && cpus.is_multiple_of(per_socket) => cpus / per_socket,
            (None, None, _) => 1,
        };
        let all_cores = sockets.saturating_mul(cores);
        let product = all_cores.saturating_mul(threads);
        let all = match given.map(|cpus| cpus.max(1)) {
            Some(cpus) if cpus == all_cores || cpus == product => cpus,
            Some(cpus) if cpus == sockets => {
                return Err(format!(
                    "CPUs={cpus} is neither the number of cores, {all_cores}, nor that of threads, {product}"
                ));
            }
            _ => product,
        };
        let threads_counted = if all == product { threads } else { 1 };
        let reserved = match (&self.reserved_cpus, self.reserved_cores) {
            (Some(list), _) => {
                let mut cores: Vec<u32> = list.iter().map(|cpu| cpu / threads).collect();
                cores.sort_unstable();
                cores.dedup();
                cores.len() as u32
            }
            // Slurm keeps one core if all are to be kept.
            (None, Some(cores)) if cores >= all_cores => 1,
            (None, cores) => cores.unwrap_or(0),
        };
        let for_jobs = all.saturating_sub(reserved.saturating_mul(threads_counted)).max(1);
        let replaced = given.filter(|cpus| *cpus != all);
        Ok(Processors { all, for_jobs, replaced })
    }
}

/// Parses the numbers of processors such as `0,8-9`.
fn cpu_numbers(list: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in list.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u16>().ok()?, last.parse::<u16>().ok()?);
        numbers.extend((first..=last).map(u32::from));
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processors(keys: &str) -> Result<Processors, String> {
        let mut topology = Topology::default();
        for (key, value) in keys.split_whitespace().filter_map(|pair| pair.split_once('=')) {
            assert!(topology.set(&key.to_ascii_lowercase(), value, &Location::default()).unwrap(), "{key}");
        }
        topology.processors()
    }

    /// The numbers are `CPUTot` and `CPUEfctv` of slurmctld 22.05.8 for the same lines.
    #[test]
    fn processors_are_those_of_slurmctld() {
        for (keys, all, for_jobs) in [
            ("", 1, 1),
            ("CPUs=8", 8, 8),
            ("CPUs=0", 1, 1),
            ("CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", 8, 8),
            ("CPUs=16 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", 16, 16),
            ("CPUs=10 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", 16, 16),
            ("CPUs=64 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2", 32, 32),
            ("Boards=2 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2", 32, 32),
            ("Boards=1 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2 CPUs=4", 16, 16),
            ("SocketsPerBoard=2 CoresPerSocket=4", 8, 8),
            ("Procs=8 CPUs=4", 4, 4),
            ("CPUs=8 Sockets=2", 2, 2),
            ("CPUs=8 Sockets=2 ThreadsPerCore=1", 2, 2),
            ("CPUs=16 Sockets=2 ThreadsPerCore=2", 4, 4),
            ("CPUs=16 CoresPerSocket=4 ThreadsPerCore=2", 16, 16),
            ("CPUs=16 CoresPerSocket=6", 6, 6),
            ("CPUs=8 ThreadsPerCore=2", 8, 8),
            ("Boards=2 Sockets=4 CoresPerSocket=4", 16, 16),
            ("Sockets=2 SocketsPerBoard=4 CoresPerSocket=2", 8, 8),
            ("CPUs=16 Boards=1", 16, 16),
            ("Sockets=2 CoresPerSocket=8 CoreSpecCount=2 ThreadsPerCore=2", 32, 28),
            ("CPUs=16 Sockets=2 CoresPerSocket=8 CoreSpecCount=2 ThreadsPerCore=2", 16, 14),
            ("CPUs=16 CpuSpecList=0,1", 16, 14),
            ("Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 CpuSpecList=0-1", 32, 30),
            ("CPUs=4 Sockets=2 CoresPerSocket=2 CoreSpecCount=4", 4, 3),
        ] {
            let found = processors(keys).unwrap();
            assert_eq!((found.all, found.for_jobs), (all, for_jobs), "{keys}");
        }
        assert_eq!(processors("CPUs=8 Sockets=2").unwrap().replaced, Some(8));
        for refused in ["CPUs=4 Sockets=4 CoresPerSocket=2", "CPUs=0 CoresPerSocket=2"] {
            assert!(processors(refused).unwrap_err().starts_with("CPUs="), "{refused}");
        }
    }
}
