//! CPU in whole steps of a node's CPU, as in the simulator of the dissertation's author (vcsim, M.
//! Stillwell, 2010).
//!
//! The remainder that rounding leaves on a node goes to the jobs that stop there later, so these
//! yields are not those of exact filling rounded down.

use super::{SharedJob, Shares, StretchJob};
use dfrsim_model::{NodeTasks, Share, SimSpan, Yield};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Buffers for filling in steps, reused from call to call.
#[derive(Clone, Debug, Default)]
pub(super) struct StepFilling {
    /// Use of each node: steps in use, and steps that the jobs still rising would need.
    nodes: Vec<Node>,
    /// Steps that a task of each job gets; 0 while the job rises.
    steps: Vec<u32>,
    /// Jobs that may still rise: (inverse stretch, number of tries at that value, rank, index).
    rising: BinaryHeap<Reverse<(u64, u32, u32, u32)>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    used: u64,
    needed: u64,
}

/// Returns the number of steps in a share, rounded to the nearest.
fn steps_in(share: Share, step: Share) -> u32 {
    let step = step.units().max(1);
    (share.units() + step / 2) / step
}

/// Returns the yield at which a task with this need gets this many steps.
fn yield_of(steps: u32, need: Share, step: Share) -> Yield {
    let units = u64::from(steps) * u64::from(step.units());
    if need == Share::ZERO { Yield::ONE } else { Yield::from_ratio(units, need.units().into()) }
}

