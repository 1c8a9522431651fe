//! How many jobs MCB* maps at a time, and how long one decision takes, over the 100 unscaled traces: the census at the end of
//! the dissertation's section 5.4.
//!
//! `cargo run --release -p dfrsim-study-online --example mcb_census`

use dfrsim_cluster::{Decision, Options, Scheduler, Situation, simulate};
use dfrsim_model::SimSpan;
use dfrsim_policies::{Policy, PolicyOptions};
use dfrsim_study_online::trace_seed;
use dfrsim_workload::lublin::{LublinParameters, generate};
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// Passes everything on, and notes every decision with jobs in the system: on each submission and completion MCB* maps them
/// all.
struct Census<'a> {
    policy: Box<dyn Scheduler>,
    /// Jobs in the system, and the time that the decision took.
    calls: &'a mut Vec<(usize, Duration)>,
}

impl Scheduler for Census<'_> {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let begin = Instant::now();
        self.policy.decide(situation, decision);
        let jobs = situation.view.jobs().len();
        if jobs > 0 {
            self.calls.push((jobs, begin.elapsed()));
        }
    }
}

/// Calls, their part of all, the mean and the longest time of one.
fn print(name: &str, calls: &[Duration], of: usize) {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let mean = calls.iter().map(|&time| micros(time)).sum::<f64>() / calls.len() as f64;
    let longest = calls.iter().max().map_or(0.0, |&time| micros(time));
    let part = 100.0 * calls.len() as f64 / of as f64;
    println!(
        "  {name}: {} calls ({part:.2} %), {mean:.1} microseconds on average, {longest:.0} at most",
        calls.len()
    );
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const NODES: u32 = 128;
    let nodes = NonZeroU32::new(NODES).expect("there are nodes");
    let parameters = LublinParameters { nodes, jobs: 1_000, ..LublinParameters::default() };
    for name in ["MCB*/OPT=MIN", "MCB*/OPT=MIN/MVT=600"] {
        for penalty in [0, 300] {
            let policy = name.parse::<Policy>()?;
            let options = Options { penalty: SimSpan::from_secs(penalty), ..Options::default() };
            let mut calls = Vec::new();
            for trace in 0..100 {
                let jobs = generate(&parameters, trace_seed(1, trace));
                // A scheduler is made for one simulation.
                let mut census =
                    Census { policy: policy.scheduler(NODES, &PolicyOptions::default()), calls: &mut calls };
                simulate(NODES, &options, jobs, &mut census, &mut ())?;
            }
            let most = calls.iter().map(|call| call.0).max().unwrap_or(0);
            println!("{name}, penalty {penalty} s: {} calls, at most {most} jobs", calls.len());
            let (few, many): (Vec<_>, Vec<_>) = calls.iter().copied().partition(|&(jobs, _)| jobs <= 10);
            for (name, part) in [("up to 10 jobs", few), ("more jobs", many)] {
                let times: Vec<Duration> = part.into_iter().map(|(_, time)| time).collect();
                print(name, &times, calls.len());
            }
        }
    }
    Ok(())
}
