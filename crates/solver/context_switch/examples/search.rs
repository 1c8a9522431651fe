//! Measures the spread of the search results over seeds and their gap to the lower bound, on one
//! random configuration whose VMs compute with a given probability.
//!
//! `cargo run --release -p dfrsim-context-switch --example search -- NODES VMS BUSY SECONDS SEEDS
//! [SAMPLE]`

use dfrsim_context_switch::workload::{InitialState, Sample, SampleShape};
use dfrsim_context_switch::{
    Cluster, Kind, Limits, Plan, SuspendTo, first_come_first_served, plan_early, select_running, solve,
};
use dfrsim_model::Seed;
use std::collections::BTreeMap;
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [nodes, vms, busy, seconds, seeds, sample @ ..] = &arguments[..] else {
        return Err("expected NODES VMS BUSY SECONDS SEEDS [SAMPLE]".into());
    };
    let shape = SampleShape { nodes: nodes.parse()?, vms: vms.parse()?, busy: Some(busy.parse()?) };
    let sample = sample.first().map_or(Ok(1), |number| number.parse())?;
    let limits = Limits { steps: u64::MAX, time: Some(Duration::try_from_secs_f64(seconds.parse()?)?) };
    let Sample { cluster, current } = Sample::draw(shape, &InitialState::ALL, Seed::new(sample));
    let decided = select_running(&cluster, &current, &first_come_first_served(&cluster), SuspendTo::Disk);
    let first_fit = plan_early(&cluster, &current, &decided)?.cost(&cluster);
    println!("first-fit decreasing: {first_fit}");
    let mut costs = Vec::new();
    for seed in 1..=seeds.parse()? {
        let found = solve(&cluster, &current, &decided, &limits, Seed::new(seed))?;
        let above = 100.0 * found.cost as f64 / found.bound.max(1) as f64 - 100.0;
        println!(
            "seed {seed}: {} in {} steps, {above:.1} % above the bound {}",
            found.cost, found.steps, found.bound
        );
        println!("  {}", parts(&cluster, &found.plan));
        costs.push(found.cost);
    }
    if let (Some(least), Some(most)) = (costs.iter().min(), costs.iter().max()) {
        println!("from {least} to {most}: {:.1} % apart", 100.0 * *most as f64 / *least as f64 - 100.0);
    }
    Ok(())
}

/// Formats the cost of a plan by kind of action, with remote resumes as a kind of their own.
///
/// For each kind, the text gives the number of actions, their own cost, and the total cost of the
/// pools before them. The sizes and costs of the pools follow.
fn parts(cluster: &Cluster, plan: &Plan) -> String {
    let mut parts = BTreeMap::<&str, [u64; 3]>::new();
    let (mut before, mut pools) = (0, Vec::new());
    for pool in plan.pools() {
        for action in pool {
            let name = match action.kind() {
                Kind::Resume if action.is_remote() => "remote resume",
                kind => kind.name(),
            };
            let part = parts.entry(name).or_default();
            *part = [part[0] + 1, part[1] + action.cost(cluster), part[2] + before];
        }
        let price = pool.iter().map(|action| action.cost(cluster)).max().unwrap_or(0);
        pools.push(format!("{} for {price}", pool.len()));
        before += price;
    }
    let parts =
        parts.iter().map(|(name, [count, own, wait])| format!("{count} {name}s: {own} + {wait} waiting"));
    format!("{}; pools: {}", parts.collect::<Vec<_>>().join(", "), pools.join(", "))
}
