//! Order in which the whole queue is planned, from the rules of [`WaitPower`].

use super::plan::Timeline;
use super::queue::Waiting;
use super::state::BatchCheck;
use dfrsim_model::batch::WaitPower;
use std::cmp::Ordering;

/// Longest wait in a score, in seconds.
const LONGEST: u64 = u32::MAX as u64;

/// Computes the score of a start at this time.
fn score_at(job: &Waiting, start: Option<u64>, power: WaitPower) -> u128 {
    let wait = start.map_or(LONGEST, |start| LONGEST.min(start.saturating_sub(job.submit) / 1_000_000));
    (0..power.exponent()).fold(1, |product, _| product * u128::from(wait))
}

/// Jobs to be ordered, with their starts if each were alone beside the running jobs.
struct Jobs<'a> {
    jobs: Vec<&'a Waiting>,
    alone: Vec<Option<u64>>,
    power: WaitPower,
}

/// Plans the jobs in an order; returns the score, or `None` if it is not below the limit.
fn score_of(
    plan: &Timeline,
    Jobs { jobs, alone, power }: &Jobs<'_>,
    order: &[usize],
    limit: f64,
) -> Option<u128> {
    let mut plan = plan.clone();
    let least = |at: usize| score_at(jobs[at], alone[at], *power);
    let mut sum = order.iter().map(|&at| least(at)).sum::<u128>();
    for (at, job) in order.iter().map(|&at| (at, jobs[at])) {
        // No job starts earlier than it would alone.
        let found = alone[at].and_then(|alone| plan.earliest_from(alone, job, u64::MAX - 1));
        sum -= least(at);
        sum += score_at(job, found.as_ref().map(|(start, _)| *start), *power);
        if sum as f64 >= limit {
            return None;
        }
        if let Some((start, room)) = found {
            let parts = plan.choose(job, start, &room.tasks, job.tasks);
            let devices = plan.devices(job, &parts, (start, room.end));
            plan.allocate(job, (&parts, &devices), start, room.end);
        }
    }
    Some(sum)
}

/// Returns all permutations of the numbers below `count`, in their lexicographic order.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .iter()
            .flat_map(|begin| {
                let others = (0..count).filter(|next| !begin.contains(next));
                others.map(|next| [&begin[..], &[next]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

/// Returns the candidates for the first order.
fn candidates(jobs: &[&Waiting]) -> Vec<Vec<usize>> {
    type Before = Box<dyn Fn(&Waiting, &Waiting) -> Ordering>;
    let mut keys: Vec<Before> = vec![
        Box::new(|_, _| Ordering::Equal),
        Box::new(|a, b| b.tasks.cmp(&a.tasks)),
        Box::new(|a, b| a.tasks.cmp(&b.tasks)),
        Box::new(|a, b| a.planned.cmp(&b.planned)),
        Box::new(|a, b| b.planned.cmp(&a.planned)),
    ];
    for at in 0..jobs.iter().map(|job| job.common.len()).max().unwrap_or(0) {
        let amount = move |job: &Waiting| i128::from(job.common.get(at).copied().unwrap_or(0));
        let each = move |a: &Waiting, b: &Waiting| {
            (amount(a) * i128::from(b.tasks)).cmp(&(amount(b) * i128::from(a.tasks)))
        };
        keys.push(Box::new(move |a, b| amount(b).cmp(&amount(a))));
        keys.push(Box::new(move |a, b| amount(a).cmp(&amount(b))));
        keys.push(Box::new(move |a, b| each(b, a)));
        keys.push(Box::new(each));
    }
    let sorted = |key: Before| {
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by(|&a, &b| {
            jobs[b].priority.cmp(&jobs[a].priority).then_with(|| key(jobs[a], jobs[b])).then(a.cmp(&b))
        });
        order
    };
    keys.into_iter().map(sorted).collect()
}

/// Finds the order of some jobs, of which at least one fits now.
fn best_order(plan: &Timeline, all: &Jobs<'_>) -> Vec<usize> {
    let (jobs, score) = (&all.jobs, |order: &[usize], limit: f64| score_of(plan, all, order, limit));
    if jobs.len() <= WaitPower::MOST_EXHAUSTIVE {
        let mut best = ((0..jobs.len()).collect(), f64::INFINITY);
        for order in permutations(jobs.len()) {
            if order.windows(2).any(|pair| jobs[pair[0]].priority < jobs[pair[1]].priority) {
                continue;
            }
            if let Some(score) = score(&order, best.1) {
                best = (order, score as f64);
            }
        }
        return best.0;
    }
    let scored = |order: Vec<usize>| score(&order, f64::INFINITY).map(|score| (score, order));
    let all: Vec<(u128, Vec<usize>)> = candidates(jobs).into_iter().filter_map(scored).collect();
    let worst = all.iter().map(|it| it.0).max().unwrap_or(0);
    let Some((mut present, mut order)) = all.into_iter().min_by_key(|it| it.0) else { return Vec::new() };
    let mut best = (present, order.clone());
    let mut temperature = (worst - present) as f64;
    if worst == present {
        return order;
    }
    let mut state = plan.now();
    let mut draw = || {
        state = state.wrapping_add(11_400_714_819_323_198_485);
        let first = (state ^ (state >> 30)).wrapping_mul(13_787_848_793_156_543_929);
        let second = (first ^ (first >> 27)).wrapping_mul(10_723_151_780_598_845_931);
        second ^ (second >> 31)
    };
    for trial in 1..=WaitPower::COOLING_STEPS * WaitPower::TRIALS {
        let place = |number: u64| ((u128::from(number) * jobs.len() as u128) >> 64) as usize;
        let (one, other) = (place(draw()), place(draw()));
        let part = ((draw() >> 11) + 1) as f64 / 9_007_199_254_740_992.0;
        if one != other && jobs[order[one]].priority == jobs[order[other]].priority {
            order.swap(one, other);
            match score(&order, present as f64 - temperature * libm::log(part)) {
                Some(score) => present = score,
                None => order.swap(one, other),
            }
            if present < best.0 {
                best = (present, order.clone());
            }
        }
        if trial % WaitPower::TRIALS == 0 {
            temperature = (temperature * WaitPower::COOLING_RATE).max(1.0);
        }
    }
    best.1
}

impl BatchCheck {
    /// Puts the queue in the order in which the policy plans it, given the timeline of the running jobs.
    pub(super) fn order_by_search(&mut self, running: &Timeline, power: WaitPower) {
        let mut plan = running.clone();
        plan.beside_running = Some(plan.free_of_pools());
        let is_free = |job: &Waiting| !self.is_blocked(plan.now(), job) && job.tasks <= job.most;
        let places: Vec<usize> = (0..self.queue.len()).filter(|&at| is_free(&self.queue[at])).collect();
        let jobs: Vec<&Waiting> = places.iter().map(|&at| &self.queue[at]).collect();
        let start = |job: &&Waiting| plan.earliest(job, u64::MAX - 1).map(|(start, _)| start);
        let alone: Vec<Option<u64>> = jobs.iter().map(start).collect();
        if jobs.len() < 2 || !alone.contains(&Some(plan.now())) {
            return;
        }
        let order = best_order(&plan, &Jobs { jobs, alone, power });
        let before = self.queue.clone();
        for (&at, job) in places.iter().zip(order) {
            self.queue[at] = before[places[job]].clone();
        }
    }
}
