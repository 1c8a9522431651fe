//! Repair of placements that overload nodes or leave tasks unplaced.

use crate::placement::Placement;
use crate::tasks::{Tasks, UNPLACED};
use dfrsim_model::{Rng, Seed};
use rand::RngExt as _;

/// Maximum number of tasks for which two tasks may be ejected at once.
const MAX_TASKS_FOR_PAIRS: usize = 64;

/// Approximate number of tasks that may be examined for ejections, in addition to those of the first
/// 64 searches.
const EJECTION_TESTS: usize = 1 << 17;

/// Parameters of a repair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Weight of the moving cost of an ejected task, relative to its size.
    pub(crate) cost_weight: f64,
    /// Amplitude of random changes of orders and scores, 0 for none; each style number has its own
    /// random sequence.
    pub(crate) noise: f64,
    pub(crate) number: u64,
    /// True if a task takes the fitting node with the least free capacity (best fit); otherwise it
    /// takes the one with the most.
    pub(crate) best_fit: bool,
}

impl Style {
    /// Number of styles without randomness.
    pub(crate) const PLAIN: usize = 3;

    /// Returns the style with this number; those without randomness come first.
    pub(crate) fn numbered(number: usize) -> Style {
        let thrift = [2.0, 0.5, 8.0];
        Style {
            cost_weight: thrift[number % thrift.len()],
            noise: if number < Style::PLAIN { 0.0 } else { 1.0 },
            number: number as u64,
            best_fit: number.is_multiple_of(2),
        }
    }
}

/// Repair of placements at the current yield. It reuses its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repair {
    pub(crate) placement: Placement,
    /// Ejection pool: unplaced tasks, the next one last.
    pool: Vec<u32>,
    /// One more than the number of times that each task did not fit anywhere.
    rejections: Vec<f64>,
    /// Random factor of each task's weight.
    noise: Vec<f64>,
    /// Price of the ejection of each task.
    price: Vec<f64>,
    /// Task that must not be ejected.
    fixed: Option<u32>,
    /// Cheapest placement found by [`Repair::reduce_cost`].
    cheapest: Placement,
}

impl Repair {
    /// Repairs a placement: places all tasks without overloading a node, at a low cost; returns
    /// whether it succeeded.
    ///
    /// The cheapest tasks are ejected from overloaded nodes. Unplaced tasks go home if they fit
    /// there, or else to a node chosen by the style; one that fits nowhere replaces another task.
    /// The price of ejecting a task increases with the number of times that it did not fit itself
    /// (the ejection pool of Nagata and Bräysy 2009), and the number of ejections is bounded. At the
    /// end, tasks return home where possible.
    pub(crate) fn run(&mut self, tasks: &Tasks, start: &[u32], style: Style) -> bool {
        self.fixed = None;
        self.disturb(tasks, style);
        self.placement.reset(tasks, start);
        self.pool.clear();
        self.pool.extend(
            (0..).zip(&self.placement.node_of).filter(|(_, node)| **node == UNPLACED).map(|(task, _)| task),
        );
        self.placement.nodes().all(|node| self.relieve(tasks, node)) && self.complete(tasks, style)
    }

    /// Makes a repaired placement cheaper, if possible: one task after the other, the most expensive
    /// first, is moved home and fixed there, and tasks that no longer fit are moved elsewhere. The
    /// number of rounds is at most the number of tasks.
    pub(crate) fn reduce_cost(&mut self, tasks: &Tasks, style: Style) {
        self.disturb(tasks, style);
        self.cheapest.clone_from(&self.placement);
        for _ in 0..tasks.count() {
            let mut away: Vec<u32> = self.cheapest.away(tasks).collect();
            away.sort_by_key(|&task| std::cmp::Reverse(tasks.cost[task as usize]));
            let Some(_) = away.into_iter().find(|&task| {
                self.placement.clone_from(&self.cheapest);
                self.send_home(tasks, task, style) && self.placement.cost < self.cheapest.cost
            }) else {
                break;
            };
            self.cheapest.clone_from(&self.placement);
        }
        self.placement.clone_from(&self.cheapest);
    }

    /// Moves a task home and fixes it there; returns whether all other tasks could be placed.
    fn send_home(&mut self, tasks: &Tasks, task: u32, style: Style) -> bool {
        self.fixed = Some(task);
        self.rejections.fill(1.0);
        self.pool.clear();
        let home = tasks.home[task as usize];
        self.placement.remove(tasks, task);
        let rules = self.placement.rules.as_ref();
        let Some(blockers) = rules.map_or_else(|| Some(Vec::new()), |rules| rules.blockers(task, home))
        else {
            return false;
        };
        if blockers.iter().any(|&other| tasks.price[other as usize].is_infinite()) {
            return false;
        }
        blockers.iter().for_each(|&other| self.eject(tasks, other));
        if !self.placement.is_allowed(task, home, &[]) {
            return false;
        }
        self.placement.add(tasks, task, home);
        self.relieve(tasks, home) && self.complete(tasks, style)
    }

