//! Tests the optimiser against complete enumeration, and the decision module on the cases of the
//! text.

use crate::common::*;
use dfrsim_context_switch::*;
use dfrsim_model::{NodeId, Seed};
use rayon::prelude::*;

/// Searches for the cheapest plan below a cost to any configuration with these states, in which each
/// VM acts at most once. Actions may have any order and pools, except that the suspends of a vjob
/// share a pool, and so do its resumes.
struct BruteForce<'a> {
    cluster: &'a Cluster,
    current: &'a Configuration,
    best: u64,
}

impl BruteForce<'_> {
    fn below(cluster: &Cluster, current: &Configuration, states: &[VmState], cost: u64) -> Option<u64> {
        let mut wanted = current.clone();
        let mut free = Vec::new();
        for &vm in cluster.by_name() {
            match states[cluster.vm(vm).vjob.index()] {
                VmState::Running => free.push(vm),
                state => wanted.set(vm, Place::of(state, current.place(vm).node()).unwrap()),
            }
        }
        let mut search = BruteForce { cluster, current, best: cost };
        let nodes = cluster.nodes().len() as u64;
        for mut number in 0..nodes.pow(free.len() as u32) {
            for &vm in &free {
                wanted.set(vm, running((number % nodes) as u32));
                number /= nodes;
            }
            if wanted.check(cluster).is_ok() {
                search.configuration(&wanted);
            }
        }
        (search.best < cost).then_some(search.best)
    }

    fn configuration(&mut self, wanted: &Configuration) {
        let mut tasks: Vec<Vec<Action>> = Vec::new();
        for &vm in self.cluster.by_name() {
            let action = Action::between(self.cluster, vm, self.current.place(vm), wanted.place(vm)).unwrap();
            let Some(action) = action else { continue };
            let group = |action: Action| match action.kind() {
                Kind::Suspend => Some((0, self.cluster.vm(action.vm()).vjob)),
                Kind::Resume => Some((1, self.cluster.vm(action.vm()).vjob)),
                _ => None,
            };
            let mates =
                tasks.iter_mut().find(|task| group(action).is_some() && group(task[0]) == group(action));
            match mates {
                Some(task) => task.push(action),
                None => tasks.push(vec![action]),
            }
        }
        let own = tasks.iter().flat_map(|task| self.owns(task)).sum();
        let own = if self.cluster.aim() == Aim::Makespan { 0 } else { own };
        self.pools(&self.current.clone(), &tasks, own);
    }

    /// Returns the costs of a task's actions, in the order of their names. If costs are times, each
    /// action begins a second after the previous one.
    fn owns(&self, task: &[Action]) -> Vec<u64> {
        let apart = if matches!(self.cluster.aim(), Aim::Makespan | Aim::Ends) { 1_000_000 } else { 0 };
        task.iter().zip(0..).map(|(action, number)| action.cost(self.cluster) + number * apart).collect()
    }

    /// Tries all pools of the remaining tasks; `cost` includes the previous pools.
    fn pools(&mut self, at: &Configuration, tasks: &[Vec<Action>], cost: u64) {
        if cost >= self.best {
            return;
        }
        if tasks.is_empty() {
            self.best = cost;
            return;
        }
        for pool in 1..1_u32 << tasks.len() {
            let is_in = |index: usize| pool >> index & 1 == 1;
            let (now, later): (Vec<_>, Vec<_>) =
                tasks.iter().enumerate().partition(|(index, _)| is_in(*index));
            let price = now.iter().flat_map(|(_, task)| self.owns(task)).max().unwrap_or(0);
            let waiting: usize = later.iter().map(|(_, task)| task.len()).sum();
            let waiting = if self.cluster.aim() == Aim::Makespan { 1 } else { waiting };
            let cost = cost + price * waiting as u64;
            if cost >= self.best {
                continue;
            }
            let now: Vec<&Action> = now.into_iter().flat_map(|(_, task)| task).collect();
            if let Some(after) = self.after(at, &now) {
                let later: Vec<Vec<Action>> = later.into_iter().map(|(_, task)| task.clone()).collect();
                self.pools(&after, &later, cost);
            }
        }
    }

    /// Returns the configuration after these actions, if no node is overloaded more than before and
    /// no relation forbids an arrival.
    fn after(&self, at: &Configuration, pool: &[&Action]) -> Option<Configuration> {
        let (cluster, mut after) = (self.cluster, at.clone());
        pool.iter().for_each(|action| after.set(action.vm(), action.to()));
        let taken = |vm: VmId, place: Place, node: NodeId| {
            if place.host() == Some(node) { place.usage(cluster.vm(vm)) } else { Amount::NONE }
        };
        for node in cluster.node_ids() {
            let (mut before, mut during) = (Amount::NONE, Amount::NONE);
            for &vm in cluster.by_name() {
                let (had, has) = (taken(vm, at.place(vm), node), taken(vm, after.place(vm), node));
                before += had;
                during += Amount::new(had.cpu.max(has.cpu), had.memory.max(has.memory));
            }
            let capacity = cluster.node(node).capacity;
            let is_wrong = |during: i64, before: i64, has: i64| during > has && during > before;
            if is_wrong(during.cpu, before.cpu, capacity.cpu)
                || is_wrong(during.memory, before.memory, capacity.memory)
            {
                return None;
            }
        }
        let constraints = cluster.constraints();
        let arrives =
            |action: &&&Action| action.to().host().is_some() && action.from().host() != action.to().host();
        let is_allowed = |action: &&Action| {
            let node = action.to().host().unwrap();
            let meets =
                |other: &VmId| [at, &after].iter().any(|places| places.place(*other).host() == Some(node));
            constraints.allows(action.vm(), node) && !constraints.vm(action.vm()).apart.iter().any(meets)
        };
        pool.iter().filter(arrives).all(is_allowed).then_some(after)
    }
}

