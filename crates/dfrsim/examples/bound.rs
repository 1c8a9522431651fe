//! Compares policies with the lower bound on the maximum bounded stretch.
//!
//! `cargo run --release --example bound`

use dfrsim::prelude::*;
use std::error::Error;
use std::num::NonZeroU32;

fn main() -> Result<(), Box<dyn Error>> {
    let nodes = NonZeroU32::new(64).ok_or("64 is not zero")?;
    let parameters = LublinParameters { nodes, jobs: 500, ..LublinParameters::default() };
    let jobs = generate(&parameters, Seed::new(3));
    let tau = SimSpan::from_secs(10);
    let bound = max_stretch_bound(&jobs, nodes.get(), tau).value;
    println!("no schedule has a maximum bounded stretch below {bound:.3}");
    for name in ["FCFS", "EASY", "/per/OPT=MIN", "GreedyPM*/per/OPT=MIN/MVT=600"] {
        let mut scheduler =
            Policies::standard().parse(name)?.scheduler(nodes.get(), &PolicyOptions::default());
        let mut metrics =
            Metrics::new(SummaryOptions { taus: vec![tau], ..SummaryOptions::new(nodes.get()) });
        let options = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
        simulate(nodes.get(), &options, jobs.clone(), scheduler.as_mut(), &mut metrics)?;
        let summary = metrics.summary().ok_or("there are jobs")?;
        println!("{name:30} {:10.2} times the bound", summary.bounded_stretch[0].distribution.max / bound);
    }
    Ok(())
}
