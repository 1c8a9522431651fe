//! A custom metric, computed while a simulation runs: how many jobs wait, on average over time.
//!
//! `cargo run --release --example own_metric`

use dfrsim::prelude::*;
use std::error::Error;
use std::num::NonZeroU32;

/// Adds up the time that jobs wait before they start.
#[derive(Default)]
struct Waiting {
    waiting: u64,
    /// Jobs x microseconds.
    area: u128,
    begin: Option<SimTime>,
    last: SimTime,
}

impl Observer for Waiting {
    fn observe(&mut self, now: SimTime, _: u64, occurrence: Occurrence<'_>) {
        let begin = *self.begin.get_or_insert(now);
        self.area += u128::from(self.waiting) * u128::from(now.since(self.last.max(begin)).micros());
        self.last = now;
        match occurrence {
            Occurrence::Submitted(..) => self.waiting += 1,
            Occurrence::Started(..) | Occurrence::Rejected => self.waiting -= 1,
            _ => {}
        }
    }
}

impl Waiting {
    fn mean(&self) -> f64 {
        let span = self.begin.map_or(0, |begin| self.last.since(begin).micros());
        self.area as f64 / span.max(1) as f64
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let nodes = NonZeroU32::new(128).ok_or("128 is not zero")?;
    let parameters = LublinParameters { nodes, jobs: 1_000, ..LublinParameters::default() };
    let jobs = generate(&parameters, Seed::new(1));
    for name in ["FCFS", "EASY", "CONS", "GreedyPM*/per/OPT=MIN/MVT=600"] {
        let mut scheduler =
            Policies::standard().parse(name)?.scheduler(nodes.get(), &PolicyOptions::default());
        let mut waiting = Waiting::default();
        simulate(nodes.get(), &Options::default(), jobs.clone(), scheduler.as_mut(), &mut waiting)?;
        println!("{name:30} {:8.1} jobs wait on average", waiting.mean());
    }
    Ok(())
}