/// Draws legal states for the vjobs.
fn states(case: &Reconfiguration, number: u64) -> Option<Vec<VmState>> {
    use rand::seq::IndexedRandom;
    let mut rng = Seed::new(6929).fork("states").numbered(number).rng();
    let of = |vjob| {
        let legal = VmState::ALL.iter().copied().filter(|state| {
            case.cluster.vms_of(vjob).iter().all(|&vm| {
                let from = case.current.place(vm);
                let to = Place::of(*state, from.node().or(Some(NodeId(0)))).unwrap();
                Action::between(&case.cluster, vm, from, to).is_ok()
            })
        });
        let mut legal: Vec<VmState> = legal.collect();
        // Running is the most frequent state.
        if legal.contains(&VmState::Running) {
            legal.extend([VmState::Running; 3]);
        }
        legal.choose(&mut rng).copied()
    };
    case.cluster.vjob_ids().map(of).collect()
}

/// Limits of the optimiser. A quarter of the steps may be used for complete search, which suffices
/// for six VMs on three nodes.
const SMALL: Limits = Limits { steps: 4_400, time: None };

/// Result on a random instance.
enum Found {
    Infeasible,
    /// A result in which no action of the plan waits.
    AtOnce,
    Contended {
        is_proven: bool,
        is_at_bound: bool,
        cost: u64,
        optimum: u64,
    },
}

/// Compares the result on a random instance with all other plans; `None` if there are no legal
/// states.
fn compared(number: u64) -> Option<Found> {
    let mut rng = Seed::new(6929).fork("optima").numbered(number).rng();
    let size = Size { nodes: 3, vms: 6, cpu: 2, constraints: number.is_multiple_of(3) };
    let case = random(&size, &mut rng);
    let states = states(&case, number)?;
    let named: Vec<_> = states.iter().copied().map(Some).collect();
    let wanted = in_states(&case.cluster, &case.current, &named).unwrap();
    // Every fifth instance has one of the aims that are times.
    let aim = [Aim::Makespan, Aim::Ends].get((number % 10 / 5) as usize).filter(|_| number.is_multiple_of(5));
    let cluster = case.cluster.clone().with_aim(aim.copied().unwrap_or_default());
    let found = solve(&cluster, &case.current, &wanted, &SMALL, Seed::new(1));
    let below = |cost| BruteForce::below(&cluster, &case.current, &states, cost);
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            assert!(matches!(error, Unsolved::Infeasible | Unsolved::Dozing { .. }), "{number}: {error}");
            assert_eq!(below(u64::MAX), None, "{number}");
            return Some(Found::Infeasible);
        }
    };
    checked(&case.cluster, &case.current, &found.configuration, &found.plan);
    assert_eq!(found.plan.cost(&cluster), found.cost);
    let cheaper = below(found.cost);
    let optimum = cheaper.unwrap_or(found.cost);
    assert!(!found.proven || cheaper.is_none(), "{number}: {} is proven, {optimum} possible", found.cost);
    // One step raises the bound, which takes longer.
    let limits = Limits { steps: u64::from(number.is_multiple_of(16)), time: None };
    let first = solve(&cluster, &case.current, &found.configuration, &limits, Seed::new(1)).unwrap();
    assert!(first.bound <= optimum && found.bound <= optimum, "{number}: {} is above {optimum}", first.bound);
    let is_at_bound = first.bound == optimum;
    Some(match found.plan.pools().len() {
        0 | 1 => Found::AtOnce,
        _ => Found::Contended { is_proven: found.proven, is_at_bound, cost: found.cost, optimum },
    })
}

