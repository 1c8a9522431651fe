//! Helpers for simulating and drawing in tests.

use dfrsim_cluster::{EventLog, Metrics, Options, SummaryOptions, simulate};
use dfrsim_model::{Job, SimSpan};
use dfrsim_plots::{ColourBy, Figure, FigureSize, Window, draw_gantt};
use dfrsim_policies::{Policy, PolicyOptions};
use std::fs;
use std::io::Write as _;
use tempfile::NamedTempFile;

/// Creates a file with this text.
pub(crate) fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// Creates the events file of a simulation.
pub(crate) fn events(policy: &str, nodes: u32, penalty: SimSpan, jobs: &[Job]) -> NamedTempFile {
    let known: Policy = policy.parse().unwrap();
    let options = Options { penalty, ..Options::default() };
    let mut watchers = (
        Metrics::new(SummaryOptions::new(nodes)),
        EventLog::new(Vec::new(), policy, nodes, penalty, SimSpan::from_secs(10)),
    );
    let mut scheduler = known.scheduler(nodes, &PolicyOptions::default());
    simulate(nodes, &options, jobs.to_vec(), &mut *scheduler, &mut watchers).unwrap();
    let (metrics, log) = watchers;
    let bytes = log.finish(&metrics.summary().unwrap()).unwrap();
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    file
}

/// Draws the Gantt chart of a whole events file.
pub(crate) fn gantt(events: &NamedTempFile) -> Figure {
    draw_gantt(events.path(), Window::default(), ColourBy::Job, FigureSize::default()).unwrap()
}

/// Row of a Gantt chart's data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Residency {
    pub(crate) job: u64,
    pub(crate) node: u32,
    pub(crate) tasks: u32,
    pub(crate) time: [f64; 2],
    pub(crate) cpu: [f64; 2],
    pub(crate) job_yield: f64,
    pub(crate) edges: [String; 2],
}

/// Parses the data of a Gantt chart.
pub(crate) fn stays(figure: &Figure) -> Vec<Residency> {
    let mut lines = figure.csv.lines();
    assert_eq!(lines.next(), Some("job_id,node,tasks,from_s,to_s,cpu_from,cpu_to,yield,begin,end"));
    let stay = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |index: usize| fields[index].parse::<f64>().unwrap();
        Residency {
            job: fields[0].parse().unwrap(),
            node: fields[1].parse().unwrap(),
            tasks: fields[2].parse().unwrap(),
            time: [number(3), number(4)],
            cpu: [number(5), number(6)],
            job_yield: number(7),
            edges: [fields[8].to_owned(), fields[9].to_owned()],
        }
    };
    lines.map(stay).collect()
}
