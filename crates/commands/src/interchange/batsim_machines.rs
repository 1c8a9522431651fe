//! Batsim's file of machine states.

use dfrsim_cluster::{NodeRange, Observer, Occurrence, Placement};
use dfrsim_model::SimTime;
use std::collections::BTreeMap;
use std::io::{self, Write};

const HEADER: &str = "time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n";

/// Writes the columns of Batsim's `_machine_states.csv`: from which second on this many nodes compute and are idle.
///
/// A node computes while at least one task is on it, regardless of their number and their shares; nodes never sleep
/// or switch. The first line is at the first submission, then there is one for each moment that changes the counts,
/// with the counts after all that happened at that moment. This file is exact for fractional schedules too.
#[derive(Debug)]
pub struct BatsimMachines<W> {
    out: W,
    /// The first write that failed; no more is written after it.
    failed: Option<io::Error>,
    /// For each node, how many jobs have tasks on it.
    jobs: Vec<u32>,
    /// The nodes of each running job.
    placements: BTreeMap<u64, Vec<NodeRange>>,
    /// How many nodes have a job.
    computing: u32,
    /// The moment at hand.
    now: Option<SimTime>,
    /// The count of the last line.
    written: Option<u32>,
}

impl<W: Write> BatsimMachines<W> {
    /// Begins the file of a cluster of this many nodes with its header; wrap files in a `BufWriter`.
    pub fn new(mut out: W, nodes: u32) -> BatsimMachines<W> {
        let failed = out.write_all(HEADER.as_bytes()).err();
        BatsimMachines {
            out,
            failed,
            jobs: vec![0; nodes as usize],
            placements: BTreeMap::new(),
            computing: 0,
            now: None,
            written: None,
        }
    }

    /// Writes what is left, and hands the writer back.
    ///
    /// # Errors
    /// If any write failed.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_moment();
        self.failed.map_or_else(|| self.out.flush().map(|()| self.out), Err)
    }

    /// All that happened at the moment at hand is known.
    fn end_moment(&mut self) {
        let Some(now) = self.now.filter(|_| self.written != Some(self.computing) && self.failed.is_none())
        else {
            return;
        };
        let idle = self.jobs.len() - self.computing as usize;
        self.failed = writeln!(self.out, "{now},0,0,0,{idle},{}", self.computing).err();
        self.written = Some(self.computing);
    }

    fn take(&mut self, job: u64, placement: Placement<'_>) {
        self.release(job);
        for range in placement.ranges() {
            for jobs in &mut self.jobs[range.indices()] {
                self.computing += u32::from(*jobs == 0);
                *jobs += 1;
            }
        }
        self.placements.insert(job, placement.ranges().to_vec());
    }

    fn release(&mut self, job: u64) {
        for range in self.placements.remove(&job).unwrap_or_default() {
            for jobs in &mut self.jobs[range.indices()] {
                *jobs -= 1;
                self.computing -= u32::from(*jobs == 0);
            }
        }
    }
}

impl<W: Write> Observer for BatsimMachines<W> {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        if self.now != Some(now) {
            self.end_moment();
            self.now = Some(now);
        }
        match occurrence {
            Occurrence::Started(placement, _)
            | Occurrence::Resumed(placement, _)
            | Occurrence::Migrated(placement, ..) => self.take(job, placement),
            Occurrence::Paused(_)
            | Occurrence::Completed(_)
            | Occurrence::Killed(_)
            | Occurrence::Interrupted(..)
            | Occurrence::Lost(..) => self.release(job),
            Occurrence::Submitted(..)
            | Occurrence::Linked(_)
            | Occurrence::Asked(..)
            | Occurrence::YieldChanged(_)
            | Occurrence::Rejected => {}
        }
    }
}
