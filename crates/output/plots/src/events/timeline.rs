//! Figures of the CPU in use and the jobs in the system over simulated time.

use super::device_timeline::DeviceTimeline;
use super::devices::NodeDevices;
use super::fault::EventsError;
use super::replay::{Change, Job, Observer, Phase, replay};
use super::thin::{Step, thin};
use crate::axis::Axis;
use crate::chart::{Frame, ONE_PANEL};
use crate::figure::Figure;
use crate::line::{self, Line};
use crate::scale::Scale;
use crate::size::FigureSize;
use crate::table::Csv;
use dfrsim_lab::{Join, range};
use dfrsim_model::platform::device_use::DeviceLevels;
use dfrsim_model::platform::devices::DeviceRequest;
use dfrsim_model::{CpuUse, SimTime};
use std::path::Path;

/// Number of time spans whose extremes are kept.
const SPANS: u64 = 700;
const NAMES: [&str; 4] = ["CPU in use", "running", "waiting", "paused"];
const DEVICE_NAMES: [&str; 2] = ["held", "useless"];

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
    devices: DeviceTimeline,
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
    fn before_change(&mut self, at: u64, job: &Job, change: Change) {
        self.count(at, job, |count| count - 1, |all, own| all - own);
        self.devices.before_change(at, job, change);
    }
    fn after_change(&mut self, at: u64, job: &Job, change: Change) {
        self.count(at, job, |count| count + 1, |all, own| all + own);
        self.devices.after_change(at, job, change);
    }
    fn begin_with_devices(&mut self, nodes: &NodeDevices) {
        self.devices.begin_with_devices(nodes);
    }
    fn devices_requested(&mut self, job: &Job, request: DeviceRequest) {
        self.devices.devices_requested(job, request);
    }
    fn devices_bound(&mut self, at: u64, job: &Job, on: &[(u32, u32, u32)]) {
        self.devices.devices_bound(at, job, on);
    }
}

/// Draws the CPU in use, as a fraction of all nodes, and the numbers of running, waiting and paused
/// jobs. If nodes have devices, a third panel has the parts of them that tasks hold, and the free
/// parts that are [useless](dfrsim_model::platform::device_use::DeviceUse) to the mean task submitted
/// so far.
///
/// Long files are thinned to at most 2,800 steps per line; the extremes of every time span are kept.
///
/// # Errors
/// Returns an error if the file cannot be read, is incomplete or is not an events file.
pub fn draw_timeline(path: &Path, size: FigureSize) -> Result<Figure, EventsError> {
    let mut timeline = Timeline::default();
    let run = replay(path, &mut timeline)?;
    timeline.settle();
    timeline.devices.settle();
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
        let steps = timeline.states.iter().map(|(at, state)| (*at, value(state) / unit)).collect();
        lines.push(line_of(steps, end, (name, usize::from(number > 0), number), &mut csv));
    }
    // Without a pause the legend has no line for it; the data have.
    if timeline.states.iter().all(|(_, state)| state.paused == 0) {
        lines.pop();
    }
    let most = range(lines[1..].iter().flat_map(|line| &line.points).map(|point| point.1))
        .map_or(1.0, |range| range.1);
    let of_devices: [fn(&DeviceLevels) -> u64; 2] = [|levels| levels.held, |levels| levels.useless];
    let levels = &timeline.devices.levels;
    let of_devices = DEVICE_NAMES.iter().zip(of_devices).zip(NAMES.len()..);
    for ((name, value), style) in of_devices.filter(|_| !levels.is_empty()) {
        let part = |levels: &DeviceLevels| value(levels) as f64 / levels.all.max(1) as f64;
        let steps = levels.iter().map(|(at, levels)| (*at, part(levels))).collect();
        lines.push(line_of(steps, end, (name, 2, style), &mut csv));
    }
    let begin = timeline.states.first().map_or(0, |(at, _)| *at);
    let (x, unit) = Scale::time(SimTime::from_micros(begin), SimTime::from_micros(end));
    let panel = |title: &str, scale| (Axis::new(title, scale), ONE_PANEL * 55 / 100);
    let mut panels = vec![
        panel("CPU in use (fraction)", Scale::linear(0.0, 1.0, 5)),
        panel("jobs", Scale::linear(0.0, most.max(1.0), 5)),
    ];
    if !levels.is_empty() {
        panels.push(panel("devices (fraction)", Scale::linear(0.0, 1.0, 5)));
    }
    let frame = Frame {
        title: run.title(),
        remarks: mean_cpu(&timeline.states, end, all).into_iter().collect(),
        x: Axis::new(format!("time [{unit}]"), x),
        panels,
        names: Vec::new(),
        size,
    };
    Ok(Figure {
        stem: "timeline".to_owned(),
        picture: line::draw(frame, &lines),
        csv: csv.finish(),
        remarks: Vec::new(),
    })
}

/// Formats the mean CPU in use over time, as a fraction of all CPU; `None` if no time passes.
fn mean_cpu(states: &[(u64, State)], end: u64, all: f64) -> Option<String> {
    let ends = states.iter().skip(1).map(|(at, _)| *at).chain([end]);
    let used = states.iter().zip(ends).map(|((from, state), to)| state.cpu as f64 * (to - from) as f64);
    let (used, span) = (used.sum::<f64>(), end - states.first()?.0);
    (span > 0).then(|| format!("Mean CPU in use: {:.3} of all nodes.", used / all / span as f64))
}

/// Reduces a step function, writes it to the data, and makes a line of it in a panel.
fn line_of(
    mut steps: Vec<Step>,
    end: u64,
    (name, panel, style): (&str, usize, usize),
    csv: &mut Csv,
) -> Line {
    steps.dedup_by_key(|step| step.1);
    let steps = thin(&steps, SPANS);
    for (at, value) in &steps {
        csv.line([&name, &SimTime::from_micros(*at), value]);
    }
    let mut points: Vec<(f64, f64)> =
        steps.iter().map(|&(at, value)| (SimTime::from_micros(at).as_secs_f64(), value)).collect();
    if let Some(&(_, last)) = points.last() {
        points.push((SimTime::from_micros(end).as_secs_f64(), last));
    }
    Line { panel, name: name.to_owned(), style, points, intervals: Vec::new(), join: Join::Steps }
}
