//! Lower bounds from small subsets of jobs whose places in memory are solved exactly.

use crate::memory_packing::fits_in_memory;
use dfrsim_model::{Job, Share, SimSpan};

/// Largest number of jobs of a subset.
pub const MAX_SUBSET: usize = 12;
/// Number of jobs up to which the windows of all of them are examined, and not of critical ones only.
const MAX_WINDOWS: usize = 4_000;
/// Number of subsets whose weights are searched.
const SUBSETS: usize = 32;
/// Factors by which weights are changed in turn.
const FACTORS: [f64; 4] = [2.0, 1.4, 1.1, 1.02];
/// Number of rounds over all weights with each factor.
const ROUNDS: usize = 6;
/// Relative margin above all errors of rounding.
const MARGIN: f64 = 1e-9;

/// A job, with times in microseconds.
#[derive(Clone, Copy, Debug)]
struct Need {
    job: usize,
    release: f64,
    run: f64,
    /// max(run time, tau).
    span: f64,
    /// CPU of all tasks at full speed, in nodes.
    cpu: f64,
    /// Memory of all tasks, in nodes.
    memory: f64,
}

impl Need {
    fn deadline(&self, stretch: f64) -> f64 {
        self.release + stretch * self.span
    }
    /// Returns the least time for which the job runs from `begin` to `end`.
    fn least_time(&self, begin: f64, end: f64, stretch: f64) -> f64 {
        let outside = (begin - self.release).max(0.0) + (self.deadline(stretch) - end).max(0.0);
        (self.run - outside).clamp(0.0, (end - begin).max(0.0))
    }
}

/// Computes a lower bound on the maximum bounded stretch of all schedules that respect memory, without
/// penalties, from subsets of at most `most` jobs ([`MAX_SUBSET`] if that is more). It is at least
/// `bound`, which must be a lower bound ([theorem 1](crate::max_stretch_bound)) with these critical jobs.
///
/// A subset of jobs cannot have a smaller maximum with others than alone. At a stretch S a job has to
/// do its work between its submission and its deadline. Give each job of a subset a weight u >= 0 for
/// each second at full speed. At any time, the jobs with CPU are in memory together. Let V(A) be the
/// largest sum of u * yield over the sets of jobs of A that fit into the memory of all nodes together,
/// where all their tasks share the CPU of all nodes. If the sum of u * run time exceeds the integral of
/// V over the jobs whose windows are open, then no schedule has stretch S. For the best weights this is
/// the optimum of the subset, by the duality of linear programs, but for the CPU, which is not divided
/// into nodes.
///
/// Which sets fit into memory is solved exactly by branch and bound. Weights are
/// searched by changing one after the other, so the bound is valid but need not be the best. Subsets
/// are taken where jobs need most of an interval between the submission and the deadline of one of
/// them: of all jobs, or of the critical ones if there are more than 4,000.
pub fn max_stretch_bound_of_subsets(
    jobs: &[Job],
    nodes: u32,
    tau: SimSpan,
    (bound, critical): (f64, &[usize]),
    most: usize,
) -> f64 {
    let most = most.min(MAX_SUBSET);
    if nodes == 0 || !bound.is_finite() || most < 2 {
        return bound;
    }
    let needs: Vec<Need> = (0..jobs.len()).filter_map(|at| need(jobs, at, nodes, tau)).collect();
    let mut best = bound;
    for members in subsets(&needs, critical, nodes, bound, most) {
        let subset = Subset::new(jobs, &members, nodes);
        best = best.max(subset.least_stretch(best));
    }
    best
}

/// Returns the needs of a job; `None` if it has no work, or does not fit the memory of all nodes.
fn need(jobs: &[Job], at: usize, nodes: u32, tau: SimSpan) -> Option<Need> {
    let job = &jobs[at];
    let on_one = Share::ONE.units().checked_div(job.memory.units()).unwrap_or(u32::MAX);
    let fits = u64::from(job.tasks) <= u64::from(nodes) * u64::from(on_one);
    let whole = f64::from(Share::ONE.units());
    let of_all = |share: Share| f64::from(job.tasks) * f64::from(share.units()) / whole;
    let need = Need {
        job: at,
        release: job.submit.micros() as f64,
        run: job.run_time.micros() as f64,
        span: job.run_time.max(tau).micros() as f64,
        cpu: of_all(job.cpu_need),
        memory: of_all(job.memory),
    };
    (fits && need.run > 0.0 && job.tasks > 0).then_some(need)
}

/// Selects subsets of jobs that need much of an interval, those that need most of it first.
fn subsets(needs: &[Need], critical: &[usize], nodes: u32, stretch: f64, most: usize) -> Vec<Vec<Need>> {
    let all = f64::from(nodes);
    let is_examined = |need: &&Need| needs.len() <= MAX_WINDOWS || critical.contains(&need.job);
    let mut found: Vec<(f64, Vec<Need>)> = Vec::new();
    for window in needs.iter().filter(is_examined) {
        let (begin, end) = (window.release, window.deadline(stretch));
        let mut used: Vec<(f64, Need)> = Vec::new();
        let mut load = 0.0;
        for need in needs {
            let least = need.least_time(begin, end, stretch);
            if least > 0.0 {
                let part = least * need.memory.max(need.cpu.min(all));
                load += part;
                used.push((part, *need));
            }
        }
        used.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.job.cmp(&b.1.job)));
        used.truncate(most);
        // What the subset itself needs decides, as the other jobs are not in it.
        let own: f64 = used.iter().map(|it| it.0).sum();
        if used.len() > 1 && load > 0.0 {
            let mut members: Vec<Need> = used.into_iter().map(|it| it.1).collect();
            members.sort_by_key(|need| need.job);
            found.push((own / (all * (end - begin)), members));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut seen: Vec<Vec<usize>> = Vec::new();
    let is_new = |members: &Vec<Need>| {
        let names: Vec<usize> = members.iter().map(|need| need.job).collect();
        let is_new = !seen.contains(&names);
        seen.push(names);
        is_new
    };
    found.into_iter().map(|it| it.1).filter(is_new).take(SUBSETS).collect()
}