    /// Ejects tasks from a node until it is not overloaded; returns whether it succeeded.
    fn relieve(&mut self, tasks: &Tasks, node: u32) -> bool {
        while self.placement.is_overloaded(node) {
            let Some(task) = self.task_to_eject(tasks, node) else { return false };
            self.eject(tasks, task);
        }
        true
    }

    /// Places the unplaced tasks, and moves tasks home where possible; returns whether all could be
    /// placed.
    fn complete(&mut self, tasks: &Tasks, style: Style) -> bool {
        let order = |&task: &u32| tasks.weight[task as usize] * self.noise[task as usize];
        self.pool.sort_by(|a, b| order(a).total_cmp(&order(b)));
        self.price.clear();
        self.price.resize(tasks.count(), f64::INFINITY);
        (0..tasks.count() as u32).for_each(|task| self.set_price(tasks, task, style));
        if !self.place_all(tasks, style) {
            return false;
        }
        self.bring_home(tasks);
        true
    }

    fn disturb(&mut self, tasks: &Tasks, style: Style) {
        self.rejections.clear();
        self.rejections.resize(tasks.count(), 1.0);
        self.noise.clear();
        if style.noise > 0.0 {
            let mut rng: Rng = Seed::new(style.number).fork("adaptation").rng();
            let noise = (0..tasks.count()).map(|_| 1.0 + style.noise * (rng.random::<f64>() - 0.5));
            self.noise.extend(noise);
        } else {
            self.noise.resize(tasks.count(), 1.0);
        }
    }

    fn eject(&mut self, tasks: &Tasks, task: u32) {
        self.placement.remove(tasks, task);
        self.pool.push(task);
    }

    /// Selects the task to eject from an overloaded node: the cheapest one that suffices, or else
    /// the one with the best ratio of relief to price.
    fn task_to_eject(&self, tasks: &Tasks, node: u32) -> Option<u32> {
        let free = self.placement.free(node);
        let price = |task: u32| {
            let at = task as usize;
            let loss = if self.placement.leaving_cost(tasks, task) > 0 { tasks.price[at] } else { 0.0 };
            (loss + 0.1 * tasks.weight[at]) * self.noise[at]
        };
        let enough = |&task: &u32| free.iter().zip(tasks.demand(task)).all(|(free, takes)| free + takes >= 0);
        let relief = |task: u32| -> f64 {
            let amounts = free.iter().zip(tasks.demand(task)).zip(&tasks.scarcity);
            amounts.map(|((&free, &takes), scarcity)| takes.min((-free).max(0)) as f64 * scarcity).sum()
        };
        let may_leave = |&task: &u32| Some(task) != self.fixed && price(task).is_finite();
        let on = || self.placement.on[node as usize].iter().copied().filter(may_leave);
        let cheapest = on().filter(enough).min_by(|&a, &b| price(a).total_cmp(&price(b)));
        // Ejecting a task that uses none of the overloaded resources does not help.
        let missing =
            |&task: &u32| free.iter().zip(tasks.demand(task)).any(|(free, takes)| *free < 0 && *takes > 0);
        let value = |task: u32| relief(task) / price(task).max(f64::MIN_POSITIVE);
        cheapest.or_else(|| on().filter(missing).max_by(|&a, &b| value(a).total_cmp(&value(b))))
    }

    /// Sets the ejection price of a task, which increases with its weight, its moving cost, and the
    /// number of times that it did not fit.
    fn set_price(&mut self, tasks: &Tasks, task: u32, style: Style) {
        let at = task as usize;
        let loss = if self.placement.leaving_cost(tasks, task) > 0 { tasks.price[at] } else { 0.0 };
        self.price[at] = (tasks.weight[at] + style.cost_weight * loss) * self.rejections[at] * self.noise[at];
    }

    fn place_all(&mut self, tasks: &Tasks, style: Style) -> bool {
        let mut patience = 64 + (4 * self.pool.len()).min(EJECTION_TESTS / tasks.count().max(1));
        while let Some(task) = self.pool.pop() {
            if let Some(node) = self.select_node(tasks, task, style) {
                self.placement.add(tasks, task, node);
                self.set_price(tasks, task, style);
                continue;
            }
            if patience == 0 {
                return false;
            }
            patience -= 1;
            self.rejections[task as usize] += 1.0;
            let found = self.cheapest_ejection(tasks, task, style);
            let found = found.map(|(ejected, node)| (ejected.into_iter().flatten().collect(), node));
            let Some((ejected, node)) = found.or_else(|| self.several_ejections(tasks, task)) else {
                return false;
            };
            for other in ejected {
                self.eject(tasks, other);
            }
            self.placement.add(tasks, task, node);
            self.set_price(tasks, task, style);
        }
        true
    }

