//! Durations of actions, and the slowdown that they cause on their nodes (section 2.3, figure 3).

use dfrsim_model::SimSpan;
use serde::{Deserialize, Serialize};

/// A duration as a piecewise linear function of the VM's memory: pairs of MB and seconds with
/// increasing MB. The first and the last segment extend beyond the table; a single pair defines a
/// line through the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(f64, f64)>", into = "Vec<(f64, f64)>")]
pub struct ByMemory(Vec<(f64, f64)>);

/// Error: the pairs do not form a valid table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one or more pairs of MB (above 0, ascending) and seconds (0 to 10^6)")]
pub struct InvalidByMemory;

impl ByMemory {
    /// Returns the pairs of MB and seconds.
    pub fn pairs(&self) -> &[(f64, f64)] {
        &self.0
    }

    /// Returns the seconds for this many MB, at least 0.
    pub(crate) fn seconds(&self, memory: f64) -> f64 {
        let pairs = &self.0;
        let [(first, seconds)] = pairs[..] else {
            let above = pairs.partition_point(|(known, _)| *known < memory).clamp(1, pairs.len() - 1);
            let ((low, from), (high, to)) = (pairs[above - 1], pairs[above]);
            return (from + (to - from) * (memory - low) / (high - low)).max(0.0);
        };
        seconds * memory / first
    }
}

impl TryFrom<Vec<(f64, f64)>> for ByMemory {
    type Error = InvalidByMemory;
    /// Creates a table from pairs of MB and seconds.
    ///
    /// # Errors
    /// There is no pair, the MB are not positive or not increasing, or some seconds are not between
    /// 0 and 10^6.
    fn try_from(pairs: Vec<(f64, f64)>) -> Result<ByMemory, InvalidByMemory> {
        let rises = pairs.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let ranges = pairs
            .iter()
            .all(|(memory, seconds)| memory.is_finite() && *memory > 0.0 && (0.0..=1e6).contains(seconds));
        if pairs.is_empty() || !rises || !ranges { Err(InvalidByMemory) } else { Ok(ByMemory(pairs)) }
    }
}

impl From<ByMemory> for Vec<(f64, f64)> {
    fn from(table: ByMemory) -> Vec<(f64, f64)> {
        table.0
    }
}

/// Durations and slowdowns of actions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Durations {
    /// Seconds to boot a VM.
    pub run_s: f64,
    /// Seconds of a clean shutdown of a VM.
    pub stop_s: f64,
    /// Duration of a live migration, and of the transfer of an image.
    pub migrate: ByMemory,
    /// Duration of a suspend to the local disk.
    pub suspend: ByMemory,
    /// Duration of a resume from the local disk.
    pub local_resume: ByMemory,
    /// Duration of a resume from an image on another node.
    pub remote_resume: ByMemory,
    /// Seconds to suspend a VM to memory, or to resume it from there on the same node.
    pub doze_s: f64,
    /// Seconds to switch a node on.
    pub boot_s: f64,
    /// Seconds to switch a node off.
    pub shutdown_s: f64,
    /// Relative slowdown of a migration, suspend or resume for each concurrent one on its node, or
    /// on the busier of its two nodes: 0 without interference, 1 if they share the node equally.
    pub contention: f64,
    /// Relative slowdown of a suspend or resume for each concurrent one in the whole cluster, for
    /// images on shared storage.
    pub storage_contention: f64,
    /// Factor by which computations slow down on the node of a local suspend or resume.
    pub local_slowdown: f64,
    /// Factor by which computations slow down on both nodes of an action between two nodes.
    pub remote_slowdown: f64,
}