/// Checks that no plan is cheaper than a proven one, and none is below a bound. The test runs until
/// 5,000 random instances (a quarter of them unless the run is full) had plans with waiting actions,
/// and includes all other instances up to then.
#[test]
fn no_plan_is_cheaper_than_a_proven_one_or_below_the_bound() {
    const BATCH: u64 = 1_000;
    let (mut contended, mut others, mut proven, mut at_bound, mut infeasible) = (0, 0, 0, 0, 0);
    let (mut dearer, mut most) = (0, 0.0_f64);
    for first in (0..).step_by(BATCH as usize) {
        let found: Vec<Found> = (first..first + BATCH).into_par_iter().filter_map(compared).collect();
        for found in found {
            match found {
                Found::Infeasible => infeasible += 1,
                Found::AtOnce => others += 1,
                Found::Contended { is_proven, is_at_bound, cost, optimum } => {
                    contended += 1;
                    proven += u32::from(is_proven);
                    at_bound += u32::from(is_at_bound);
                    dearer += u32::from(optimum < cost);
                    most = most.max(cost as f64 / optimum.max(1) as f64);
                }
            }
        }
        if contended >= dfrsim_testing::cases(5_000_u32) {
            break;
        }
    }
    println!(
        "{contended} contended instances: {proven} proven, {at_bound} with a bound that is the optimum; {dearer} dearer than the \
         optimum, {most:.2} times at most; {others} others, {infeasible} infeasible"
    );
    assert!(
        proven > dfrsim_testing::cases(4_500_u32) && infeasible > dfrsim_testing::cases(1_000_u32),
        "{proven}, {infeasible}"
    );
}

/// Two runs with equal numbers of steps agree, and more steps are not worse here.
#[test]
fn a_limit_of_steps_gives_the_same_result_each_time() {
    use dfrsim_context_switch::workload::{InitialState, Sample, SampleShape};
    let Sample { cluster, current } =
        Sample::draw(SampleShape { nodes: 40, vms: 130, busy: None }, &InitialState::ALL, Seed::new(4));
    let decision = select_running(&cluster, &current, &first_come_first_served(&cluster), SuspendTo::Disk);
    let within = |steps| {
        let limits = Limits { steps, time: None };
        solve(&cluster, &current, &decision, &limits, Seed::new(1)).unwrap()
    };
    let first_fit = plan(&cluster, &current, &decision).unwrap().cost(&cluster);
    let mut before = first_fit;
    for steps in [1, 10, 100, 1_000] {
        let found = within(steps);
        assert_eq!(found, within(steps));
        assert!(found.cost <= before && found.cost >= found.bound);
        checked(&cluster, &current, &found.configuration, &found.plan);
        before = found.cost;
    }
    assert!(before < first_fit / 2);
}

/// Checks that most VMs are resumed without waiting when nearly all VMs compute.
#[test]
fn few_wait_in_a_contended_cluster() {
    use dfrsim_context_switch::workload::{InitialState, Sample, SampleShape};
    let Sample { cluster, current } =
        Sample::draw(SampleShape { nodes: 60, vms: 150, busy: Some(0.9) }, &InitialState::ALL, Seed::new(1));
    let decision = select_running(&cluster, &current, &first_come_first_served(&cluster), SuspendTo::Disk);
    let limits = Limits { steps: 2_000, time: None };
    let found = solve(&cluster, &current, &decision, &limits, Seed::new(1)).unwrap();
    checked(&cluster, &current, &found.configuration, &found.plan);
    assert!(found.cost * 100 <= found.bound * 105, "{} of {}", found.cost, found.bound);
}

