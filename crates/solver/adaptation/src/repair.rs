//! Repairs of placements that overload nodes or leave tasks without one.

use crate::placement::Placement;
use crate::tasks::{NOWHERE, Tasks};
use dfrsim_model::{Rng, Seed};
use rand::RngExt as _;

/// With no more tasks than this, two may be ejected at once.
const PAIRS_UP_TO: usize = 64;

/// About how many tasks may be examined for ejections, beside those of the first 64 searches.
const EJECTION_TESTS: usize = 1 << 17;

/// How a repair decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// How much the price of an ejected task counts beside its weight.
    pub(crate) thrift: f64,
    /// By how much orders and scores are disturbed, from 0; each number disturbs in its own way.
    pub(crate) noise: f64,
    pub(crate) number: u64,
    /// Whether a task with a choice takes the node with the least room, or the one with the most.
    pub(crate) best_fit: bool,
}

impl Style {
    /// How many styles are not disturbed.
    pub(crate) const PLAIN: usize = 3;

    /// One style after the other; those that are not disturbed come first.
    pub(crate) fn numbered(number: usize) -> Style {
        let thrift = [2.0, 0.5, 8.0];
        Style {
            thrift: thrift[number % thrift.len()],
            noise: if number < Style::PLAIN { 0.0 } else { 1.0 },
            number: number as u64,
            best_fit: number.is_multiple_of(2),
        }
    }
}

/// Repairs placements at the yield at hand. Holds the memory that this takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repair {
    pub(crate) placement: Placement,
    /// Tasks without a node, the next one last.
    pool: Vec<u32>,
    /// How often each task found no room.
    refused: Vec<f64>,
    /// By how much each task's weight is disturbed.
    noise: Vec<f64>,
    /// The amounts to compare for the ejection of each task.
    price: Vec<f64>,
    /// A task that is not ejected.
    held: Option<u32>,
    /// The cheapest placement of [`Repair::economise`].
    cheapest: Placement,
}

impl Repair {
    /// Makes a placement one of all tasks that overloads no node, at a low cost; says whether it can.
    ///
    /// Overloaded nodes are relieved of their cheapest tasks. Tasks without a node go home if there is room, or else where
    /// they leave the least; one that fits nowhere takes the place of another. A task becomes the dearer to eject the more
    /// often it was refused itself (the ejection pool of Nagata and Bräysy 2009), and the number of ejections is bounded. In the end tasks return home if that is possible.
    pub(crate) fn run(&mut self, tasks: &Tasks, start: &[u32], style: Style) -> bool {
        self.held = None;
        self.disturb(tasks, style);
        self.placement.start(tasks, start);
        self.pool.clear();
        self.pool.extend(
            (0..).zip(&self.placement.node_of).filter(|(_, node)| **node == NOWHERE).map(|(task, _)| task),
        );
        self.placement.nodes().all(|node| self.relieve(tasks, node)) && self.complete(tasks, style)
    }