/// Rounds yields down to whole steps of CPU; CPU below one step stays unchanged. CPU less than a
/// unit below a step counts as that step.
pub fn round_to_steps(jobs: &[SharedJob<'_>], step: Share, yields: &mut [Yield]) {
    for (job, job_yield) in jobs.iter().zip(yields) {
        let [need, step] = [job.need, step].map(|share| u64::from(share.units()));
        let cpu = need.saturating_mul(u64::from(job_yield.units()) + 1) >> Yield::BITS;
        let steps = (cpu / step.max(1)).checked_mul(step).filter(|&steps| steps > 0);
        *job_yield = steps.map_or(*job_yield, |steps| Yield::from_ratio(steps, need).min(*job_yield));
    }
}

/// Returns the yield that corresponds to the CPU with which MCB packs a task in whole steps: rounded
/// down, but at least one step.
#[must_use]
pub fn packed_in_steps(job_yield: Yield, need: Share, step: Share) -> Yield {
    let [need, step] = [need, step].map(|share| u64::from(share.units()));
    let cpu = need.saturating_mul(u64::from(job_yield.units())) >> Yield::BITS;
    let steps = (cpu / step.max(1)).max(1);
    Yield::from_ratio(steps.saturating_mul(step), need.max(1))
}

impl Shares {
    /// Computes the yields of OPT=MIN in whole steps of a node's CPU, at least one per task. All
    /// yields rise together, in equal steps, until less than one step is left on the first nodes.
    /// Their jobs stop, rounded down, and the others share the rest.
    ///
    /// There must be so few tasks that each node has a step for each of its tasks. On heterogeneous
    /// nodes, yields without steps are rounded down.
    pub fn max_min_in_steps(&mut self, jobs: &[SharedJob<'_>], step: Share, yields: &mut Vec<Yield>) {
        if !self.contested.is_homogeneous() {
            self.max_min(jobs, yields);
            return round_to_steps(jobs, step, yields);
        }
        let StepFilling { nodes, steps, .. } = &mut self.step_filling;
        let whole = u64::from(steps_in(Share::ONE, step));
        nodes.clear();
        nodes.resize(self.contested.nodes(), Node::default());
        steps.clear();
        steps.resize(jobs.len(), 0);
        for job in jobs {
            for part in job.placement {
                nodes[part.node.index()].needed +=
                    u64::from(part.tasks) * u64::from(steps_in(job.need, step));
            }
        }
        let mut rising: Vec<u32> = (0..jobs.len() as u32).collect();
        while !rising.is_empty() {
            let level_of = |node: &Node| {
                let free = whole.saturating_sub(node.used);
                (whole * free).checked_div(node.needed).map_or(whole, |level| level.min(whole))
            };
            let level = nodes.iter().map(level_of).min().unwrap_or(whole);
            // Computed in floating point, as in the original program: 0.29 * 100 is below 29.
            let part = level as f64 / whole as f64;
            let full: Vec<bool> = nodes.iter().map(|node| level_of(node) == level).collect();
            rising.retain(|&place| {
                let job = &jobs[place as usize];
                if level < whole && job.placement.iter().all(|part| !full[part.node.index()]) {
                    return true;
                }
                let need = steps_in(job.need, step);
                let given = ((part * f64::from(need)) as u32).max(1);
                steps[place as usize] = given;
                for NodeTasks { node, tasks } in job.placement {
                    let node = &mut nodes[node.index()];
                    node.used += u64::from(given) * u64::from(*tasks);
                    node.needed -= u64::from(need) * u64::from(*tasks);
                }
                false
            });
        }
        yields.clear();
        yields.extend(jobs.iter().zip(&*steps).map(|(job, &steps)| yield_of(steps, job.need, step)));
    }

    /// Computes the yields of OPT=MAX for /stretch-per in whole steps of a node's CPU. Every task
    /// starts with one step. Then the job with the lowest inverse estimated stretch, to four
    /// decimals and in the order of `ranks` among equals, gets one more step per task, until one of
    /// its nodes is full. On heterogeneous nodes, yields without steps are rounded down.
    pub fn min_max_stretch_in_steps(
        &mut self,
        jobs: &[StretchJob<'_>],
        ranks: &[u32],
        period: SimSpan,
        step: Share,
        yields: &mut Vec<Yield>,
    ) {
        if !self.contested.is_homogeneous() {
            self.min_max_stretch(jobs, period, yields);
            let jobs: Vec<SharedJob<'_>> = jobs.iter().map(|job| job.job).collect();
            return round_to_steps(&jobs, step, yields);
        }
        let StepFilling { nodes, steps, rising } = &mut self.step_filling;
        let whole = u64::from(steps_in(Share::ONE, step));
        nodes.clear();
        nodes.resize(self.contested.nodes(), Node::default());
        steps.clear();
        steps.resize(jobs.len(), 1);
        for StretchJob { job, .. } in jobs {
            for part in job.placement {
                nodes[part.node.index()].used += u64::from(part.tasks);
            }
        }
        let inverse = |place: u32, steps: u32| {
            let job = &jobs[place as usize];
            let millis = |micros: u64| micros / 1_000;
            let period = millis(period.micros()).max(1);
            let need = u64::from(steps_in(job.job.need, step).max(1));
            let done = millis((job.virtual_time.units() >> Yield::BITS) as u64);
            let work = done + period * u64::from(steps) / need;
            let whole = (millis(job.flow_time.micros()) + period) as f64;
            (10_000.0 * (work as f64 / (whole * job.weight))) as u64
        };
        rising.clear();
        for (place, &rank) in (0..).zip(ranks) {
            if steps_in(jobs[place as usize].job.need, step) > 1 {
                rising.push(Reverse((inverse(place, 1), 0, rank, place)));
            }
        }
        while let Some(Reverse((level, tries, rank, place))) = rising.pop() {
            let job = &jobs[place as usize].job;
            let fits = |part: &NodeTasks| nodes[part.node.index()].used + u64::from(part.tasks) <= whole;
            if !job.placement.iter().all(fits) {
                continue;
            }
            for part in job.placement {
                nodes[part.node.index()].used += u64::from(part.tasks);
            }
            let own = &mut steps[place as usize];
            *own += 1;
            if *own < steps_in(job.need, step) {
                let next = inverse(place, *own);
                let tries = if next == level { tries + 1 } else { 0 };
                rising.push(Reverse((next, tries, rank, place)));
            }
        }
        yields.clear();
        yields.extend(jobs.iter().zip(&*steps).map(|(job, &steps)| yield_of(steps, job.job.need, step)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::NodeId;

    fn on(node: u32) -> NodeTasks {
        NodeTasks { node: NodeId(node), tasks: 1 }
    }

    /// Three tasks share node 0 at 33 hundredths; the second node keeps 67, not 66, for its other
    /// task.
    #[test]
    fn what_rounding_leaves_goes_to_those_that_stop_later() {
        let step = Share::from_ratio(1, 100);
        let job = |placement| SharedJob { need: Share::ONE, placement, size: None };
        let (first, both, second) = ([on(0)], [on(0), on(1)], [on(1)]);
        let jobs = [job(&first), job(&first), job(&both), job(&second)];
        let mut yields = Vec::new();
        Shares::new(2).max_min_in_steps(&jobs, step, &mut yields);
        let hundredths = [33, 33, 33, 67].map(|part| Yield::from_ratio(part, 100));
        assert_eq!(yields, hundredths);
    }

    /// 344 hundredths on one node: 0.29 each, that is 28 of 100 and 12 of 43; every task gets at
    /// least one step.
    #[test]
    fn steps_are_rounded_down_in_floating_point() {
        let step = Share::from_ratio(1, 100);
        let (three, one) = ([NodeTasks { node: NodeId(0), tasks: 3 }], [on(0)]);
        let jobs = [
            SharedJob { need: Share::ONE, placement: &three, size: None },
            SharedJob { need: Share::from_ratio(43, 100), placement: &one, size: None },
            SharedJob { need: step, placement: &one, size: None },
        ];
        let mut yields = Vec::new();
        Shares::new(1).max_min_in_steps(&jobs, step, &mut yields);
        assert_eq!(yields, [Yield::from_ratio(28, 100), Yield::from_ratio(12, 43), Yield::ONE]);
    }

    /// Two jobs on a node, one of which has done no work in the 900 s since its submission: it gets
    /// everything that the other leaves.
    #[test]
    fn the_job_with_the_largest_stretch_gets_the_next_step() {
        let step = Share::from_ratio(1, 100);
        let here = [on(0)];
        let job = |done| StretchJob {
            job: SharedJob { need: Share::ONE, placement: &here, size: None },
            flow_time: SimSpan::from_secs(900),
            virtual_time: dfrsim_model::VirtualTime::of(SimSpan::from_secs(done)),
            floor: Yield::ZERO,
            weight: 1.0,
        };
        let (period, mut yields, mut shares) = (SimSpan::from_secs(600), Vec::new(), Shares::new(1));
        shares.min_max_stretch_in_steps(&[job(900), job(0)], &[0, 1], period, step, &mut yields);
        assert_eq!(yields, [Yield::from_ratio(1, 100), Yield::from_ratio(99, 100)]);
        shares.min_max_stretch_in_steps(&[job(0), job(0), job(0)], &[1, 0, 2], period, step, &mut yields);
        assert_eq!(yields, [33, 34, 33].map(|part| Yield::from_ratio(part, 100)));
    }
}