    /// Selects a node for a task: its home if it fits there; otherwise the fitting node with the
    /// least free capacity, or the most, by style.
    fn select_node(&self, tasks: &Tasks, task: u32, style: Style) -> Option<u32> {
        let home = tasks.home[task as usize];
        if home != UNPLACED && self.placement.fits(tasks, task, home) {
            return Some(home);
        }
        let sign = if style.best_fit { 1.0 } else { -1.0 };
        let room = |node: u32| sign * self.placement.free_weight[node as usize];
        let roomy = self.placement.nodes().filter(|&node| self.placement.fits(tasks, task, node));
        roomy.min_by(|&a, &b| room(a).total_cmp(&room(b)))
    }

    /// Finds the cheapest tasks to eject for a task that fits nowhere, one or two, and their node.
    fn cheapest_ejection(&self, tasks: &Tasks, task: u32, style: Style) -> Option<([Option<u32>; 2], u32)> {
        let placement = &self.placement;
        let price = |other: u32| self.price[other as usize];
        let may_leave = |task: &u32| Some(*task) != self.fixed && price(*task).is_finite();
        let mut best: Option<([Option<u32>; 2], u32)> = None;
        let mut least = f64::INFINITY;
        for node in placement.nodes() {
            let on = &placement.on[node as usize];
            let at_home = tasks.home[task as usize] == node;
            let refund = if at_home { style.cost_weight * tasks.price[task as usize] } else { 0.0 };
            for (at, &one) in on.iter().enumerate() {
                // Ejecting a second task would only add to the price.
                if price(one) - refund >= least || !may_leave(&one) {
                    continue;
                }
                if placement.fits_instead(tasks, task, [one], node) {
                    (best, least) = (Some(([Some(one), None], node)), price(one) - refund);
                } else if tasks.count() <= MAX_TASKS_FOR_PAIRS {
                    for &other in on[at + 1..].iter().filter(|task| may_leave(task)) {
                        let price = price(one) + price(other) - refund;
                        if price < least && placement.fits_instead(tasks, task, [one, other], node) {
                            (best, least) = (Some(([Some(one), Some(other)], node)), price);
                        }
                    }
                }
            }
        }
        best
    }

    /// Finds the node that a task can take if several tasks leave: those that rules keep apart from it,
    /// which may be on other nodes, and then the cheapest ones there. Returns the tasks whose ejection
    /// costs least, and the node.
    fn several_ejections(&mut self, tasks: &Tasks, task: u32) -> Option<(Vec<u32>, u32)> {
        self.placement.rules.as_ref()?;
        let mut best: Option<(f64, Vec<u32>, u32)> = None;
        for node in self.placement.nodes() {
            let rules = self.placement.rules.as_ref()?;
            let Some(blockers) = rules.blockers(task, node) else { continue };
            let mut others = self.placement.on[node as usize].clone();
            others.retain(|other| !blockers.contains(other));
            others.sort_by(|&a, &b| self.price[a as usize].total_cmp(&self.price[b as usize]));
            let mut left: Vec<(u32, u32)> = Vec::new();
            let mut price = 0.0;
            for other in blockers.into_iter().chain(others) {
                if self.placement.fits(tasks, task, node) {
                    break;
                }
                price += if Some(other) == self.fixed { f64::INFINITY } else { self.price[other as usize] };
                if best.as_ref().map_or(f64::INFINITY, |best| best.0) <= price {
                    break;
                }
                left.push((other, self.placement.node_of[other as usize]));
                self.placement.remove(tasks, other);
            }
            let fits = self.placement.fits(tasks, task, node);
            for &(other, of) in left.iter().rev() {
                self.placement.add(tasks, other, of);
            }
            if fits {
                best = Some((price, left.into_iter().map(|(other, _)| other).collect(), node));
            }
        }
        best.map(|(_, ejected, node)| (ejected, node))
    }

    /// Moves tasks home, the most expensive first: where they fit, or in exchange for a task that is
    /// cheaper to move and fits elsewhere.
    fn bring_home(&mut self, tasks: &Tasks) {
        let placement = &mut self.placement;
        self.pool.extend(placement.away(tasks));
        self.pool.sort_by_key(|&task| std::cmp::Reverse(tasks.cost[task as usize]));
        for task in self.pool.drain(..) {
            let (home, left) = (tasks.home[task as usize], placement.node_of[task as usize]);
            placement.remove(tasks, task);
            if placement.fits(tasks, task, home) {
                placement.add(tasks, task, home);
                continue;
            }
            let swap = placement.on[home as usize].iter().copied().find_map(|other| {
                let cheaper = placement.leaving_cost(tasks, other) < tasks.cost[task as usize];
                if !cheaper || !placement.fits_instead(tasks, task, [other], home) {
                    return None;
                }
                let room = |&node: &u32| node != home && placement.fits(tasks, other, node);
                placement.nodes().find(room).map(|node| (other, node))
            });
            match swap {
                Some((other, node)) => {
                    placement.remove(tasks, other);
                    placement.add(tasks, other, node);
                    placement.add(tasks, task, home);
                }
                None => placement.add(tasks, task, left),
            }
        }
    }
}
