//! Complete program dfrsim with one more policy: `own-policy run`, `own-policy results compare`, and
//! so on.

mod shortest_estimate;

use dfrsim::prelude::*;
use shortest_estimate::ShortestEstimate;
use std::process::ExitCode;

fn main() -> ExitCode {
    let policy = CustomPolicy::new("SHORTEST", "1", |nodes, _, _| Box::new(ShortestEstimate::new(nodes)))
        .described("whole nodes for the jobs with the shortest estimates; none waits for a longer one");
    dfrsim_commands::main_with(dfrsim::registry_with(Policies::standard().with(policy)))
}
