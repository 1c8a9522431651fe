//! Memory and CPU left on nodes, for policies that place jobs by both.

use crate::devices::DevicesOnNodes;
use crate::{Decision, JobHandle, NodeRange, Placement, View};
use dfrsim_model::platform::classes::{NodeClasses, Sharing};
use dfrsim_model::platform::common::CommonResource;
use dfrsim_model::platform::devices::{DeviceRequest, OnDevices, WHOLE_DEVICE};
use dfrsim_model::{NodeId, Share};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Memory and CPU left on each node while a policy makes a decision, for jobs that run at full speed
/// or not at all.
///
/// Nodes of different classes have their own amounts and features. Where they have devices, tasks get
/// those that the rule of the platform chooses; a decision must [name](FreeNodes::name_devices) them, as
/// others may be free once all of its changes are made. Rigid resources and devices are held with the
/// memory, and shared resources are taken with the CPU. Licences and the power under a
/// cap, which the cluster has as a whole, count too: a job that has none left does not fit. At a lower
/// [speed level](FreeNodes::find_level) it needs less power.
///
/// ```
/// use dfrsim_cluster::{Decision, FreeNodes, NodeOrder, Scheduler, Situation};
/// use dfrsim_model::Yield;
///
/// /// Starts each job that fits, in order of submission, on the fullest nodes.
/// struct FirstFit;
///
/// impl Scheduler for FirstFit {
///     fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
///         let view = situation.view;
///         let mut free = FreeNodes::besides_running(view);
///         for &job in view.jobs().iter().filter(|&&job| view.job(job).placement().is_empty()) {
///             if let Some(nodes) = free.place(view, job, NodeOrder::Fullest) {
///                 decision.start(job, nodes, Yield::ONE);
///             }
///         }
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct FreeNodes {
    nodes: Vec<FreeNode>,
    /// Everything else that nodes of different classes have; `None` if all are equal.
    other: Option<OtherResources>,
    /// Resources of the whole cluster, if it has any.
    common: Option<Box<FreeCommon>>,
}

/// Resources other than memory and CPU, and the classes of the nodes.
#[derive(Clone, Debug)]
struct OtherResources {
    class_of: Vec<usize>,
    /// Index of the resource whose units are devices.
    devices_at: Option<usize>,
    sharing: Vec<Sharing>,
    /// Amount left of each resource, in share units of one unit, by node.
    left: Vec<Vec<u64>>,
    /// Part left of each device, by node.
    devices: Vec<Vec<u64>>,
    /// Devices of jobs.
    held: BTreeMap<JobHandle, DevicesOnNodes>,
}

/// Needs of a task.
struct TaskNeed {
    memory: u64,
    cpu: u64,
    /// Needs besides memory and CPU, where nodes differ.
    other: Option<OtherNeeds>,
}

struct OtherNeeds {
    /// True, for each class, if tasks may be on its nodes.
    allowed: Vec<bool>,
    /// Amounts that are taken with the memory, and those taken with the CPU.
    with_memory: Vec<u64>,
    with_cpu: Vec<u64>,
    devices: Option<DeviceRequest>,
}

