//! Writes an events file.

use crate::{Observer, Occurrence, Summary};
use dfrsim_model::event::{FORMAT_VERSION, Record};
use dfrsim_model::{NodeTasks, SimSpan, SimTime, Yield};
use std::io::{self, Write};

/// An observer that writes every occurrence as one line of JSON (see [`dfrsim_model::event`]).
#[derive(Debug)]
pub struct EventLog<W> {
    out: W,
    /// The first write that failed; nothing is written after it.
    failed: Option<io::Error>,
}

impl<W: Write> EventLog<W> {
    /// Begins an events file with its `run` line; wrap files in a `BufWriter`.
    pub fn new(out: W, policy: &str, nodes: u32, penalty: SimSpan) -> EventLog<W> {
        let mut log = EventLog { out, failed: None };
        log.write(&Record::Run {
            format: FORMAT_VERSION,
            policy: policy.into(),
            nodes,
            penalty_us: penalty.micros(),
        });
        log
    }

    /// Ends the file with its `summary` line, and hands the writer back.
    ///
    /// # Errors
    /// If any write failed.
    pub fn finish(mut self, summary: &Summary) -> io::Result<W> {
        let (tau, bounded) = summary.bounded_stretch[0];
        self.write(&Record::Summary {
            completed: (summary.jobs + summary.trimmed) as u64,
            rejected: summary.rejected,
            makespan_us: summary.makespan.micros(),
            max_stretch: summary.stretch.max,
            tau_us: tau.micros(),
            max_bounded_stretch: bounded.max,
            mean_bounded_stretch: bounded.mean,
            mean_turnaround_s: summary.turnaround.mean,
            utilisation: summary.utilisation,
            pauses: summary.pauses,
            migrations: summary.migrations,
            migrated_tasks: summary.migrated_tasks,
        });
        self.failed.map_or_else(|| self.out.flush().map(|()| self.out), Err)
    }

    fn write(&mut self, record: &Record<'_>) {
        if self.failed.is_none() {
            let written = serde_json::to_writer(&mut self.out, record).map_err(io::Error::from);
            self.failed = written.and_then(|()| self.out.write_all(b"\n")).err();
        }
    }
}

impl<W: Write> Observer for EventLog<W> {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        let at_us = now.micros();
        let on = |placement: &[NodeTasks]| placement.iter().map(|part| (part.node.0, part.tasks)).collect();
        let units = |job_yield: Yield| job_yield.units();
        self.write(&match occurrence {
            Occurrence::Submitted(submitted) => Record::Submit {
                at_us,
                job,
                id: submitted.id.0,
                tasks: submitted.tasks,
                need: submitted.need.units(),
                memory: submitted.memory.units(),
                run_us: submitted.run_time.micros(),
            },
            Occurrence::Started(placement, job_yield) => {
                Record::Start { at_us, job, on: on(placement), job_yield: units(job_yield) }
            }
            Occurrence::Paused(_) => Record::Pause { at_us, job },
            Occurrence::Resumed(placement, job_yield) => {
                Record::Resume { at_us, job, on: on(placement), job_yield: units(job_yield) }
            }
            Occurrence::Migrated(placement, job_yield, ..) => {
                Record::Migrate { at_us, job, on: on(placement), job_yield: units(job_yield) }
            }
            Occurrence::YieldChanged(job_yield) => Record::Yield { at_us, job, job_yield: units(job_yield) },
            Occurrence::Rejected => Record::Reject { at_us, job },
            Occurrence::Completed(_) => Record::Complete { at_us, job },
        });
    }
}