/// Figure 5: two VMs that need a processing unit each do not fit on a node with one unit; a VM and
/// an idle one do.
#[test]
fn figure_5_viable_configurations() {
    let cluster = cluster(&[(1, 4), (1, 4), (1, 4)], &[(0, 0, 2), (1, 1, 1), (2, 1, 1)]);
    let viable = |places: [u32; 3]| Configuration::new(places.map(running).to_vec()).check(&cluster).is_ok();
    assert!(!viable([0, 1, 1]));
    assert!(viable([0, 1, 2]) && viable([0, 0, 1]));
}

/// Figure 6: three nodes of one unit. Vjob 1 takes two of them. Vjob 2 is running, needs two and is
/// suspended. Vjob 3 waits behind it and runs on the third node.
#[test]
fn figure_6_a_vjob_that_does_not_fit_is_passed() {
    let cluster =
        cluster(&[(1, 4), (1, 4), (1, 4)], &[(0, 1, 1), (0, 1, 1), (1, 1, 1), (1, 1, 1), (2, 1, 1)]);
    let current = Configuration::new(vec![running(0), running(1), running(1), running(2), WAITING]);
    let decision = select_running(&cluster, &current, &first_come_first_served(&cluster), SuspendTo::Disk);
    assert_eq!(decision.places(), [running(0), running(1), sleeping(1), sleeping(2), running(2)]);
    // Two suspends of cost 1, then the run, which waits for them.
    let plan = plan(&cluster, &current, &decision).unwrap();
    assert_eq!(words(&cluster, &plan), "suspend VM3 N2>N2, suspend VM4 N3>N3 | run VM5 N3");
    assert_eq!(plan.cost(&cluster), 1 + 1 + 1);

    // The memory suffices for the suspended VMs, and suspending to memory costs nothing.
    let dozing_instead =
        select_running(&cluster, &current, &first_come_first_served(&cluster), SuspendTo::Memory);
    assert_eq!(dozing_instead.places()[2..4], [dozing(1), dozing(2)]);
}

/// Serves a higher priority first, regardless of the order of submission.
#[test]
fn priorities_come_before_submission() {
    let nodes = vec![Node { name: "N".to_owned(), capacity: Amount::new(1, 1) }];
    let vjob = |name: &str, priority| Vjob { name: name.to_owned(), priority };
    let vm = |name: &str, vjob| Vm { name: name.to_owned(), vjob: VjobId(vjob), demand: Amount::new(1, 1) };
    let cluster =
        Cluster::new(nodes, vec![vjob("low", 0), vjob("high", 1)], vec![vm("a", 0), vm("b", 1)]).unwrap();
    let current = Configuration::new(vec![running(0), WAITING]);
    let decision = select_running(&cluster, &current, &first_come_first_served(&cluster), SuspendTo::Disk);
    assert_eq!(decision.places(), [sleeping(0), running(0)]);
}