/// A subset of jobs. Sets of its jobs are numbers in which bit i stands for its job i.
struct Subset {
    needs: Vec<Need>,
    nodes: f64,
    /// True for each set of jobs that fits into memory.
    fits: Vec<bool>,
}

impl Subset {
    fn new(jobs: &[Job], needs: &[Need], nodes: u32) -> Subset {
        let mut fits = vec![true; 1 << needs.len()];
        for set in 1..fits.len() {
            let without = |bit: usize| set & !(1 << bit);
            let members = || (0..needs.len()).filter(|bit| set >> bit & 1 == 1);
            let tasks: Vec<(u32, u32)> = members()
                .map(|bit| (jobs[needs[bit].job].memory.units(), jobs[needs[bit].job].tasks))
                .collect();
            fits[set] = members().all(|bit| fits[without(bit)]) && fits_in_memory(&tasks, nodes);
        }
        Subset { needs: needs.to_vec(), nodes: f64::from(nodes), fits }
    }

    /// Returns the largest stretch that a search for weights excludes, at least `from`.
    fn least_stretch(&self, from: f64) -> f64 {
        let all_fit = self.fits.last() == Some(&true);
        let mut low = from;
        if all_fit {
            // Theorem 1 has the optimum of such a subset.
            return low;
        }
        let cpu: Vec<f64> = self.needs.iter().map(|need| need.cpu).collect();
        let memory: Vec<f64> = self.needs.iter().map(|need| need.memory).collect();
        let larger = cpu.iter().zip(&memory).map(|(cpu, memory)| cpu.max(*memory)).collect();
        let alike = vec![1.0; self.needs.len()];
        for mut weights in [memory, larger, alike, cpu] {
            self.improve(&mut weights, low * (1.0 + 1e-6));
            let mut high = low * (1.0 + 1e-6);
            while self.excess(&weights, high) > 1.0 + MARGIN && high < 1e12 {
                low = high;
                high *= 1.5;
                self.improve(&mut weights, low);
            }
            for _ in 0..50 {
                let middle = f64::midpoint(low, high);
                if self.excess(&weights, middle) > 1.0 + MARGIN { low = middle } else { high = middle }
            }
        }
        low
    }

    /// Changes the weights one after the other as long as that raises the excess.
    fn improve(&self, weights: &mut [f64], stretch: f64) {
        let mut best = self.excess(weights, stretch);
        for factor in FACTORS {
            for _ in 0..ROUNDS {
                let before = best;
                for at in 0..weights.len() {
                    for change in [factor, factor.recip()] {
                        let kept = weights[at];
                        weights[at] *= change;
                        let found = self.excess(weights, stretch);
                        if found > best { best = found } else { weights[at] = kept }
                    }
                }
                if best <= before {
                    break;
                }
            }
        }
    }

    /// Returns the weighted work of the jobs, divided by the most that can be done in their windows.
    fn excess(&self, weights: &[f64], stretch: f64) -> f64 {
        let most = self.most_at_once(weights);
        let mut times: Vec<f64> =
            self.needs.iter().flat_map(|need| [need.release, need.deadline(stretch)]).collect();
        times.sort_by(f64::total_cmp);
        let open = |begin: f64, end: f64| {
            let is_open = |need: &Need| need.release <= begin && need.deadline(stretch) >= end;
            let bits =
                (0..).zip(&self.needs).filter(|(_, need)| is_open(need)).map(|(bit, _)| 1_usize << bit);
            bits.sum::<usize>()
        };
        let done: f64 = times
            .windows(2)
            .filter(|pair| pair[1] > pair[0])
            .map(|pair| (pair[1] - pair[0]) * most[open(pair[0], pair[1])])
            .sum();
        let work: f64 = self.needs.iter().zip(weights).map(|(need, weight)| need.run * weight).sum();
        work / done
    }

    /// Returns, for each set of jobs, the most that those of them with CPU can do for their weights.
    fn most_at_once(&self, weights: &[f64]) -> Vec<f64> {
        let count = self.needs.len();
        let mut by_value: Vec<usize> = (0..count).collect();
        let value = |at: usize| weights[at] / self.needs[at].cpu.max(f64::MIN_POSITIVE);
        by_value.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
        let mut most = vec![0.0; self.fits.len()];
        for set in 1..most.len() {
            if self.fits[set] {
                let mut left = self.nodes;
                for &at in by_value.iter().filter(|&&at| set >> at & 1 == 1) {
                    let cpu = self.needs[at].cpu;
                    let part = if cpu > left { left / cpu } else { 1.0 };
                    most[set] += weights[at] * part;
                    left -= cpu * part;
                }
            }
            let smaller = (0..count).filter(|bit| set >> bit & 1 == 1).map(|bit| most[set & !(1 << bit)]);
            most[set] = smaller.fold(most[set], f64::max);
        }
        most
    }
}
