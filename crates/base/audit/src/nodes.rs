//! The nodes of a cluster: what each has and gives, and what jobs ask of them.

use crate::Rule;
use dfrsim_model::event::{ClassOfNodes, ResourceOfNodes};
use dfrsim_model::{Share, Yield};
use std::sync::Arc;

const ONE: u64 = Share::ONE.units() as u64;

/// Alike nodes.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) nodes: u32,
    pub(crate) speed: u32,
    /// Memory, CPU, and each other resource of a node, in share units.
    pub(crate) capacity: Vec<u64>,
    pub(crate) features: Vec<String>,
    /// How many kinds have less: of the first of the other resources in which they differ, then memory, then CPU.
    pub(crate) plenty: usize,
    /// Cores, memory, and pieces of the other resources; empty if the cores are not known.
    pub(crate) pieces: Vec<i64>,
    /// The names of the other resources; `None` where no file says what nodes have.
    pub(crate) resources: Option<Vec<String>>,
}

impl Kind {
    /// The nodes of a cluster that are all the reference node.
    fn reference(nodes: u32) -> Kind {
        let (capacity, pieces) = (vec![ONE; 2], vec![ONE as i64; 2]);
        let (features, resources) = (Vec::new(), None);
        Kind { nodes, speed: Yield::ONE.units(), capacity, features, plenty: 0, pieces, resources }
    }
    /// Whether a task may be on such a node at full speed.
    fn fits(&self, size: &Size) -> bool {
        let takes = size.held.iter().zip(&size.used).zip(&size.shared);
        let has_all =
            takes.zip(&self.capacity).all(|(((held, used), shared), has)| (held + used).max(*shared) <= *has);
        has_all && size.features.iter().all(|name| self.features.contains(name))
    }
}

/// What a task takes, by resource as in [`Kind::capacity`], in share units.
#[derive(Clone, Debug, Default)]
pub(crate) struct Size {
    /// At any yield.
    pub(crate) held: Vec<u64>,
    /// At a yield of 1; in proportion to the yield at others.
    pub(crate) used: Vec<u64>,
    /// All pieces of a resource that is shared.
    shared: Vec<u64>,
    pub(crate) features: Vec<String>,
    /// Whether it may be on nodes of each kind.
    pub(crate) allowed: Vec<bool>,
    /// As [`Kind::pieces`].
    pub(crate) pieces: Vec<i64>,
}

impl Size {
    /// That of a task which asks for no more than CPU and memory.
    pub(crate) fn new(need: u32, memory: u32) -> Size {
        Size {
            held: vec![memory.into(), 0],
            used: vec![0, need.into()],
            shared: vec![0; 2],
            features: Vec::new(),
            allowed: vec![true],
            pieces: vec![need.max(1).into(), memory.into()],
        }
    }
}

/// What is in use of a resource of a node, in share units * yield units, and the line and job that last added to it.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    amount: u128,
    by: (u64, u64),
}

/// The nodes of a cluster. Those that change are judged once a moment, when all of its changes are applied.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) kinds: Arc<Vec<Kind>>,
    /// The other resources.
    resources: Vec<ResourceOfNodes>,
    /// Of the reference node.
    cores: Option<u32>,
    /// Whether it is said which classes of nodes there are.
    pub(crate) have_classes: bool,
    /// By resource, of all nodes up to the highest that was used.
    used: Vec<Vec<Use>>,
    /// Those that changed in this moment, some of them more than once.
    touched: Vec<u32>,
    /// The largest parts of a node's memory and CPU that were in use at once.
    pub(crate) peaks: [f64; 2],
}

impl Nodes {
    pub(crate) fn new(nodes: u32) -> Nodes {
        Nodes { kinds: Arc::new(vec![Kind::reference(nodes)]), ..Nodes::default() }
    }
    /// Nodes differ. False if these are no classes of the cluster.
    pub(crate) fn differ(
        &mut self,
        resources: &[ResourceOfNodes],
        classes: &[ClassOfNodes],
        cores: Option<u32>,
    ) -> bool {
        let is_class = |class: &ClassOfNodes| {
            class.resources.len() == resources.len()
                && class.nodes > 0
                && (1..=Yield::ONE.units()).contains(&class.speed)
        };
        let sum: u64 = classes.iter().map(|class| u64::from(class.nodes)).sum();
        let all: u64 = self.kinds.iter().map(|kind| u64::from(kind.nodes)).sum();
        if sum != all || cores == Some(0) || !classes.iter().all(is_class) {
            return false;
        }
        let has = |class: &ClassOfNodes| (class.resources.clone(), class.memory, class.cpu);
        let kind = |class: &ClassOfNodes| Kind {
            nodes: class.nodes,
            speed: class.speed,
            capacity: [class.memory, class.cpu]
                .into_iter()
                .chain(class.resources.iter().map(|&count| u64::from(count) * ONE))
                .collect(),
            features: class.features.clone(),
            plenty: classes.iter().filter(|other| has(other) < has(class)).count(),
            pieces: pieces(cores, class.cpu, class.memory, &class.resources),
            resources: Some(resources.iter().map(|resource| resource.name.clone()).collect()),
        };
        (self.cores, self.have_classes) = (cores, true);
        self.kinds = Arc::new(classes.iter().map(kind).collect());
        self.resources = resources.to_vec();
        true
    }

