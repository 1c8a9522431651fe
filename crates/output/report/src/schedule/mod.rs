//! An interactive chart of a schedule: jobs on nodes over time, with the life of each job, for pages without a network.

mod columns;
mod lives;
mod markup;

pub(crate) use markup::{SCRIPT, STYLE, figure};

use dfrsim_plots::replay::{GridRun, replay, replay_grid};
use dfrsim_plots::{EventsError, Window};
use lives::{Limits, Lives};
use serde::Serialize;
use std::path::Path;

/// What happened to the jobs of an events file, ready for a page.
///
/// Up to a million stays of jobs on nodes are kept; a longer file is shown up to there, with a remark.
#[derive(Clone, Debug)]
pub struct Schedule {
    title: String,
    remark: Option<String>,
    jobs: usize,
    /// What the script needs to know beside the columns.
    head: Head,
    /// The columns, compressed, in base 64.
    data: String,
}

/// Times are in units.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Head {
    jobs: usize,
    stays: usize,
    pieces: usize,
    runs: usize,
    queued: usize,
    /// The unit of all times, in microseconds.
    unit_us: u64,
    /// What is shown.
    from: u64,
    to: u64,
    /// The tau of the bounded stretch; 0 in a grid, which has none.
    tau: u64,
    /// Lanes that belong together, with their names: the nodes of a cluster.
    clusters: Vec<(String, u32)>,
    /// What a lane is: `node`, or `core` in a grid.
    lane: &'static str,
}

impl Schedule {
    /// The schedule of an events file of a cluster or a grid.
    ///
    /// # Errors
    /// If the file cannot be read, is not complete or is not an events file, or no job runs in the window.
    pub fn read(path: &Path, window: Window) -> Result<Schedule, EventsError> {
        Schedule::limited(path, window, Limits::of_a_page())
    }

    fn limited(path: &Path, window: Window, limits: Limits) -> Result<Schedule, EventsError> {
        let mut lives = Lives::new(window, limits);
        let (title, tau, lane, clusters) = match replay_grid(path, &mut lives)? {
            Some(GridRun { local, cores }) => {
                let named = |(number, &cores): (usize, &u32)| (format!("cluster {number}"), cores);
                let clusters: Vec<_> = cores.iter().enumerate().map(named).collect();
                (format!("{local}, {} clusters", cores.len()), 0, "core", clusters)
            }
            None => {
                let run = replay(path, &mut lives)?;
                let title = format!("{}, {} nodes", run.policy, run.nodes);
                (title, run.tau, "node", vec![(String::new(), run.nodes)])
            }
        };
        let cut = lives.cut();
        let Some(columns) = lives.finish(tau) else {
            let lacking = "no job runs in the time that is to be drawn";
            return Err(EventsError::Empty { path: path.to_owned(), lacking });
        };
        let head = Head {
            jobs: columns.counts.jobs,
            stays: columns.counts.stays,
            pieces: columns.counts.pieces,
            runs: columns.counts.runs,
            queued: columns.counts.queued,
            unit_us: columns.unit,
            from: columns.from,
            to: columns.to,
            tau: columns.tau,
            clusters,
            lane,
        };
        let remark = cut.map(|cut| {
            format!("The schedule is too long for a page: what happens after second {cut} is left out.")
        });
        Ok(Schedule { title, remark, jobs: head.jobs, head, data: columns.data })
    }

    /// What was simulated: the policy and the nodes.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The same schedule under another title.
    #[must_use]
    pub fn with_title(self, title: String) -> Schedule {
        Schedule { title, ..self }
    }

    /// How many jobs are in it.
    #[must_use]
    pub const fn jobs(&self) -> usize {
        self.jobs
    }
}