impl OtherResources {
    fn new(classes: &NodeClasses) -> OtherResources {
        let one = u64::from(Share::ONE.units());
        let class_of: Vec<usize> = (0..classes.nodes()).map(|node| classes.class_of(node)).collect();
        let amounts = |class: &usize| classes.classes()[*class].amounts.iter();
        let left = class_of.iter().map(|class| amounts(class).map(|&units| u64::from(units) * one).collect());
        let devices_at = classes.devices();
        let count = |class: &usize| devices_at.map_or(0, |at| classes.classes()[*class].amounts[at] as usize);
        OtherResources {
            left: left.collect(),
            devices: class_of.iter().map(|class| vec![WHOLE_DEVICE; count(class)]).collect(),
            class_of,
            devices_at,
            sharing: classes.resources().iter().map(|resource| resource.sharing).collect(),
            held: BTreeMap::new(),
        }
    }
    fn request(&self, view: View<'_>, job: JobHandle) -> Option<DeviceRequest> {
        view.demand(job)?.devices(self.devices_at?)
    }
    /// Returns the amounts of a task that are taken with the memory, or those taken with the CPU.
    fn amounts(&self, view: View<'_>, job: JobHandle, with_memory: bool) -> Vec<u64> {
        let asked = view.demand(job).into_iter().flat_map(|demand| &demand.resources);
        let amount = |(asked, &sharing): (&_, &Sharing)| {
            let asked: &dfrsim_model::platform::classes::ResourceRequest = asked;
            if with_memory { asked.held(sharing) } else { asked.usable(sharing) }
        };
        asked.zip(&self.sharing).map(amount).collect()
    }
    fn needs(&self, view: View<'_>, job: JobHandle) -> OtherNeeds {
        let classes = view.classes().map_or(0, |classes| classes.classes().len());
        OtherNeeds {
            allowed: (0..classes).map(|class| view.fits(job, class)).collect(),
            with_memory: self.amounts(view, job, true),
            with_cpu: self.amounts(view, job, false),
            devices: self.request(view, job),
        }
    }
    /// Counts the tasks for which a node has room, at most `most`; with or without what is taken with
    /// the CPU.
    fn room(&self, needs: &OtherNeeds, node: usize, most: u32, with_cpu: bool) -> u32 {
        if !needs.allowed[self.class_of[node]] {
            return 0;
        }
        let left = &self.left[node];
        let rooms = left.iter().zip(&needs.with_memory).filter_map(|(left, each)| left.checked_div(*each));
        let by_cpu = left.iter().zip(&needs.with_cpu).filter_map(|(left, each)| left.checked_div(*each));
        let by_devices = needs.devices.map(|request| request.tasks_in(&self.devices[node]));
        let rooms = rooms.chain(by_cpu.filter(|_| with_cpu)).chain(by_devices);
        rooms.min().unwrap_or(u64::MAX).min(most.into()) as u32
    }
    /// Changes what is left of the resources that are taken with the memory, or with the CPU.
    fn change(
        &mut self,
        view: View<'_>,
        job: JobHandle,
        placement: Placement<'_>,
        with_memory: bool,
        change: impl Fn(&mut u64, u64),
    ) {
        let each = self.amounts(view, job, with_memory);
        for part in placement {
            let left = self.left[part.node.index()].iter_mut().zip(&each);
            left.for_each(|(left, each)| change(left, each * u64::from(part.tasks)));
        }
    }
    /// Takes devices for the tasks of a job: those that it holds, or those that the rule of the platform
    /// chooses.
    fn bind(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        let Some(request) = self.request(view, job) else { return };
        let mut on = view.devices(job).to_vec();
        if on.is_empty() {
            let chosen = placement.iter().map(|part| {
                let free = &self.devices[part.node.index()];
                let groups = view.classes().map_or(&[][..], |all| &all.of(part.node.0).device_groups);
                (part.node.0, request.choose_near(free, part.tasks, groups).expect("the tasks must fit"))
            });
            on = chosen.collect();
        }
        self.change_devices(request, &on, |left, parts| *left -= parts);
        self.held.insert(job, on);
    }
    /// Returns the devices of a job.
    fn release(&mut self, view: View<'_>, job: JobHandle) {
        if let Some((request, on)) = self.request(view, job).zip(self.held.remove(&job)) {
            self.change_devices(request, &on, |left, parts| *left += parts);
        }
    }
    fn change_devices(
        &mut self,
        request: DeviceRequest,
        on: &[(u32, OnDevices)],
        change: impl Fn(&mut u64, u64),
    ) {
        for &(node, on) in on {
            let left = &mut self.devices[node as usize];
            on.iter().for_each(|(device, tasks)| change(&mut left[device], u64::from(tasks) * request.part));
        }
    }
}

/// Resources of the whole cluster while a policy makes a decision. Jobs hold licences as they hold memory,
/// and power as they hold CPU, except that of the devices and sockets that their tasks use, which they hold
/// with the memory.
#[derive(Clone, Debug)]
struct FreeCommon {
    /// Amounts that there are, and those that jobs have.
    amounts: Vec<u64>,
    in_use: Vec<u64>,
    /// Speed levels of jobs that the decision places below full speed.
    levels: BTreeMap<JobHandle, u8>,
}

