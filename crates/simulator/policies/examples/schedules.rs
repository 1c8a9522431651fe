//! Draws the schedules of five jobs on four nodes under a batch policy and under a fractional one:
//! the figure of the README.
//!
//! `cargo run --example schedules > results/schedules.svg`

use dfrsim_cluster::{Observer, Occurrence, Options, simulate};
use dfrsim_model::{Job, JobId, NodeTasks, Share, SimSpan, SimTime, Yield, stretch};
use dfrsim_policies::{Policy, PolicyOptions};
use std::collections::BTreeMap;
use svg::Document;
use svg::node::element::{Group, Line, Rectangle, Text, Title};

const NODES: u32 = 4;
/// Submit time and run time in seconds, and number of tasks; each task can use a whole node.
const JOBS: [(u64, u64, u32); 5] = [(0, 60, 3), (10, 40, 4), (20, 15, 1), (30, 10, 2), (40, 5, 1)];
/// Okabe and Ito's palette, which colour-blind readers can distinguish.
const COLOURS: [&str; 5] = ["#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442"];

const SECOND: f64 = 4.6;
const NODE: f64 = 30.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 44.0;
const PANEL: f64 = 220.0;
const SECONDS: f64 = 135.0;

/// Running jobs, and one rectangle for each job, node and interval of constant yield.
#[derive(Default)]
struct Gantt {
    running: BTreeMap<u64, (Vec<NodeTasks>, Yield)>,
    since: SimTime,
    bars: Vec<Bar>,
    worst: f64,
}

struct Bar {
    job: u64,
    node: u32,
    from: SimTime,
    to: SimTime,
    /// Sum of the CPU shares of the jobs drawn below this one on the node.
    below: f64,
    share: f64,
}

impl Gantt {
    fn draw_until(&mut self, now: SimTime) {
        if now > self.since {
            let mut used = [0.0; NODES as usize];
            for (&job, (placement, job_yield)) in &self.running {
                for part in placement {
                    let share = f64::from(part.tasks) * job_yield.as_f64();
                    let below = used[part.node.index()];
                    used[part.node.index()] += share;
                    self.bars.push(Bar { job, node: part.node.0, from: self.since, to: now, below, share });
                }
            }
        }
        self.since = now;
    }
}

impl Observer for Gantt {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.draw_until(now);
        match occurrence {
            Occurrence::Started(placement, pace) => {
                self.running.insert(job, (placement.to_vec(), pace.job_yield));
            }
            Occurrence::YieldChanged(pace) => {
                self.running.entry(job).and_modify(|running| running.1 = pace.job_yield);
            }
            Occurrence::Completed(record) => {
                self.running.remove(&job);
                self.worst = self.worst.max(stretch::stretch(record.turnaround(), record.run_time));
            }
            _ => {}
        }
    }
}

fn text(x: f64, y: f64, size: u32, anchor: &str, content: String) -> Text {
    Text::new(content)
        .set("x", x)
        .set("y", y)
        .set("font-size", size)
        .set("text-anchor", anchor)
        .set("font-family", "sans-serif")
}

fn panel(policy: &str, kind: &str, top: f64) -> Group {
    let jobs = JOBS.iter().zip(1..).map(|(&(submit, run, tasks), id)| Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks,
        memory: Share::from_ratio(1, 10),
        run_time: SimSpan::from_secs(run),
        ..Job::default()
    });
    let mut gantt = Gantt::default();
    let known: Policy = policy.parse().expect("the policy name must be valid");
    simulate(
        NODES,
        &Options::default(),
        jobs,
        &mut *known.scheduler(NODES, &PolicyOptions::default()),
        &mut gantt,
    )
    .expect("the policy must make valid decisions");

    let title = format!("{policy}: {kind} (largest stretch {:.1})", gantt.worst);
    let mut group = Group::new().add(text(LEFT, top - 10.0, 15, "start", title));
    for node in 0..NODES {
        let y = top + f64::from(node) * NODE;
        group = group
            .add(
                Rectangle::new()
                    .set("x", LEFT)
                    .set("y", y)
                    .set("width", SECONDS * SECOND)
                    .set("height", NODE - 3.0)
                    .set("fill", "#f2f2f2"),
            )
            .add(text(LEFT - 8.0, y + NODE * 0.6, 12, "end", format!("node {node}")));
    }
    for bar in &gantt.bars {
        let x = LEFT + bar.from.as_secs_f64() * SECOND;
        let height = bar.share * (NODE - 3.0);
        let y = top + f64::from(bar.node) * NODE + bar.below * (NODE - 3.0);
        let width = bar.to.since(bar.from).as_secs_f64() * SECOND;
        group = group.add(
            Rectangle::new()
                .set("x", format!("{x:.2}"))
                .set("y", format!("{y:.2}"))
                .set("width", format!("{width:.2}"))
                .set("height", format!("{height:.2}"))
                .set("fill", COLOURS[bar.job as usize])
                .set("stroke", "white")
                .set("stroke-width", 0.4)
                .add(Title::new(format!(
                    "job {}, {:.0} % of node {}",
                    bar.job + 1,
                    bar.share * 100.0,
                    bar.node
                ))),
        );
    }
    let axis = top + f64::from(NODES) * NODE + 2.0;
    for tick in (0..=SECONDS as u32).step_by(15) {
        let x = LEFT + f64::from(tick) * SECOND;
        group = group
            .add(
                Line::new()
                    .set("x1", x)
                    .set("x2", x)
                    .set("y1", axis)
                    .set("y2", axis + 4.0)
                    .set("stroke", "black"),
            )
            .add(text(x, axis + 17.0, 11, "middle", tick.to_string()));
    }
    group.add(text(LEFT + SECONDS * SECOND, axis + 33.0, 12, "end", "time [s]".into()))
}

fn main() {
    let (width, height) = (LEFT + SECONDS * SECOND + 20.0, TOP + 2.0 * PANEL - 2.0);
    let mut picture = Document::new()
        .set("viewBox", (0, 0, width as u32, height as u32))
        .set("width", width as u32)
        .set("height", height as u32)
        .add(Rectangle::new().set("width", "100%").set("height", "100%").set("fill", "white"))
        .add(panel("EASY", "whole nodes, in turn, with backfilling", TOP))
        .add(panel("EQUIPARTITION", "fractions of nodes, at once", TOP + PANEL));
    for (job, (colour, (submit, run, tasks))) in COLOURS.iter().zip(JOBS).enumerate() {
        let (x, y) = (LEFT + job as f64 * 124.0, height - 20.0);
        let label = format!("{}: {tasks} x {run} s, at {submit} s", job + 1);
        picture = picture
            .add(
                Rectangle::new()
                    .set("x", x)
                    .set("y", y)
                    .set("width", 11)
                    .set("height", 11)
                    .set("fill", *colour),
            )
            .add(text(x + 15.0, y + 10.0, 11, "start", label));
    }
    println!("{picture}");
}
