//! Plans a context switch that exchanges the nodes of two virtual machines, and solves for the
//! cheapest configuration with the same states.
//!
//! `cargo run --release --example plan`

use dfrsim::context_switch::{
    Amount, Cluster, Configuration, Limits, Node, Place, Vjob, VjobId, Vm, plan, solve,
};
use dfrsim::prelude::*;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let node = |name: &str| Node { name: name.to_owned(), capacity: Amount::new(2, 4_096) };
    let vm =
        |name: &str, memory| Vm { name: name.to_owned(), vjob: VjobId(0), demand: Amount::new(1, memory) };
    let vjob = Vjob { name: "job".to_owned(), priority: 0 };
    let vms = vec![vm("VM1", 2_048), vm("VM2", 3_072)];
    let cluster = Cluster::new(vec![node("N1"), node("N2"), node("N3")], vec![vjob], vms)?;

    // The two VMs exchange their nodes, but no node has enough memory for both.
    let [n1, n2] = [0, 1].map(|node| Place::Running(NodeId(node)));
    let (current, wanted) = (Configuration::new(vec![n1, n2]), Configuration::new(vec![n2, n1]));
    let detour = plan(&cluster, &current, &wanted)?;
    println!("{} pools, cost {}", detour.pools().len(), detour.cost(&cluster));

    // If only the states of the VMs are prescribed, they may stay where they are.
    let found = solve(&cluster, &current, &wanted, &Limits::default(), Seed::new(1))?;
    println!("cheapest with the same states: cost {}, proven: {}", found.cost, found.proven);
    Ok(())
}
