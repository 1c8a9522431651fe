//! Nodes that differ: what each has, what jobs ask for, and what is in use.

use crate::Rule;
use crate::nodes::Overcommitted;
use dfrsim_model::event::{ClassOfNodes, ResourceOfNodes};
use dfrsim_model::{Share, Yield};
use std::collections::BTreeMap;

/// What the tasks of a job ask for.
#[derive(Clone, Debug, Default)]
struct Ask {
    resources: Vec<(u32, u32)>,
    features: Vec<String>,
}

/// The nodes of a class.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) nodes: u32,
    pub(crate) speed: u32,
    /// How many classes have less: of the first resource in which they differ, then memory, then CPU.
    pub(crate) plenty: usize,
    /// Cores, memory and other resources of a node; empty if the cores are not known.
    pub(crate) amounts: Vec<i64>,
}

/// Alike nodes.
#[derive(Clone, Debug)]
pub(crate) struct NodeKind {
    pub(crate) nodes: u32,
    pub(crate) speed: u32,
    /// Of each resource, in share units.
    pub(crate) capacity: Vec<u64>,
}

impl NodeKind {
    /// The nodes of a cluster that are all the reference node.
    pub(crate) fn reference(nodes: u32) -> NodeKind {
        NodeKind { nodes, speed: Yield::ONE.units(), capacity: vec![u64::from(Share::ONE.units()); 2] }
    }
}

/// The last use of a node's resources: the line and job that added to it.
type By = (u64, u64);

/// The nodes of a cluster by class.
#[derive(Debug)]
pub(crate) struct Classes {
    resources: Vec<ResourceOfNodes>,
    classes: Vec<ClassOfNodes>,
    /// Of the reference node.
    cores: Option<u32>,
    asked: BTreeMap<u64, Ask>,
    /// What is in use on each node that was ever used, in share units * yield units.
    used: BTreeMap<u32, Vec<u128>>,
    /// The nodes that changed in this moment.
    touched: BTreeMap<u32, By>,
}

impl Classes {
    /// `None` if these are no classes of a cluster of this size.
    pub(crate) fn new(
        resources: &[ResourceOfNodes],
        classes: &[ClassOfNodes],
        cores: Option<u32>,
        nodes: u32,
    ) -> Option<Classes> {
        let sum: u64 = classes.iter().map(|class| u64::from(class.nodes)).sum();
        let is_class = |class: &ClassOfNodes| {
            class.resources.len() == resources.len()
                && class.nodes > 0
                && (1..=Yield::ONE.units()).contains(&class.speed)
        };
        let are_classes = sum == u64::from(nodes) && cores != Some(0) && classes.iter().all(is_class);
        are_classes.then(|| Classes {
            resources: resources.to_vec(),
            classes: classes.to_vec(),
            cores,
            asked: BTreeMap::new(),
            used: BTreeMap::new(),
            touched: BTreeMap::new(),
        })
    }

    fn of(&self, node: u32) -> &ClassOfNodes {
        let mut end = 0_u64;
        let has_it = |class: &&ClassOfNodes| {
            end += u64::from(class.nodes);
            u64::from(node) < end
        };
        self.classes.iter().find(has_it).unwrap_or(&self.classes[0])
    }
    /// The speed of the slowest of these nodes.
    pub(crate) fn slowest(&self, on: &[(u32, u32)]) -> u32 {
        on.iter().map(|&(node, _)| self.of(node).speed).min().unwrap_or(Yield::ONE.units())
    }
    /// CPU and memory of nodes in turn.
    pub(crate) fn capacities(&self) -> Vec<(u64, u64)> {
        self.classes.iter().flat_map(|class| vec![(class.cpu, class.memory); class.nodes as usize]).collect()
    }
    /// What the nodes can do together, in nodes at full speed.
    pub(crate) fn capacity(&self) -> f64 {
        let speed = |class: &ClassOfNodes| f64::from(class.speed) / f64::from(Yield::ONE.units());
        let of = |class: &ClassOfNodes| f64::from(class.nodes) * class.cpu as f64 * speed(class);
        self.classes.iter().map(of).sum::<f64>() / f64::from(Share::ONE.units())
    }

    /// The job that was just submitted asks for this; why it cannot.
    pub(crate) fn ask(&mut self, job: u64, resources: &[(u32, u32)], features: &[String]) -> Option<Rule> {
        let is_known = |name: &String| self.classes.iter().any(|class| class.features.contains(name));
        let is_right = resources.len() == self.resources.len()
            && resources.iter().all(|&(_, need)| need <= Share::ONE.units())
            && features.iter().all(is_known)
            && !self.asked.contains_key(&job);
        let ask = Ask { resources: resources.to_vec(), features: features.to_vec() };
        if is_right {
            self.asked.insert(job, ask);
        }
        (!is_right).then_some(Rule::BadAsk)
    }
    pub(crate) fn forget(&mut self, job: u64) {
        self.asked.remove(&job);
    }

    /// Whether a task of a job fits an empty node at full speed.
    fn fits(&self, job: u64, need: u32, memory: u32, class: &ClassOfNodes) -> bool {
        let has_all = self.asked.get(&job).is_none_or(|ask| {
            let enough = ask.resources.iter().zip(&class.resources).all(|((count, _), has)| count <= has);
            enough && ask.features.iter().all(|name| class.features.contains(name))
        });
        has_all && u64::from(need) <= class.cpu && u64::from(memory) <= class.memory
    }
    /// The same for each class.
    pub(crate) fn fitting(&self, job: u64, need: u32, memory: u32) -> Vec<bool> {
        self.classes.iter().map(|class| self.fits(job, need, memory, class)).collect()
    }

