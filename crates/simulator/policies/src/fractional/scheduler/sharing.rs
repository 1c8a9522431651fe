//! Division of CPU among the jobs of a mapping (dissertation, sections 5.2.5 and 5.2.6).

use super::FractionalScheduler;
use crate::fractional::cap::shrink_to_cap;
use crate::fractional::common::has_common;
use crate::fractional::weights::{relative_weights, weights_of};
use crate::fractional::{Periodic, SecondPhase, StretchYields};
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::{SimSpan, VirtualTime, Yield};
use dfrsim_packing::shares::{StretchJob, round_to_steps};

impl FractionalScheduler {
    /// Divides CPU among the jobs of the current mapping. `others`: the mapping has jobs that the
    /// last tick did not pack.
    pub(super) fn divide_cpu(&mut self, view: View<'_>, others: bool) {
        // With CPU steps, even jobs on uncontested nodes are needed.
        self.sharing.gather(&mut self.mapper, self.options.mcb.cpu_step.is_none());
        let (running, jobs) = (&self.sharing.jobs, self.sharing.shared(view, &self.mapper));
        let weights = weights_of(view, running);
        if self.policy.periodic == Periodic::McbStretch {
            let is_max = self.policy.second_phase != SecondPhase::Average;
            let (mut period, mut floor) = (self.period(), None);
            if others || self.options.readings.stretch_yields == StretchYields::Recomputed {
                let now = view.now();
                period = self.next_tick(now).map_or(period, |tick| tick.since(now));
                // Jobs may get less than at the tick, but the average is still maximised above the
                // yields of the tick.
                floor = (others || is_max).then(|| self.options.mcb.floor.min(self.shares.common(&jobs)));
            }
            let relative = relative_weights(weights.as_deref());
            let stretched = running.iter().zip(&jobs).enumerate().map(|(place, (job, &shared))| StretchJob {
                job: shared,
                flow_time: view.job(*job).flow_time(),
                virtual_time: view.job(*job).virtual_time(),
                floor: floor.unwrap_or(self.packed_yields[job.index()]),
                weight: relative(place),
            });
            let jobs: Vec<StretchJob<'_>> = stretched.collect();
            if let (true, Some(step)) = (is_max, self.options.mcb.cpu_step) {
                self.ranking.rank(self.mapper.ranker(view), running.iter().copied());
                let mut ranks = vec![0; running.len()];
                for (rank, job) in (0..).zip(self.ranking.highest_first()) {
                    // Both are ordered by submission; handles are not.
                    let sequence = view.job(job).sequence();
                    let place = running.partition_point(|&other| view.job(other).sequence() < sequence);
                    ranks[place] = rank;
                }
                self.shares.min_max_stretch_in_steps(&jobs, &ranks, period, step, &mut self.shared);
            } else if is_max {
                self.shares.min_max_stretch(&jobs, period, &mut self.shared);
            } else {
                self.shares.max_average_inverse_stretch(&jobs, period, &mut self.shared);
            }
        } else {
            let attained = self.policy.extensions.least_attained;
            let by_service = |job: JobHandle| {
                attained.map_or(1, |seconds| weight_by_service(seconds, view.job(job).virtual_time()))
            };
            let of_class = |place: usize| weights.as_ref().map_or(1, |of| u64::from(of[place]));
            let is_weighted = weights.is_some() || attained.is_some();
            let all = running.iter().enumerate().filter(|_| is_weighted);
            let all: Vec<u64> = all.map(|(place, &job)| of_class(place) * by_service(job)).collect();
            let (step, shared) = (self.options.mcb.cpu_step, &mut self.shared);
            match (self.policy.second_phase, step.filter(|_| !is_weighted)) {
                (SecondPhase::Average, _) => self.shares.max_weighted_average(&jobs, &all, shared),
                (_, Some(step)) => self.shares.max_min_in_steps(&jobs, step, shared),
                _ if is_weighted => self.shares.weighted_max_min(&jobs, &all, shared),
                _ => self.shares.max_min(&jobs, shared),
            }
            if let Some(step) =
                step.filter(|_| is_weighted || self.policy.second_phase == SecondPhase::Average)
            {
                round_to_steps(&jobs, step, shared);
            }
        }
        for (job, &job_yield) in running.iter().zip(&self.shared) {
            self.yields[job.index()] = job_yield;
        }
        if has_common(view) {
            if self.policy.periodic == Periodic::McbStretch {
                self.full_yields.clone_from(&self.yields);
            }
            let running = &self.sharing.jobs;
            self.mapper.level = shrink_to_cap(view, &self.mapper, running, &mut self.yields);
        }
    }

    /// Shrinks the yields that jobs keep until the next tick of `/stretch-per` to the power cap of now.
    #[inline(never)]
    pub(super) fn shrink_again(&mut self, view: View<'_>) {
        self.full_yields.resize(view.handles(), Yield::ZERO);
        self.yields.clone_from(&self.full_yields);
        let running: Vec<JobHandle> = self.mapper.placed().collect();
        self.mapper.level = shrink_to_cap(view, &self.mapper, &running, &mut self.yields);
    }
}

/// Computes the weight of a job with this virtual time under `/LAS`, in units of 2^-31: seconds /
/// (virtual time + seconds), rounded down, with the virtual time in whole microseconds; at least one
/// unit.
fn weight_by_service(seconds: SimSpan, virtual_time: VirtualTime) -> u64 {
    let (offset, done) = (u128::from(seconds.micros()), virtual_time.units() >> Yield::BITS);
    u64::try_from((offset << 31) / (done + offset)).expect("at most 2^31").max(1)
}