/// Enforces placement constraints in the optimised configuration; without them all VMs would stay.
#[test]
fn constraints_hold_in_the_cheapest_configuration() {
    let vms: Vec<(u32, i64, i64)> = vec![(0, 0, 1); 4];
    let nodes = [(1, 8), (1, 8), (1, 8)];
    let places = Configuration::new(vec![running(0); 4]);
    let [a, b, c, d] = [0, 1, 2, 3].map(VmId);
    let [n1, n2, n3] = [0, 1, 2].map(NodeId);
    let of = |kind, vms: &[&[VmId]], nodes: &[&[NodeId]]| {
        Constraint::new(
            kind,
            vms.iter().map(|set| set.to_vec()).collect(),
            nodes.iter().map(|group| group.to_vec()).collect(),
        )
    };
    let amount = |amount: f64| amount.try_into().unwrap();
    for (constraint, cost) in [
        (of(ConstraintKind::Spread, &[&[a, b, c]], &[]), 2),
        (of(ConstraintKind::Gather, &[&[a, b]], &[]), 0),
        (of(ConstraintKind::Fence, &[&[a, d]], &[&[n2]]), 2),
        (of(ConstraintKind::Ban, &[&[a, b, c, d]], &[&[n1]]), 4),
        (of(ConstraintKind::Lonely, &[&[a]], &[]), 1),
        (of(ConstraintKind::Split, &[&[a, b], &[c], &[d]], &[]), 2),
        (of(ConstraintKind::Among, &[&[a, b]], &[&[n2], &[n3]]), 2),
        (of(ConstraintKind::SplitAmong, &[&[a], &[b]], &[&[n1], &[n2, n3]]), 1),
        (of(ConstraintKind::Quarantine, &[], &[&[n1]]), 0),
        (of(ConstraintKind::Root, &[&[a, b]], &[]), 0),
        (of(ConstraintKind::RunningCapacity, &[], &[&[n1, n2]]).with("", amount(3.0)), 1),
        (of(ConstraintKind::ResourceCapacity, &[], &[&[n1]]).with("memory", amount(2.0)), 2),
        (of(ConstraintKind::Overbook, &[], &[&[n1]]).with("memory", amount(0.375)), 1),
        (of(ConstraintKind::Offline, &[], &[&[n1, n2]]), 4),
        (of(ConstraintKind::Online, &[], &[&[n1]]), 0),
        (of(ConstraintKind::MaxOnline, &[], &[&[n1, n2, n3]]).with("", amount(1.0)), 0),
        (of(ConstraintKind::MaxOnline, &[], &[&[n1, n2]]).with("", amount(0.0)), 4),
    ] {
        let cluster = cluster(&nodes, &vms).with_constraints(vec![constraint.clone()], &places);
        let found = solve(&cluster, &places, &places, &Limits::default(), Seed::new(1)).unwrap();
        assert_eq!((found.cost, found.proven), (cost, true), "{constraint:?}");
        assert_eq!(found.configuration.check(&cluster), Ok(()));
        checked(&cluster, &places, &found.configuration, &found.plan);
    }
}

/// Moves one VM of 5 instead of two of 2 if moves are counted. The cost is then in moves.
#[test]
fn fewest_moves_need_not_be_the_least_cost() {
    let cluster = cluster(&[(2, 16), (4, 16)], &[(0, 2, 5), (1, 1, 2), (2, 1, 2)]);
    let places = Configuration::new(vec![running(0); 3]);
    let found =
        |cluster: &Cluster| solve(cluster, &places, &places, &Limits::default(), Seed::new(1)).unwrap();
    let cheap = found(&cluster);
    assert_eq!(
        (cheap.cost, words(&cluster, &cheap.plan).as_str()),
        (4, "migrate VM2 N1>N2, migrate VM3 N1>N2")
    );
    let counted = cluster.clone().with_aim(Aim::Moves);
    let few = found(&counted);
    assert_eq!(words(&cluster, &few.plan), "migrate VM1 N1>N2");
    let moves = [few.cost, few.bound].map(|cost| counted.moves_of(cost));
    assert_eq!((moves, few.proven), ([Some(1); 2], true));
}

/// Checks that no viable configuration is reached with fewer moves than the bound, or than a proven
/// plan if each VM acts once.
#[test]
fn fewest_moves_are_those_of_all_configurations() {
    let equal: Vec<bool> = (0..300_u64)
        .into_par_iter()
        .filter_map(|number| {
            let mut rng = Seed::new(6929).fork("moves").numbered(number).rng();
            let size = Size { nodes: 3, vms: 6, cpu: 2, constraints: number.is_multiple_of(3) };
            let case = random(&size, &mut rng);
            let states = states(&case, number)?;
            let named: Vec<_> = states.iter().copied().map(Some).collect();
            let mut wanted = in_states(&case.cluster, &case.current, &named).unwrap();
            let counted = case.cluster.clone().with_aim(Aim::Moves);
            let found = solve(&counted, &case.current, &wanted, &SMALL, Seed::new(1)).ok()?;
            checked(&case.cluster, &case.current, &found.configuration, &found.plan);
            let runs = |vm: &&VmId| states[case.cluster.vm(**vm).vjob.index()] == VmState::Running;
            let free: Vec<VmId> = case.cluster.by_name().iter().filter(runs).copied().collect();
            let mut least = u64::MAX;
            let nodes = case.cluster.nodes().len() as u32;
            for mut at in 0..nodes.pow(free.len() as u32) {
                for &vm in &free {
                    wanted.set(vm, running(at % nodes));
                    at /= nodes;
                }
                if wanted.check(&case.cluster).is_ok() {
                    let action = |&vm: &VmId| {
                        Action::between(&counted, vm, case.current.place(vm), wanted.place(vm)).unwrap()
                    };
                    let actions = case.cluster.by_name().iter().filter_map(action);
                    least = least.min(actions.map(|action| action.cost(&counted)).sum());
                }
            }
            assert!(found.bound <= least || found.proven, "{number}");
            assert!(found.cost >= least, "{number}");
            Some(found.cost == least)
        })
        .collect();
    let best = equal.iter().filter(|it| **it).count();
    assert!(best > 100 && best * 10 > equal.len() * 9, "{best} of {}", equal.len());
}