impl FreeCommon {
    /// Returns what an idle cluster has as a whole, given the amount of each resource; `None` if there is
    /// none.
    fn new(view: View<'_>, amount: impl Fn(&CommonResource) -> u64) -> Option<Box<FreeCommon>> {
        let resources = view.classes().map(NodeClasses::common).filter(|resources| !resources.is_empty())?;
        Some(Box::new(FreeCommon {
            amounts: resources.iter().map(amount).collect(),
            in_use: vec![0; resources.len()],
            levels: BTreeMap::new(),
        }))
    }
    /// Returns the speed level of a job: that of the decision, or the current one.
    fn level(&self, view: View<'_>, job: JobHandle) -> u8 {
        self.levels.get(&job).copied().unwrap_or_else(|| view.job(job).level())
    }
    /// Iterates over the amounts of a job at its speed level: those that are taken with the CPU if `power`
    /// is true, those that are taken with the memory if it is false, or all.
    fn amounts_of<'a>(
        &self,
        view: View<'a>,
        job: JobHandle,
        power: Option<bool>,
    ) -> impl Iterator<Item = u64> + use<'a> {
        let (level, demand) = (self.level(view, job), view.demand(job));
        let common = view.classes().map_or(&[][..], NodeClasses::common);
        let of_resource = move |(place, resource): (usize, &CommonResource)| {
            let Some(demand) = demand else { return 0 };
            let amount = demand.common_at(place, resource.demand, level);
            let with_memory = demand.fixed_common(place, resource.demand);
            match power {
                None => amount,
                Some(true) => amount - with_memory,
                Some(false) => with_memory,
            }
        };
        common.iter().enumerate().map(of_resource)
    }
    /// Changes the amounts that are taken with the CPU or with the memory by those of a job.
    fn change(&mut self, view: View<'_>, job: JobHandle, power: bool, change: impl Fn(&mut u64, u64)) {
        let amounts = self.amounts_of(view, job, Some(power));
        self.in_use.iter_mut().zip(amounts).for_each(|(in_use, own)| change(in_use, own));
    }
    /// Returns whether enough is left for a job, of what is taken with the CPU, of what is taken with the
    /// memory, or of both.
    fn suffices(&self, view: View<'_>, job: JobHandle, power: Option<bool>) -> bool {
        let mut all = self.in_use.iter().zip(&self.amounts).zip(self.amounts_of(view, job, power));
        all.all(|((in_use, amount), own)| own == 0 || in_use + own <= *amount)
    }
}

/// Order in which nodes are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeOrder {
    /// The nodes with the least memory and CPU left first.
    Fullest,
    /// The nodes with the most CPU left first, and the most memory among these.
    LeastLoaded,
}

#[derive(Clone, Copy, Debug)]
struct FreeNode {
    is_up: bool,
    /// Memory in share units of the reference node.
    memory: u64,
    /// CPU in share units of the reference node.
    cpu: u64,
    /// Sum of the CPU needs of the tasks in its memory, in share units.
    load: u64,
}

impl FreeNodes {
    /// Returns all nodes, as if no job ran and no node were down, with what the cluster has as a whole
    /// after the last change.
    #[must_use]
    pub fn all(view: View<'_>) -> FreeNodes {
        let one = u64::from(Share::ONE.units());
        let node = FreeNode { is_up: true, memory: one, cpu: one, load: 0 };
        let mut free = FreeNodes { nodes: vec![node; view.nodes() as usize], other: None, common: None };
        if let Some(classes) = view.classes() {
            for (node, own) in (0..).zip(&mut free.nodes) {
                let class = classes.of(node);
                (own.memory, own.cpu) = (class.memory, class.cpu);
            }
            free.other = Some(OtherResources::new(classes));
            free.common = FreeCommon::new(view, |resource| classes.lasting_amount(resource));
        }
        free
    }
    /// Returns the nodes that are up, as if no job ran, with what the cluster has as a whole now: of power,
    /// if devices or sockets draw all of theirs once they are used, the smallest amount from now on. Jobs
    /// that stay on their nodes at a yield of 0 draw it still after the cap has fallen.
    #[must_use]
    pub fn empty(view: View<'_>) -> FreeNodes {
        let mut free = FreeNodes::all(view);
        if let Some(classes) = view.classes().filter(|_| free.common.is_some()) {
            free.common = FreeCommon::new(view, |resource| classes.amount_to_hold(resource, view.now()));
        }
        if view.has_outages() {
            for (node, own) in (0..).zip(&mut free.nodes) {
                own.is_up = view.is_up(NodeId(node));
            }
        }
        free
    }