impl Default for Durations {
    /// Returns the durations of the paper: 6 s and 25 s for run and stop; a migration of 26 s for 2
    /// GB, and one of 19 s in section 5.2 where the VMs have 1 GB; 3 minutes for a remote resume of
    /// 2 GB, in proportion to the memory, and half of that for local resumes and suspends; slowdowns
    /// of 1.3 and 1.5. The second to doze, the two minutes to switch a node on and the minute to
    /// switch it off are our own choice.
    fn default() -> Durations {
        let table = |pairs: &[(f64, f64)]| ByMemory(pairs.to_vec());
        Durations {
            run_s: 6.0,
            stop_s: 25.0,
            migrate: table(&[(1_024.0, 19.0), (2_048.0, 26.0)]),
            suspend: table(&[(2_048.0, 90.0)]),
            local_resume: table(&[(2_048.0, 90.0)]),
            remote_resume: table(&[(2_048.0, 180.0)]),
            doze_s: 1.0,
            boot_s: 120.0,
            shutdown_s: 60.0,
            contention: 0.0,
            storage_contention: 0.0,
            local_slowdown: 1.3,
            remote_slowdown: 1.5,
        }
    }
}

/// A value in a table of durations that is out of its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field}: expected {least} to 1000000, found {found}")]
pub struct DurationOutOfRange {
    /// Name of the field.
    pub field: &'static str,
    /// Smallest valid value.
    pub least: f64,
    /// Value found.
    pub found: f64,
}

impl Durations {
    /// Checks the ranges of all numbers: times from 0, slowdowns from 1, all up to 10^6.
    ///
    /// # Errors
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), DurationOutOfRange> {
        let all = [
            ("run_s", self.run_s, 0.0),
            ("stop_s", self.stop_s, 0.0),
            ("doze_s", self.doze_s, 0.0),
            ("boot_s", self.boot_s, 0.0),
            ("shutdown_s", self.shutdown_s, 0.0),
            ("contention", self.contention, 0.0),
            ("storage_contention", self.storage_contention, 0.0),
            ("local_slowdown", self.local_slowdown, 1.0),
            ("remote_slowdown", self.remote_slowdown, 1.0),
        ];
        match all.into_iter().find(|(_, found, least)| !(*least..=1e6).contains(found)) {
            Some((field, found, least)) => Err(DurationOutOfRange { field, least, found }),
            None => Ok(()),
        }
    }

    /// Returns whether actions slow each other down.
    pub(crate) const fn has_contention(&self) -> bool {
        self.contention > 0.0 || self.storage_contention > 0.0
    }

    /// Returns the time to boot a VM.
    pub fn run(&self) -> SimSpan {
        span(self.run_s)
    }
    /// Returns the time to switch a node on.
    pub fn boot(&self) -> SimSpan {
        span(self.boot_s)
    }
    /// Returns the time to switch a node off.
    pub fn shutdown(&self) -> SimSpan {
        span(self.shutdown_s)
    }
}

pub(crate) fn span(seconds: f64) -> SimSpan {
    SimSpan::try_from_secs_f64(seconds.min(1e9)).unwrap_or(SimSpan::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_on_lines_between_and_beyond_the_pairs() {
        let migrate = Durations::default().migrate;
        assert_eq!(
            [512.0, 1_024.0, 1_536.0, 2_048.0, 4_096.0].map(|memory| migrate.seconds(memory)),
            [15.5, 19.0, 22.5, 26.0, 40.0]
        );
        let resume = Durations::default().remote_resume;
        assert_eq!([512.0, 2_048.0].map(|memory| resume.seconds(memory)), [45.0, 180.0]);
        let falling = ByMemory::try_from(vec![(1.0, 10.0), (2.0, 5.0)]).unwrap();
        assert_eq!(falling.seconds(100.0), 0.0);
        for wrong in [vec![], vec![(0.0, 1.0)], vec![(2.0, 1.0), (1.0, 2.0)], vec![(1.0, -1.0)]] {
            assert_eq!(ByMemory::try_from(wrong), Err(InvalidByMemory));
        }
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        assert_eq!(Durations::default().check(), Ok(()));
        let fast = Durations { local_slowdown: 0.5, ..Durations::default() };
        assert_eq!(fast.check().unwrap_err().to_string(), "local_slowdown: expected 1 to 1000000, found 0.5");
    }
}
