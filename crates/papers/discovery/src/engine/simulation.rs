//! Simulation loop. No state changes between two events.

use crate::engine::controller::Controller;
use crate::engine::fluid::Fluid;
use crate::engine::{Approach, Observer, Outcome, Settings, Workload};
use dfrsim_model::{Share, SimTime, VirtualTime};

/// Simulates a policy on a workload from time 0 to its end.
///
/// # Panics
/// If [`Settings::check`] rejects the settings.
pub fn simulate(
    workload: &Workload,
    approach: Approach,
    settings: &Settings,
    observer: &mut impl Observer,
) -> Outcome {
    settings.check().expect("the settings make sense");
    let end = SimTime::ZERO + workload.span();
    let mut fluid = Fluid::new(workload, settings);
    let mut controller = Controller::new(approach, workload, settings);
    let changes = changes(workload);
    let mut changes = changes.iter().peekable();
    let mut now = SimTime::ZERO;
    loop {
        while let Some(&(_, vm, need)) = changes.next_if(|change| change.0 == now) {
            fluid.set_need(vm, need);
        }
        // Migrations may end with their phase, so several actions may be due at the same time.
        while let Some(controller) = controller.as_mut().filter(|controller| controller.next_action == now) {
            controller.act(now, &mut fluid);
        }
        fluid.update_shares();
        let change = changes.peek().map_or(SimTime::MAX, |change| change.0);
        let action = controller.as_ref().map_or(SimTime::MAX, |controller| controller.next_action);
        let next = change.min(action).min(end);
        observer.span(now, next, fluid.vms());
        fluid.advance(next.since(now));
        now = next;
        if now == end {
            break;
        }
    }
    let (migrations, remappings) =
        controller.map_or((0, 0), |controller| (controller.migrations, controller.remappings));
    outcome(workload, &fluid, migrations, remappings)
}

/// Returns all changes of needs after time 0, by time, then by machine.
fn changes(workload: &Workload) -> Vec<(SimTime, usize, Share)> {
    let steps =
        workload.vms().iter().enumerate().flat_map(|(number, vm)| {
            vm.needs.steps()[1..].iter().map(move |&(time, need)| (time, number, need))
        });
    let mut changes: Vec<_> = steps.collect();
    changes.sort_unstable();
    changes
}

fn outcome(workload: &Workload, fluid: &Fluid, migrations: u64, remappings: u64) -> Outcome {
    let (minimum, work, used) = fluid.integrals();
    let seconds = workload.span().as_secs_f64();
    let average = |work: &VirtualTime| work.as_secs_f64() / seconds;
    let average_yields: Vec<f64> = work.iter().map(average).collect();
    Outcome {
        average_minimum_yield: average(&minimum),
        minimum_average_yield: average_yields.iter().copied().fold(1.0, f64::min),
        average_yields,
        utilisation: used / (seconds * f64::from(workload.nodes())),
        migrations,
        remappings,
    }
}