    /// Whole cores of a part of the reference node, rounded up.
    fn whole_cores(&self, cpu: u64) -> Option<i64> {
        let cores = u128::from(cpu) * u128::from(self.cores?);
        i64::try_from(cores.div_ceil(u128::from(Share::ONE.units()))).ok()
    }
    /// The classes as policies see them.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        let has = |class: &ClassOfNodes| (class.resources.clone(), class.memory, class.cpu);
        let less = |class: &ClassOfNodes| self.classes.iter().filter(|other| has(other) < has(class)).count();
        let amounts = |class: &ClassOfNodes| {
            let others = class.resources.iter().map(|&amount| i64::from(amount));
            Some([self.whole_cores(class.cpu)?, signed(class.memory)].into_iter().chain(others).collect())
        };
        let kind = |class: &ClassOfNodes| Kind {
            nodes: class.nodes,
            speed: class.speed,
            plenty: less(class),
            amounts: amounts(class).unwrap_or_default(),
        };
        self.classes.iter().map(kind).collect()
    }
    /// What a task of a job takes of these, if the cores are known.
    pub(crate) fn task(&self, job: u64, need: u32, memory: u32) -> Option<Vec<i64>> {
        let asked = self.asked.get(&job).map_or(&[][..], |ask| &ask.resources);
        let count = |place: usize| asked.get(place).map_or(0, |(count, _)| i64::from(*count));
        let mut amounts = vec![self.whole_cores(need.into())?.max(1), memory.into()];
        amounts.extend((0..self.resources.len()).map(count));
        Some(amounts)
    }

    /// The classes as lists of what their nodes have, memory and CPU first; one if all are the reference node.
    pub(crate) fn node_kinds(&self) -> Vec<NodeKind> {
        let one = u64::from(Share::ONE.units());
        let kind = |class: &ClassOfNodes| {
            let others = class.resources.iter().map(|&amount| u64::from(amount) * one);
            let capacity = [class.memory, class.cpu].into_iter().chain(others).collect();
            NodeKind { nodes: class.nodes, speed: class.speed, capacity }
        };
        self.classes.iter().map(kind).collect()
    }
    /// What a task of a job holds of these at any yield, and what it uses at a yield of 1.
    pub(crate) fn held_and_used(&self, job: u64, need: u32, memory: u32) -> [Vec<u64>; 2] {
        let (mut held, mut used) = (vec![memory.into(), 0], vec![0, need.into()]);
        let asked = self.asked.get(&job).map_or(&[][..], |ask| &ask.resources);
        for (place, resource) in self.resources.iter().enumerate() {
            let (count, need) = asked.get(place).copied().unwrap_or_default();
            let units = if resource.shared { need } else { Share::ONE.units() };
            let amount = u64::from(count) * u64::from(units);
            held.push(if resource.shared { 0 } else { amount });
            used.push(if resource.shared { amount } else { 0 });
        }
        [held, used]
    }

    /// The first of a job's nodes without a feature that it asks for.
    pub(crate) fn missing(&self, job: u64, on: &[(u32, u32)]) -> Option<Rule> {
        let ask = self.asked.get(&job)?;
        on.iter().find_map(|&(node, _)| {
            let missing = ask.features.iter().find(|name| !self.of(node).features.contains(name))?;
            Some(Rule::Feature { node, feature: missing.clone() })
        })
    }

    fn each(&mut self, job: u64, on: &[(u32, u32)], at: u32, mut change: impl FnMut(&mut u128, u128)) {
        let Some(ask) = self.asked.get(&job) else { return };
        for &(node, tasks) in on {
            let used = self.used.entry(node).or_insert_with(|| vec![0; self.resources.len()]);
            for ((used, resource), &(count, need)) in used.iter_mut().zip(&self.resources).zip(&ask.resources)
            {
                let (units, part) =
                    if resource.shared { (need, at) } else { (Share::ONE.units(), Yield::ONE.units()) };
                let amount = u128::from(count) * u128::from(units) * u128::from(part);
                change(used, amount * u128::from(tasks));
            }
        }
    }
    pub(crate) fn add(&mut self, job: u64, on: &[(u32, u32)], at: u32, line: u64) {
        self.each(job, on, at, |used, more| *used += more);
        if self.asked.contains_key(&job) {
            self.touched.extend(on.iter().map(|&(node, _)| (node, (line, job))));
        }
    }
    pub(crate) fn remove(&mut self, job: u64, on: &[(u32, u32)], at: u32) {
        self.each(job, on, at, |used, less| *used -= less);
    }

    /// Judges the nodes that changed in this moment.
    pub(crate) fn settle(&mut self, mut fault: impl FnMut(Overcommitted)) {
        for (node, (line, job)) in std::mem::take(&mut self.touched) {
            let Some(used) = self.used.get(&node) else { continue };
            for ((used, resource), &has) in used.iter().zip(&self.resources).zip(&self.of(node).resources) {
                let whole = u128::from(Share::ONE.units()) << Yield::BITS;
                if *used > u128::from(has) * whole {
                    let used = *used as f64 / whole as f64;
                    let rule = Rule::Resource { node, resource: resource.name.clone(), used, has };
                    fault(Overcommitted { line, job, rule });
                }
            }
        }
    }
}

fn signed(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}
