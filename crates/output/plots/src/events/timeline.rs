//! Figures of the CPU in use and the jobs in the system over simulated time.

use super::fault::EventsError;
use super::replay::{Change, Job, Observer, Phase, replay};
use super::thin::{Step, thin};
use crate::axis::Axis;
use crate::chart::{Frame, ONE_PANEL};
use crate::figure::Figure;
use crate::line::{self, Line};
use crate::scale::Scale;
use crate::table::Csv;
use dfrsim_lab::{Join, range};
use dfrsim_model::{CpuUse, SimTime};
use std::path::Path;

/// Number of time spans whose extremes are kept.
const SPANS: u64 = 700;
const NAMES: [&str; 4] = ["CPU in use", "running", "waiting", "paused"];

/// State of the cluster at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    /// CPU in use, in units of [`CpuUse`].
    cpu: u128,
    running: u64,
    waiting: u64,
    paused: u64,
}

/// States over time; intermediate states within one time are dropped.
#[derive(Default)]
struct Timeline {
    states: Vec<(u64, State)>,
    /// Time of the last event, if there was one.
    now: Option<u64>,
    state: State,
}

impl Timeline {
    /// Updates the number of jobs in the job's phase, and the CPU in use.
    fn count(&mut self, at: u64, job: &Job, change: impl Fn(u64) -> u64, cpu: impl Fn(u128, u128) -> u128) {
        if self.now != Some(at) {
            self.settle();
            self.now = Some(at);
        }
        let state = &mut self.state;
        let phase = match job.phase {
            Phase::Running => &mut state.running,
            Phase::Waiting => &mut state.waiting,
            Phase::Paused => &mut state.paused,
        };
        *phase = change(*phase);
        state.cpu = cpu(state.cpu, job.on.iter().map(|&(_, tasks)| job.cpu_of(tasks)).sum());
    }

    fn settle(&mut self) {
        if let Some(now) = self.now {
            self.states.push((now, self.state));
        }
    }
}

impl Observer for Timeline {
    fn before_change(&mut self, at: u64, job: &Job, _: Change) {
        self.count(at, job, |count| count - 1, |all, own| all - own);
    }
    fn after_change(&mut self, at: u64, job: &Job, _: Change) {
        self.count(at, job, |count| count + 1, |all, own| all + own);
    }
}

/// Draws the CPU in use, as a fraction of all nodes, and the numbers of running, waiting and paused
/// jobs.
///
/// Long files are thinned to at most 2,800 steps per line; the extremes of every time span are kept.
///
/// # Errors
/// Returns an error if the file cannot be read, is incomplete or is not an events file.
pub fn draw_timeline(path: &Path) -> Result<Figure, EventsError> {
    let mut timeline = Timeline::default();
    let run = replay(path, &mut timeline)?;
    timeline.settle();
    let Some(end) = timeline.states.last().map(|(at, _)| *at).filter(|_| run.nodes > 0) else {
        return Err(EventsError::undrawable(path, "the cluster has no nodes"));
    };
    let parts = run.cpus.parts(run.nodes);
    let all =
        parts.iter().map(|(nodes, part)| f64::from(*nodes) * part).sum::<f64>() * CpuUse::ONE.units() as f64;
    let values: [fn(&State) -> f64; 4] = [
        |state| state.cpu as f64,
        |state| state.running as f64,
        |state| state.waiting as f64,
        |state| state.paused as f64,
    ];
    let mut csv = Csv::new(["series", "from_s", "value"]);
    let mut lines = Vec::new();
    for (number, (name, value)) in NAMES.iter().zip(values).enumerate() {
        let unit = if number == 0 { all } else { 1.0 };
        let mut steps: Vec<Step> =
            timeline.states.iter().map(|(at, state)| (*at, value(state) / unit)).collect();
        steps.dedup_by_key(|step| step.1);
        let steps = thin(&steps, SPANS);
        for (at, value) in &steps {
            csv.line([name, &SimTime::from_micros(*at), value]);
        }
        let mut points: Vec<(f64, f64)> =
            steps.iter().map(|&(at, value)| (SimTime::from_micros(at).as_secs_f64(), value)).collect();
        if let Some(&(_, last)) = points.last() {
            points.push((SimTime::from_micros(end).as_secs_f64(), last));
        }
        let panel = usize::from(number > 0);
        lines.push(Line { panel, name: (*name).to_owned(), points, join: Join::Steps });
    }
    let most = range(lines[1..].iter().flat_map(|line| &line.points).map(|point| point.1))
        .map_or(1.0, |range| range.1);
    let begin = timeline.states.first().map_or(0, |(at, _)| *at);
    let (x, unit) = Scale::time(SimTime::from_micros(begin), SimTime::from_micros(end));
    let panel = |title: &str, scale| (Axis::new(title, scale), ONE_PANEL * 55 / 100);
    let frame = Frame {
        title: run.title(),
        remarks: Vec::new(),
        x: Axis::new(format!("time [{unit}]"), x),
        panels: vec![
            panel("CPU in use (fraction)", Scale::linear(0.0, 1.0, 5)),
            panel("jobs", Scale::linear(0.0, most.max(1.0), 5)),
        ],
        names: Vec::new(),
    };
    Ok(Figure {
        stem: "timeline".to_owned(),
        picture: line::draw(frame, &lines),
        csv: csv.finish(),
        remarks: Vec::new(),
    })
}