    fn of(&self, node: u32) -> &Kind {
        let mut end = 0_u64;
        let has_it = |kind: &&Kind| {
            end += u64::from(kind.nodes);
            u64::from(node) < end
        };
        self.kinds.iter().find(has_it).unwrap_or(&self.kinds[0])
    }
    /// The speed of the slowest of these nodes.
    pub(crate) fn slowest(&self, on: &[(u32, u32)]) -> u32 {
        on.iter().map(|&(node, _)| self.of(node).speed).min().unwrap_or(Yield::ONE.units())
    }
    /// What the nodes can do together, in reference nodes at full speed.
    pub(crate) fn capacity(&self) -> f64 {
        let speed = |kind: &Kind| f64::from(kind.speed) / f64::from(Yield::ONE.units());
        let of = |kind: &Kind| f64::from(kind.nodes) * kind.capacity[1] as f64 * speed(kind);
        self.kinds.iter().map(of).sum::<f64>() / ONE as f64
    }

    /// Returns the size of a task that also takes these counts of the other resources, each with a need, and asks for these features.
    /// `None` if the nodes have no such resources or features.
    pub(crate) fn size(&self, plain: &Size, asked: &[(u32, u32)], features: &[String]) -> Option<Size> {
        let is_known = |name: &String| self.kinds.iter().any(|kind| kind.features.contains(name));
        let is_right =
            asked.len() == self.resources.len() && asked.iter().all(|ask| ask.1 <= Share::ONE.units());
        if !self.have_classes || !is_right || !features.iter().all(is_known) {
            return None;
        }
        let (held, used) = (plain.held[..2].to_vec(), plain.used[..2].to_vec());
        let mut size = Size { held, used, shared: vec![0; 2], features: features.to_vec(), ..plain.clone() };
        for (&(count, need), resource) in asked.iter().zip(&self.resources) {
            let (whole, part) = (u64::from(count) * ONE, u64::from(count) * u64::from(need));
            size.held.push(if resource.shared { 0 } else { whole });
            size.used.push(if resource.shared { part } else { 0 });
            size.shared.push(whole);
        }
        Some(self.complete(size))
    }
    /// What a task takes of these nodes, before it asks for more.
    pub(crate) fn plain_size(&self, size: &Size) -> Size {
        let mut size = size.clone();
        for amounts in [&mut size.held, &mut size.used, &mut size.shared] {
            amounts.resize(2 + self.resources.len(), 0);
        }
        self.complete(size)
    }
    fn complete(&self, mut size: Size) -> Size {
        if self.have_classes {
            let counts: Vec<u32> = size.shared[2..].iter().map(|whole| (whole / ONE) as u32).collect();
            size.pieces = pieces(self.cores, size.used[1], size.held[0], &counts);
            size.pieces.iter_mut().take(1).for_each(|cores| *cores = (*cores).max(1));
        }
        size.allowed = self.kinds.iter().map(|kind| kind.fits(&size)).collect();
        size
    }

    /// The first of a job's nodes without a feature that it asks for.
    pub(crate) fn missing(&self, size: &Size, on: &[(u32, u32)]) -> Option<Rule> {
        on.iter().find_map(|&(node, _)| {
            let missing = size.features.iter().find(|name| !self.of(node).features.contains(name))?;
            Some(format!("it is on node {node}, which does not have the feature {missing}").into())
        })
    }
    /// Tasks come to nodes by a line and a job, or leave them if there is none.
    pub(crate) fn change(&mut self, by: Option<(u64, u64)>, on: &[(u32, u32)], size: &Size, job_yield: u32) {
        for &(node, tasks) in on {
            let place = node as usize;
            if place >= self.used.len() {
                self.used.resize(place + 1, vec![Use::default(); 2 + self.resources.len()]);
            }
            for (at, it) in self.used[place].iter_mut().enumerate() {
                let yielded = u128::from(size.used[at]) * u128::from(job_yield);
                let amount = ((u128::from(size.held[at]) << Yield::BITS) + yielded) * u128::from(tasks);
                match by {
                    Some(by) if amount > 0 => *it = Use { amount: it.amount + amount, by },
                    _ => it.amount -= amount,
                }
            }
            self.touched.push(node);
        }
    }
    /// Judges the nodes that changed in this moment: a fault has the line and the job that last added to what is over-committed.
    pub(crate) fn settle(&mut self, mut fault: impl FnMut((u64, u64), Rule)) {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for &node in &touched {
            let capacity = &self.of(node).capacity;
            let part = |amount: u128, whole: u64| number(amount) / number(u128::from(whole) << Yield::BITS);
            let mut peaks = self.peaks;
            for (at, (it, &has)) in self.used[node as usize].iter().zip(capacity).enumerate() {
                if at < 2 {
                    peaks[at] = peaks[at].max(part(it.amount, has.max(1)));
                }
                if it.amount > u128::from(has) << Yield::BITS {
                    let name = match at {
                        0 => "memory",
                        1 => "CPU",
                        _ => &self.resources[at - 2].name,
                    };
                    let (used, has) = (part(it.amount, ONE), has as f64 / ONE as f64);
                    fault(
                        it.by,
                        format!("the {name} of node {node} is over-committed: {used:.9} of {has}").into(),
                    );
                }
            }
            self.peaks = peaks;
        }
        touched.clear();
        self.touched = touched;
    }
}

/// The nearest number, which takes longer to find for those of more than 64 bits.
fn number(amount: u128) -> f64 {
    u64::try_from(amount).map_or(amount as f64, |amount| amount as f64)
}

/// Returns whole cores of a part of the reference node, rounded up, memory, and other resources; an empty list if the cores of that node
/// are not known.
fn pieces(cores: Option<u32>, cpu: u64, memory: u64, others: &[u32]) -> Vec<i64> {
    let Some(cores) = cores else { return Vec::new() };
    let cores = (u128::from(cpu) * u128::from(cores)).div_ceil(ONE.into());
    let signed = |amount: u128| i64::try_from(amount).unwrap_or(i64::MAX);
    let others = others.iter().map(|&amount| i64::from(amount));
    [signed(cores), signed(memory.into())].into_iter().chain(others).collect()
}