/// Bounds the number of VMs that must leave, even with too many VMs for complete search: all leave a
/// drained node, and all beyond 50 leave a node on which 50 VMs may run.
#[test]
fn the_bound_counts_who_may_not_stay() {
    let vms: Vec<(u32, i64, i64)> = (0..60).map(|vjob| (vjob, 1, 1)).collect();
    let places = Configuration::new(vec![running(0); 60]);
    let n1 = vec![NodeId(0)];
    let limited = Constraint::new(ConstraintKind::RunningCapacity, Vec::new(), vec![n1.clone()]);
    let limited = limited.with("", 50.0.try_into().unwrap());
    let drained = Constraint::new(ConstraintKind::Ban, vec![(0..60).map(VmId).collect()], vec![n1]);
    for (constraint, cost) in [(drained, 60), (limited, 10)] {
        let cluster = cluster(&[(99, 99); 3], &vms).with_constraints(vec![constraint], &places);
        let found = solve(&cluster, &places, &places, &Limits::default(), Seed::new(1)).unwrap();
        assert_eq!((found.cost, found.bound, found.proven), (cost, cost, true));
    }
}

/// A VM waits for the suspend of another, and a vjob is resumed elsewhere. If its resumes are in the
/// first pool, that pool costs 4; otherwise both wait for the suspend, although one of them costs no
/// more than that.
#[test]
fn the_bound_knows_what_the_first_pool_costs() {
    let cluster = cluster(&[(1, 8), (2, 8)], &[(0, 1, 1), (1, 1, 1), (2, 1, 4), (2, 1, 1)]);
    let current = Configuration::new(vec![running(0), WAITING, sleeping(1), sleeping(1)]);
    let wanted = Configuration::new(vec![sleeping(0), running(0), running(1), running(1)]);
    let limits = Limits { steps: 1, time: None };
    let found = solve(&cluster, &current, &wanted, &limits, Seed::new(1)).unwrap();
    assert_eq!((found.cost, found.bound, found.proven), (1 + 1 + (4 + 1) + (1 + 1), 9, true));
}

/// Costs under the aims that are times equal those of the timetable.
#[test]
fn times_are_those_of_the_timetable() {
    for number in 0..300 {
        let mut rng = Seed::new(6929).fork("aims").numbered(number).rng();
        let size = Size { nodes: 4, vms: 9, cpu: 2, constraints: false };
        let Reconfiguration { cluster, current, wanted } = random(&size, &mut rng);
        let [makespan, ends] = [Aim::Makespan, Aim::Ends].map(|aim| cluster.clone().with_aim(aim));
        let of = |aimed: &Cluster| {
            let plan = plan(aimed, &current, &wanted).unwrap();
            let times = timetable(aimed, &plan, &wanted, aimed.durations());
            let ends: Vec<u64> = times.pools.iter().flatten().map(|timed| timed.end.micros()).collect();
            (plan, ends.iter().copied().max().unwrap_or(0), ends.iter().sum::<u64>())
        };
        let (short, last, sum_of_short) = of(&makespan);
        let (early, last_of_early, sum) = of(&ends);
        assert_eq!((short.cost(&makespan), early.cost(&ends)), (last, sum), "{number}");
        assert!(last <= last_of_early && sum <= sum_of_short, "{number}");
    }
}