    /// Makes the placement of a repair cheaper, if it can: one task after the other, the dearest first, is sent home and held
    /// there, and those in its way go elsewhere. No more rounds are made than there are tasks.
    pub(crate) fn economise(&mut self, tasks: &Tasks, style: Style) {
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

    /// Sends a task home and holds it there; says whether there is a place for all others.
    fn send_home(&mut self, tasks: &Tasks, task: u32, style: Style) -> bool {
        self.held = Some(task);
        self.refused.fill(1.0);
        self.pool.clear();
        let home = tasks.home[task as usize];
        self.placement.remove(tasks, task);
        self.placement.add(tasks, task, home);
        self.relieve(tasks, home) && self.complete(tasks, style)
    }

    /// Ejects tasks from a node until it is not overloaded; says whether it can.
    fn relieve(&mut self, tasks: &Tasks, node: u32) -> bool {
        while self.placement.is_overloaded(node) {
            let Some(task) = self.reliever(tasks, node) else { return false };
            self.eject(tasks, task);
        }
        true
    }

    /// Places the tasks without a node, and brings home those that can return.
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
        self.refused.clear();
        self.refused.resize(tasks.count(), 1.0);
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

    /// The task to take from an overloaded node: the cheapest that is enough, or else the one that relieves it most for
    /// its price.
    fn reliever(&self, tasks: &Tasks, node: u32) -> Option<u32> {
        let free = self.placement.free(node);
        let price = |task: u32| {
            let at = task as usize;
            let loss = if self.placement.loss(tasks, task) > 0 { tasks.price[at] } else { 0.0 };
            (loss + 0.1 * tasks.weight[at]) * self.noise[at]
        };
        let enough = |&task: &u32| free.iter().zip(tasks.takes(task)).all(|(free, takes)| free + takes >= 0);
        let relief = |task: u32| -> f64 {
            let amounts = free.iter().zip(tasks.takes(task)).zip(&tasks.scarcity);
            amounts.map(|((&free, &takes), scarcity)| takes.min((-free).max(0)) as f64 * scarcity).sum()
        };
        let may_leave = |&task: &u32| Some(task) != self.held && price(task).is_finite();
        let on = || self.placement.on[node as usize].iter().copied().filter(may_leave);
        let cheapest = on().filter(enough).min_by(|&a, &b| price(a).total_cmp(&price(b)));
        // Removing a task that uses none of the missing resources does not help.
        let missing =
            |&task: &u32| free.iter().zip(tasks.takes(task)).any(|(free, takes)| *free < 0 && *takes > 0);
        let value = |task: u32| relief(task) / price(task).max(f64::MIN_POSITIVE);
        cheapest.or_else(|| on().filter(missing).max_by(|&a, &b| value(a).total_cmp(&value(b))))
    }

    /// The heavier a task is, the dearer its leave, and the more often it was refused.
    fn set_price(&mut self, tasks: &Tasks, task: u32, style: Style) {
        let at = task as usize;
        let loss = if self.placement.loss(tasks, task) > 0 { tasks.price[at] } else { 0.0 };
        self.price[at] = (tasks.weight[at] + style.thrift * loss) * self.refused[at] * self.noise[at];
    }

    fn place_all(&mut self, tasks: &Tasks, style: Style) -> bool {
        let mut patience = 64 + (4 * self.pool.len()).min(EJECTION_TESTS / tasks.count().max(1));
        while let Some(task) = self.pool.pop() {
            if let Some(node) = self.roomy(tasks, task, style) {
                self.placement.add(tasks, task, node);
                self.set_price(tasks, task, style);
                continue;
            }
            if patience == 0 {
                return false;
            }
            patience -= 1;
            self.refused[task as usize] += 1.0;
            let Some((ejected, node)) = self.cheapest_ejection(tasks, task, style) else { return false };
            for other in ejected.into_iter().flatten() {
                self.eject(tasks, other);
            }
            self.placement.add(tasks, task, node);
            self.set_price(tasks, task, style);
        }
        true
    }

    /// The node for a task: its home, or of those with room the one with the least, or most.
    fn roomy(&self, tasks: &Tasks, task: u32, style: Style) -> Option<u32> {
        let home = tasks.home[task as usize];
        if home != NOWHERE && self.placement.fits(tasks, task, home) {
            return Some(home);
        }
        let sign = if style.best_fit { 1.0 } else { -1.0 };
        let room = |node: u32| sign * self.placement.room[node as usize];
        let roomy = self.placement.nodes().filter(|&node| self.placement.fits(tasks, task, node));
        roomy.min_by(|&a, &b| room(a).total_cmp(&room(b)))
    }

    /// The task that one that fits nowhere replaces, and its node.
    fn cheapest_ejection(&self, tasks: &Tasks, task: u32, style: Style) -> Option<([Option<u32>; 2], u32)> {
        let placement = &self.placement;
        let price = |other: u32| self.price[other as usize];
        let may_leave = |task: &u32| Some(*task) != self.held && price(*task).is_finite();
        let mut best: Option<([Option<u32>; 2], u32)> = None;
        let mut least = f64::INFINITY;
        for node in placement.nodes() {
            let on = &placement.on[node as usize];
            let at_home = tasks.home[task as usize] == node;
            let refund = if at_home { style.thrift * tasks.price[task as usize] } else { 0.0 };
            for (at, &one) in on.iter().enumerate() {
                // Another one beside it only makes it dearer.
                if price(one) - refund >= least || !may_leave(&one) {
                    continue;
                }
                if placement.fits_instead(tasks, task, [one], node) {
                    (best, least) = (Some(([Some(one), None], node)), price(one) - refund);
                } else if tasks.count() <= PAIRS_UP_TO {
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

    /// Brings tasks home, dear ones first: into room that is there, or in the place of one that is cheaper to have
    /// elsewhere and has room there.
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
                let cheaper = placement.loss(tasks, other) < tasks.cost[task as usize];
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
