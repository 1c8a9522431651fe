//! Figures of events files.

mod attributes;
mod categories;
mod cpus;
mod device_timeline;
mod devices;
mod fault;
mod gantt;
mod grid;
mod layout;
mod life;
mod lives;
mod power;
mod replay;
mod stretch;
mod thin;
mod timeline;
mod waits;

pub use attributes::JobAttributes;
pub use categories::ColourBy;
pub use cpus::NodeCpus;
pub use devices::NodeDevices;
pub use fault::{EventsError, EventsLineError};
pub use gantt::{draw_gantt, draw_gantt_of_devices};
pub(crate) use life::merge_nodes;
pub use life::{Down, JobHistory, NodeRun, Queued, Stay, assign_rows};
pub use lives::{JobHistories, Limits, Window};
pub use power::draw_power;
pub use replay::Change;
pub use stretch::{StretchForm, draw_stretch};
pub use timeline::draw_timeline;
pub use waits::{WaitsBy, draw_waits};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::FigureSize;
    use crate::tests::legible::assert_legible;
    use dfrsim_cluster::{EventLog, Metrics, Options, SummaryOptions, simulate};
    use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
    use dfrsim_policies::{Policy, PolicyOptions};
    use std::fs;

    const POLICIES: [&str; 4] = ["FCFS", "EASY", "EQUIPARTITION", "GreedyPM*/per/OPT=MIN"];

    /// Draws all figures of a crowded cluster, under every kind of policy, on few nodes and on many.
    #[test]
    fn everything_is_drawn_and_legible() {
        let folder = tempfile::tempdir().unwrap();
        for nodes in [3, 150] {
            let mut paths = Vec::new();
            for (policy, number) in POLICIES.into_iter().zip(0..) {
                let path = folder.path().join(format!("{number}.jsonl"));
                fs::write(&path, events(policy, nodes)).unwrap();
                assert_legible(
                    &draw_gantt(&path, Window::default(), ColourBy::Size, FigureSize::default()).unwrap(),
                );
                let window =
                    Window { from: Some(SimTime::from_secs(900)), to: Some(SimTime::from_secs(2_000)) };
                assert_legible(&draw_gantt(&path, window, ColourBy::Job, FigureSize::default()).unwrap());
                for size in
                    [FigureSize::default(), FigureSize::new(Some(12.0), Some(7.0), Some(8.0)).unwrap()]
                {
                    assert_legible(&draw_waits(&path, WaitsBy::All, Some(3_600), size).unwrap());
                    assert_legible(&draw_gantt(&path, window, ColourBy::Stretch, size).unwrap());
                }
                let error = draw_waits(&path, WaitsBy::User, None, FigureSize::default()).unwrap_err();
                assert!(error.to_string().ends_with("known user; there are rows by: all"), "{error}");
                assert_legible(&draw_timeline(&path, FigureSize::default()).unwrap());
                paths.push(path);
            }
            // The same policy occurs twice, so file names must distinguish the samples.
            paths.push(folder.path().join("again.jsonl"));
            fs::copy(&paths[0], &paths[4]).unwrap();
            for form in [StretchForm::Ecdf, StretchForm::Boxes] {
                let figure = draw_stretch(&paths, form, FigureSize::default()).unwrap();
                assert_legible(&figure);
                assert!(figure.csv.contains("FCFS (0),") && figure.csv.contains("FCFS (again),"));
            }
        }
    }

    /// Checks that many pauses and moves are counted, each once, instead of being marked.
    #[test]
    fn many_changes_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("many.jsonl");
        let events = events_of_jobs(400, POLICIES[3], 8);
        fs::write(&path, &events).unwrap();
        let figure = draw_gantt(&path, Window::default(), ColourBy::Job, FigureSize::default()).unwrap();
        assert_legible(&figure);
        let text = String::from_utf8(events).unwrap();
        let count = |kind: &str| text.matches(&format!("\"event\":\"{kind}\"")).count();
        let remark = format!("{} pauses and {} moves, too many", count("pause"), count("migrate"));
        assert!(figure.picture.svg().contains(&remark), "{remark}");
    }

    fn events(policy: &str, nodes: u32) -> Vec<u8> {
        events_of_jobs(40, policy, nodes)
    }

    fn events_of_jobs(count: u64, policy: &str, nodes: u32) -> Vec<u8> {
        let jobs: Vec<Job> = (0..count)
            .map(|id| Job {
                id: JobId(10_000 + id),
                submit: SimTime::from_secs(id * 40),
                tasks: 1 + (id as u32 * 7) % nodes,
                cpu_need: Share::from_ratio(1 + id % 4, 4),
                memory: Share::from_ratio(1 + id % 3, 10),
                run_time: SimSpan::from_secs(10 + (id * 97) % 600),
                ..Job::default()
            })
            .collect();
        let known: Policy = policy.parse().unwrap();
        let penalty = SimSpan::from_secs(20);
        let options = Options { penalty, ..Options::default() };
        let mut watchers = (
            Metrics::new(SummaryOptions::new(nodes)),
            EventLog::new(Vec::new(), policy, nodes, penalty, SimSpan::from_secs(10)),
        );
        let mut scheduler = known.scheduler(nodes, &PolicyOptions::default());
        simulate(nodes, &options, jobs, &mut *scheduler, &mut watchers).unwrap();
        let (metrics, log) = watchers;
        log.finish(&metrics.summary().unwrap()).unwrap()
    }
}