    /// Returns what the running jobs leave, each of them at full speed, of what the cluster has as a whole
    /// now.
    #[must_use]
    pub fn besides_running(view: View<'_>) -> FreeNodes {
        let mut free = FreeNodes::empty(view);
        if free.common.is_some() {
            free.common = FreeCommon::new(view, |resource| resource.amount_at(view.now()));
        }
        for &job in view.jobs() {
            free.occupy(view, job, view.job(job).placement());
        }
        free
    }

    /// Takes memory and CPU for the tasks of a job.
    ///
    /// # Panics
    ///
    /// If the tasks do not fit.
    pub fn occupy(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        self.occupy_memory(view, job, placement);
        self.occupy_cpu(view, job, placement);
    }
    /// Takes memory for the tasks of a job, which may have any yield, even 0. Their needs count as load.
    ///
    /// # Panics
    ///
    /// If the tasks do not fit.
    pub fn occupy_memory(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        let [memory, need] = FreeNodes::each(view, job);
        for part in placement {
            let node = &mut self.nodes[part.node.index()];
            node.memory -= memory * u64::from(part.tasks);
            node.load += need * u64::from(part.tasks);
        }
        if let Some(other) = &mut self.other {
            other.change(view, job, placement, true, |left, amount| *left -= amount);
            other.bind(view, job, placement);
        }
        self.change_common(view, job, placement, false, |in_use, amount| *in_use += amount);
    }
    /// Takes CPU for the tasks of a job.
    ///
    /// # Panics
    ///
    /// If the tasks do not fit.
    pub fn occupy_cpu(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        let [_, need] = FreeNodes::each(view, job);
        for part in placement {
            self.nodes[part.node.index()].cpu -= need * u64::from(part.tasks);
        }
        if let Some(other) = &mut self.other {
            other.change(view, job, placement, false, |left, amount| *left -= amount);
        }
        self.change_common(view, job, placement, true, |in_use, amount| *in_use += amount);
    }
    /// Changes what jobs have of the resources of the whole cluster by that of a job that is placed.
    fn change_common(
        &mut self,
        view: View<'_>,
        job: JobHandle,
        placement: Placement<'_>,
        power: bool,
        change: impl Fn(&mut u64, u64),
    ) {
        if let Some(common) = self.common.as_mut().filter(|_| !placement.is_empty()) {
            common.change(view, job, power, change);
        }
    }
    /// Returns memory and CPU of the tasks of a job.
    pub fn vacate(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        self.vacate_memory(view, job, placement);
        let [_, need] = FreeNodes::each(view, job);
        for part in placement {
            self.nodes[part.node.index()].cpu += need * u64::from(part.tasks);
        }
        if let Some(other) = &mut self.other {
            other.change(view, job, placement, false, |left, amount| *left += amount);
        }
        self.change_common(view, job, placement, true, |in_use, amount| *in_use -= amount);
    }
    /// Returns memory of the tasks of a job.
    pub fn vacate_memory(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        let [memory, need] = FreeNodes::each(view, job);
        for part in placement {
            let node = &mut self.nodes[part.node.index()];
            node.memory += memory * u64::from(part.tasks);
            node.load -= need * u64::from(part.tasks);
        }
        if let Some(other) = &mut self.other {
            other.change(view, job, placement, true, |left, amount| *left += amount);
            other.release(view, job);
        }
        self.change_common(view, job, placement, false, |in_use, amount| *in_use -= amount);
    }

    /// Returns memory and CPU need of a task, in share units.
    fn each(view: View<'_>, job: JobHandle) -> [u64; 2] {
        [view.job(job).memory(), view.job(job).cpu_need()].map(|share| share.units().into())
    }

    /// Names the devices of a job, which has been placed here, in the decision that has just started or
    /// resumed it.
    pub fn name_devices(&self, job: JobHandle, decision: &mut Decision) {
        if let Some(on) = self.other.as_ref().and_then(|other| other.held.get(&job)) {
            decision.on_devices(on.iter().copied());
        }
    }

