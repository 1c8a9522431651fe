//! Fields of scenarios.

use dfrsim_adaptation::Adapter;
use dfrsim_lab::fields;
use dfrsim_lab::fields::{choice, count, number, one_or_many};
use dfrsim_model::named;
use dfrsim_model::offline::Adaptation;

fields! {
    /// Changed instances of the dissertation's small set (8, 10 or 12 jobs on 4 nodes): the jobs are
    /// placed by VP_CPSUM, then a quarter of their needs is drawn again and a tenth of the jobs is
    /// replaced by new ones, which are placed at no cost.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Changes {
        /// Number of changes. Those without a first packing are not counted.
        pub replications: u32 = count("a number of changes", 1, 1_000_000), default 1_000;
        /// Cost of moving a task: the memory that it occupies, or one.
        pub costs as "cost": Vec<Cost> =
            one_or_many(choice(Cost::ALL.iter().map(|&cost| (cost.name(), cost)))), default vec![Cost::Bytes];
        /// Budgets of moves, in percent of the cost of moving all tasks.
        pub budgets: Vec<f64> =
            one_or_many(number("a percentage of the total", 0.0..=100.0)), default vec![10.0, 25.0, 50.0];
        /// Largest number of nodes in the tree of the exact search; problems that are not solved by
        /// then are left out of the gaps.
        pub search_nodes: u64 = count("a number of nodes", 0, i64::MAX), default 100_000_000;
        /// Largest number of steps of the heuristic's own search at each yield that it tries; 0 for
        /// repairs alone.
        pub heuristic_steps: u32 = count("a number of steps", 0, u32::MAX), default Adapter::SEARCH_STEPS;
    }
    renamed { "instances" => "replications" }
}

named! {
    /// Unit in which moves are counted.
    pub enum Cost as "cost" {
        /// Memory: each task costs the amount that it occupies.
        Bytes = "bytes",
        /// Number of moves: each task costs one.
        Moves = "moves",
    }
}

impl Cost {
    /// Returns the problem with this cost, given the problem with the cost of memory.
    pub(crate) fn apply_to(self, mut problem: Adaptation) -> Adaptation {
        if self == Cost::Moves {
            problem.cost.fill(1);
        }
        problem
    }
}

impl Changes {
    /// Returns the costs with the budgets of each, in increasing order.
    pub(crate) fn variants(&self) -> Vec<(Cost, f64)> {
        let mut budgets = self.budgets.clone();
        budgets.sort_by(f64::total_cmp);
        self.costs.iter().flat_map(|&cost| budgets.iter().map(move |&budget| (cost, budget))).collect()
    }
}
