//! Writer of Batsim's file of machine states.

use dfrsim_cluster::{NodeRange, Observer, Occurrence, Placement};
use dfrsim_model::SimTime;
use std::collections::BTreeMap;
use std::io::{self, Write};

const HEADER: &str = "time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n";

/// Writer of the columns of Batsim's `_machine_states.csv`: the numbers of computing and idle nodes
/// over time.
///
/// A node is computing while it has at least one task, regardless of their number and their shares;
/// nodes never sleep or switch. The first line is at the first submission. A further line follows
/// for each time at which the counts change, with the counts after all events of that time. This
/// file is exact for fractional schedules too.
#[derive(Debug)]
pub struct BatsimMachines<W> {
    out: W,
    /// First write error; nothing is written after it.
    write_error: Option<io::Error>,
    /// Number of jobs with tasks on each node.
    jobs: Vec<u32>,
    /// Nodes of each running job.
    placements: BTreeMap<u64, Vec<NodeRange>>,
    /// Number of nodes with at least one job.
    computing: u32,
    /// Time of the current events.
    now: Option<SimTime>,
    /// Number of computing nodes in the last line.
    written: Option<u32>,
}

impl<W: Write> BatsimMachines<W> {
    /// Starts the file for a cluster of this many nodes with its header. Files should be wrapped in
    /// a `BufWriter`.
    pub fn new(mut out: W, nodes: u32) -> BatsimMachines<W> {
        let write_error = out.write_all(HEADER.as_bytes()).err();
        BatsimMachines {
            out,
            write_error,
            jobs: vec![0; nodes as usize],
            placements: BTreeMap::new(),
            computing: 0,
            now: None,
            written: None,
        }
    }

    /// Writes the last line, and returns the writer.
    ///
    /// # Errors
    ///
    /// A write failed.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_time_step();
        self.write_error.map_or_else(|| self.out.flush().map(|()| self.out), Err)
    }

    /// Writes a line after the last event of the current time, if the counts have changed.
    fn end_time_step(&mut self) {
        let Some(now) =
            self.now.filter(|_| self.written != Some(self.computing) && self.write_error.is_none())
        else {
            return;
        };
        let idle = self.jobs.len() - self.computing as usize;
        self.write_error = writeln!(self.out, "{now},0,0,0,{idle},{}", self.computing).err();
        self.written = Some(self.computing);
    }

    fn allocate(&mut self, job: u64, placement: Placement<'_>) {
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
            self.end_time_step();
            self.now = Some(now);
        }
        match occurrence {
            Occurrence::Started(placement, _)
            | Occurrence::Resumed(placement, _)
            | Occurrence::Migrated(placement, ..) => self.allocate(job, placement),
            Occurrence::Paused(_)
            | Occurrence::Completed(_)
            | Occurrence::Killed(_)
            | Occurrence::Interrupted(..)
            | Occurrence::Lost(..) => self.release(job),
            Occurrence::Submitted(..)
            | Occurrence::Linked(_)
            | Occurrence::Asked(..)
            | Occurrence::Bound(_)
            | Occurrence::Woken(_)
            | Occurrence::YieldChanged(_)
            | Occurrence::Rejected => {}
        }
    }
}