    /// Returns whether the nodes of a placement have the CPU for the tasks of a job, and the cluster has
    /// the power.
    #[must_use]
    pub fn has_cpu(&self, view: View<'_>, job: JobHandle, placement: Placement<'_>) -> bool {
        let [_, need] = FreeNodes::each(view, job);
        let has_cpu = |node: usize, tasks: u32| self.nodes[node].cpu >= need * u64::from(tasks);
        let fits = placement.into_iter().all(|part| has_cpu(part.node.index(), part.tasks));
        let has_power = self.common.as_ref().is_none_or(|common| common.suffices(view, job, Some(true)));
        has_power
            && fits
            && self.other.as_ref().is_none_or(|other| {
                let each = other.amounts(view, job, false);
                placement.into_iter().all(|part| {
                    let left = other.left[part.node.index()].iter().zip(&each);
                    left.into_iter().all(|(left, each)| *left >= each * u64::from(part.tasks))
                })
            })
    }

    /// Finds the first speed level at which a job meets a condition, and sets it here for the job: any
    /// level if it is at full speed, and otherwise only its own. If there is none, the level stays.
    pub fn find_level(
        &mut self,
        view: View<'_>,
        job: JobHandle,
        meets: impl Fn(&FreeNodes) -> bool,
    ) -> Option<u8> {
        let own = self.level(view, job);
        if meets(self) {
            return Some(own);
        }
        let levels = view.classes().map_or(0, |classes| classes.levels().len() as u8);
        if levels == 0 || own > 0 {
            return None;
        }
        for level in 1..=levels {
            self.set_level(job, level);
            if meets(self) {
                return Some(level);
            }
        }
        self.set_level(job, own);
        None
    }
    /// Returns the speed level of a job: the one that was set here, or the current one.
    #[must_use]
    pub fn level(&self, view: View<'_>, job: JobHandle) -> u8 {
        self.common.as_ref().map_or(0, |common| common.level(view, job))
    }
    fn set_level(&mut self, job: JobHandle, level: u8) {
        if let Some(common) = &mut self.common {
            common.levels.insert(job, level);
        }
    }

    fn need(&self, view: View<'_>, job: JobHandle) -> TaskNeed {
        let [memory, cpu] = FreeNodes::each(view, job);
        TaskNeed { memory, cpu, other: self.other.as_ref().map(|other| other.needs(view, job)) }
    }
    /// Counts the tasks that fit on a node, by memory and CPU.
    fn tasks_that_fit(&self, need: &TaskNeed, node: usize) -> u32 {
        let FreeNode { is_up, memory, cpu, load: _ } = self.nodes[node];
        let by = |free: u64, each: u64| free.checked_div(each).unwrap_or(u32::MAX.into());
        let most = by(memory, need.memory).min(by(cpu, need.cpu)).min(u32::MAX.into()) as u32;
        let most = if is_up { most } else { 0 };
        match (&self.other, &need.other) {
            (Some(other), Some(needs)) if most > 0 => other.room(needs, node, most, true),
            _ => most,
        }
    }

    /// Returns whether all tasks of a job fit.
    #[must_use]
    pub fn fits(&self, view: View<'_>, job: JobHandle) -> bool {
        if self.common.as_ref().is_some_and(|common| !common.suffices(view, job, None)) {
            return false;
        }
        let (tasks, need) = (u64::from(view.job(job).tasks()), self.need(view, job));
        (0..self.nodes.len()).map(|node| u64::from(self.tasks_that_fit(&need, node))).sum::<u64>() >= tasks
    }

