//! What tasks take of the nodes that they are on.

use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::batch::NodeUse;
use dfrsim_model::platform::classes::{NodeClass, NodeClasses};
use dfrsim_model::priority::Reservation;
use dfrsim_model::{Share, SimTime};
use std::collections::BTreeMap;

/// From when to when, rising.
pub(super) type Spans = Vec<(SimTime, SimTime)>;

/// What a task takes: a node of its own; or cores, memory and other resources in their order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Need {
    pub(super) amounts: Vec<u64>,
    /// Whether it can be on nodes of each class.
    pub(super) fits: Vec<bool>,
    /// When it cannot, by reservations of others or of its own, by begin; empty if there are none.
    pub(super) closed: Vec<Spans>,
}

impl Need {
    /// Whether no reservation keeps it off the nodes of a class from one moment to another.
    pub(super) fn is_admitted(&self, class: usize, start: SimTime, end: SimTime) -> bool {
        let closed = self.closed.get(class);
        closed.is_none_or(|spans| !spans.iter().any(|&(from, until)| from < end && until > start))
    }

    /// How often it is in some amounts. The first of its own is above zero.
    #[inline]
    pub(super) fn times_in(&self, amounts: impl Iterator<Item = u64>) -> u64 {
        let mut most = u64::MAX;
        for (need, has) in self.amounts.iter().zip(amounts).filter(|(need, _)| **need > 0) {
            most = most.min(has / need);
            if most == 0 {
                break;
            }
        }
        most
    }
}

/// The different needs of jobs, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    node_use: NodeUse,
    dimensions: usize,
    all: Vec<Need>,
    numbers: BTreeMap<Need, usize>,
    pub(super) reservations: Vec<Reservation>,
    /// The least that a task takes of the first resource.
    least: u64,
}

impl Needs {
    pub(super) fn new(node_use: NodeUse) -> Needs {
        Needs { node_use, dimensions: 1, least: u64::MAX, ..Needs::default() }
    }

    /// Learns which resources nodes have.
    pub(super) fn know(&mut self, classes: Option<&NodeClasses>) {
        if self.node_use == NodeUse::Whole && classes.is_none() {
            self.all = vec![Need { amounts: vec![1], fits: vec![true], closed: Vec::new() }];
            self.least = 1;
        }
        if self.node_use != NodeUse::Whole {
            self.dimensions = 2 + classes.map_or(0, |classes| classes.resources().len());
        }
    }

    /// How many numbers a need has.
    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(super) fn get(&self, number: usize) -> &Need {
        &self.all[number]
    }

    /// Whether there is room for tasks of one need wherever there is for those of another.
    #[inline]
    pub(super) fn are_within(&self, one: usize, other: usize) -> bool {
        let (less, more) = (&self.all[one], &self.all[other]);
        let is_less = || less.amounts.iter().zip(&more.amounts).all(|(less, more)| less <= more);
        let is_kept_off = || less.closed == more.closed;
        one == other
            || is_less() && is_kept_off() && more.fits.iter().zip(&less.fits).all(|(more, less)| more <= less)
    }

    /// No job has more tasks than this where so much of the first resource is free.
    pub(super) fn most_in(&self, free: u64) -> u64 {
        free / self.least
    }

    /// What a node of each class has. Where cores are unknown, CPU counts in parts of a node.
    pub(super) fn node_of_each_class(&self, classes: Option<&NodeClasses>) -> Vec<Vec<u64>> {
        let one = u64::from(Share::ONE.units());
        match classes {
            None if self.node_use == NodeUse::Whole => vec![vec![1]],
            None => vec![vec![one, one]],
            Some(classes) if self.node_use == NodeUse::Whole => vec![vec![1]; classes.classes().len()],
            Some(classes) => {
                let of_class = |(place, class): (usize, &NodeClass)| {
                    let amounts = class.amounts.iter().map(|&amount| u64::from(amount));
                    [classes.cores_of(place).into(), class.memory].into_iter().chain(amounts).collect()
                };
                classes.classes().iter().enumerate().map(of_class).collect()
            }
        }
    }

    /// What tasks take of each resource of a pool that has so much.
    #[inline]
    pub(super) fn taken(&self, need: usize, whole: &[u64], tasks: u32) -> impl Iterator<Item = u64> {
        let is_exclusive = self.node_use == NodeUse::Exclusive;
        let amounts = self.all[need].amounts.iter().zip(whole);
        amounts.map(move |(need, &whole)| if is_exclusive { whole } else { need * u64::from(tasks) })
    }

    /// The number of a job's need, which jobs with equal tasks share.
    #[inline]
    pub(super) fn of(&mut self, view: View<'_>, job: JobHandle) -> usize {
        let is_known = self.node_use == NodeUse::Whole && view.classes().is_none();
        if is_known { 0 } else { self.number(view, job) }
    }

    /// When a job cannot be on nodes of each class.
    fn closed(&self, view: View<'_>, job: JobHandle) -> Vec<Spans> {
        let Some(classes) = view.classes().filter(|_| !self.reservations.is_empty()) else {
            return Vec::new();
        };
        let has =
            |features: u64, it: &Reservation| classes.names_of(features).any(|name| name == it.feature());
        let asked = view.demand(job).map_or(0, |demand| demand.features);
        let of_class = |class: &NodeClass| {
            let its = self.reservations.iter().filter(|it| has(class.features, it));
            let spans = its.flat_map(|it| it.closed(has(asked, it)));
            let mut spans: Spans = spans
                .map(|(from, until)| (SimTime::from_micros(from), SimTime::from_micros(until)))
                .collect();
            spans.sort_unstable();
            spans
        };
        classes.classes().iter().map(of_class).collect()
    }

    #[inline(never)]
    fn number(&mut self, view: View<'_>, job: JobHandle) -> usize {
        let (seen, classes) = (view.job(job), view.classes());
        let mut amounts = vec![1];
        if self.node_use != NodeUse::Whole {
            let cpu = classes.map_or(seen.cpu_need().units().max(1), |it| it.cores_for(seen.cpu_need()));
            let asked = view.demand(job).into_iter().flat_map(|demand| &demand.resources);
            amounts = vec![cpu.into(), seen.memory().units().into()];
            amounts.extend(asked.map(|asked| u64::from(asked.count)));
        }
        let count = classes.map_or(1, |classes| classes.classes().len());
        let fits = (0..count).map(|class| view.fits(job, class)).collect();
        let need = Need { amounts, fits, closed: self.closed(view, job) };
        *self.numbers.entry(need).or_insert_with_key(|need| {
            self.least = self.least.min(need.amounts[0]);
            self.all.push(need.clone());
            self.all.len() - 1
        })
    }
}
