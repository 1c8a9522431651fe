//! Plans of context switches between random configurations.

use crate::common::{Reconfiguration, Size, judged, random};
use crate::setting::{Outcome, Setting};
use dfrsim_context_switch::plan;
use dfrsim_model::Seed;
use dfrsim_testing::mutant;

/// Number of plans for each seed.
const PLANS: u64 = 300;

struct Plan {
    seed: u64,
    switch: Reconfiguration,
    /// Document of the plan, and what the check says; `None` if there is no plan.
    made: Option<(String, Option<String>)>,
}

/// Plans a reconfiguration; returns the document, and the violations that the check finds.
fn planned(switch: &Reconfiguration) -> Option<(String, Option<String>)> {
    let Reconfiguration { cluster, current, wanted } = switch;
    let plan = plan(cluster, current, wanted).ok()?;
    let (report, text) = judged(cluster, current, wanted, &plan);
    Some((text, report.err().map(|faults| faults.to_string())))
}

impl Setting for Plan {
    fn name(&self) -> String {
        format!("plan {}", self.seed)
    }
    fn is_of(&self, area: &str) -> bool {
        area == "plans"
    }
    fn run(&self) -> Outcome {
        let found = planned(&self.switch);
        mutant::select(0);
        match found {
            found if found == self.made => Outcome::Same,
            None => Outcome::Stopped,
            // The check demands that a plan is possible, complete and rightly counted; several are.
            Some((_, None)) => Outcome::AlsoRight,
            Some(_) => Outcome::Found,
        }
    }
    fn false_alarm(&self) -> Option<String> {
        let (_, said) = self.made.as_ref()?;
        said.as_ref().map(|said| format!("{}: {said}", self.name()))
    }
}

/// Returns the settings: reconfigurations of a few nodes, half of them with constraints.
pub(crate) fn settings(seeds: u64) -> Vec<Box<dyn Setting>> {
    let make = |seed: u64| {
        mutant::select(0);
        let size = Size { nodes: 6, vms: 12, cpu: 1, constraints: seed % 2 == 1 };
        let switch = random(&size, &mut Seed::new(seed).fork("plan").rng());
        let made = planned(&switch);
        Box::new(Plan { seed, switch, made }) as Box<dyn Setting>
    };
    (0..PLANS * seeds).map(make).collect()
}