    /// Places the tasks of a job, as many on each node as fit; returns their nodes in ascending order.
    /// `None`, without a change, if they do not all fit.
    #[must_use]
    pub fn place(&mut self, view: View<'_>, job: JobHandle, order: NodeOrder) -> Option<Vec<NodeRange>> {
        if !self.fits(view, job) {
            return None;
        }
        let need = self.need(view, job);
        let mut nodes: Vec<usize> =
            (0..self.nodes.len()).filter(|&node| self.tasks_that_fit(&need, node) > 0).collect();
        let left = |node: usize| (self.nodes[node].memory, self.nodes[node].cpu);
        match order {
            NodeOrder::Fullest => nodes.sort_by_key(|&node| {
                let (memory, cpu) = left(node);
                (memory + cpu, node)
            }),
            NodeOrder::LeastLoaded => nodes.sort_by_key(|&node| {
                let (memory, cpu) = left(node);
                (Reverse((cpu, memory)), node)
            }),
        }
        let mut missing = view.job(job).tasks();
        let mut parts: Vec<NodeRange> = Vec::new();
        for node in nodes {
            let tasks = self.tasks_that_fit(&need, node).min(missing);
            parts.push(NodeRange { first: NodeId(node as u32), nodes: 1, tasks });
            missing -= tasks;
            if missing == 0 {
                break;
            }
        }
        parts.sort_unstable_by_key(|part| part.first);
        self.occupy(view, job, Placement::new(&parts));
        Some(parts)
    }

    /// Places the tasks of a job by memory alone, one after the other on the node with the lowest load
    /// that has memory for it (ties: the lowest node), as Greedy does (dissertation, section 5.2.1).
    /// Returns their nodes in ascending order; `None`, without a change, if they do not all fit.
    #[must_use]
    pub fn place_in_memory(&mut self, view: View<'_>, job: JobHandle) -> Option<Vec<NodeRange>> {
        let [memory, need] = FreeNodes::each(view, job);
        if self.common.as_ref().is_some_and(|common| !common.suffices(view, job, Some(false))) {
            return None;
        }
        let mut after: Vec<FreeNode> = self.nodes.clone();
        let mut tasks_on = vec![0; after.len()];
        let rooms: Option<Vec<u32>> = self.other.as_ref().map(|other| {
            let (needs, tasks) = (other.needs(view, job), view.job(job).tasks());
            (0..self.nodes.len()).map(|node| other.room(&needs, node, tasks, false)).collect()
        });
        for _ in 0..view.job(job).tasks() {
            let has_room = |node: &(usize, &mut FreeNode)| {
                let others = rooms.as_ref().is_none_or(|rooms| rooms[node.0] > tasks_on[node.0]);
                node.1.is_up && node.1.memory >= memory && others
            };
            let nodes = after.iter_mut().enumerate().filter(has_room);
            let (node, own) = nodes.min_by_key(|(node, own)| (own.load, *node))?;
            own.memory -= memory;
            own.load += need;
            tasks_on[node] += 1;
        }
        let parts = (0..).zip(tasks_on).filter(|(_, tasks)| *tasks > 0);
        let parts: Vec<NodeRange> =
            parts.map(|(node, tasks)| NodeRange { first: NodeId(node), nodes: 1, tasks }).collect();
        self.nodes = after;
        if let Some(other) = &mut self.other {
            let placement = Placement::new(&parts);
            other.change(view, job, placement, true, |left, amount| *left -= amount);
            other.bind(view, job, placement);
        }
        if let Some(common) = &mut self.common {
            common.change(view, job, false, |in_use, amount| *in_use += amount);
        }
        Some(parts)
    }

    /// Chooses running jobs that must leave so that a job fits: the first ones of `candidates` that
    /// suffice, without those that need not leave after all, of which the last ones are kept first.
    /// Returns their indices in ascending order; `None` if not even all of them suffice.
    ///
    /// Nothing is changed. The candidates must be placed and counted as [running](FreeNodes::occupy).
    #[must_use]
    pub fn victims(&self, view: View<'_>, job: JobHandle, candidates: &[JobHandle]) -> Option<Vec<usize>> {
        let mut after = self.clone();
        let mut off = Vec::new();
        candidates.iter().enumerate().find(|(at, other)| {
            after.vacate(view, **other, view.job(**other).placement());
            off.push(*at);
            after.fits(view, job)
        })?;
        let mut leaving = Vec::new();
        for at in off.into_iter().rev() {
            let other = candidates[at];
            after.occupy(view, other, view.job(other).placement());
            if !after.fits(view, job) {
                after.vacate(view, other, view.job(other).placement());
                leaving.push(at);
            }
        }
        leaving.reverse();
        Some(leaving)
    }
}
