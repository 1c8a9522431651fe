//! Simulates a policy on a log: `cargo run --release --example simulate_log -- LOG.swf.gz NODES
//! POLICY`.

use dfrsim::prelude::*;
use dfrsim::workload::prepare::{self, read_jobs};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [log, nodes, policy] = &arguments[..] else {
        return Err("expected LOG.swf.gz NODES POLICY".into());
    };
    let nodes: u32 = nodes.parse()?;
    let policy = Policies::standard().parse(policy)?;
    let options = prepare::Options { units: Some(nodes), ..prepare::Options::default() };
    let (jobs, report) = read_jobs(log.as_ref(), &options)?;
    eprintln!("{report}");

    let mut scheduler = policy.scheduler(nodes, &PolicyOptions::default());
    let mut metrics = Metrics::new(SummaryOptions::new(nodes));
    simulate(nodes, &Options::default(), jobs, scheduler.as_mut(), &mut metrics)?;
    let summary = metrics.summary().ok_or("the log has no jobs")?;
    println!("{policy} on {nodes} nodes, {} jobs", summary.jobs);
    println!("mean wait        {:12.1} s", summary.wait.mean);
    println!("mean turnaround  {:12.1} s", summary.turnaround.mean);
    println!("maximum stretch  {:12.1}", summary.stretch.max);
    println!("utilisation      {:12.3}", summary.utilisation);
    Ok(())
}
