//! The optimiser against complete enumeration, and the decision module by the cases of the text.

use crate::common::*;
use dfrsim_context_switch::*;
use dfrsim_model::{NodeId, Seed};

/// The cheapest plan of all viable configurations with these states.
fn enumerated(cluster: &Cluster, current: &Configuration, states: &[State]) -> Option<u64> {
    let mut wanted = current.clone();
    let mut free = Vec::new();
    for &vm in cluster.by_name() {
        match states[cluster.vm(vm).vjob.index()] {
            State::Running => free.push(vm),
            state => wanted.set(vm, state.at(current.place(vm).node()).unwrap()),
        }
    }
    let nodes = cluster.nodes().len();
    let assignments = (nodes as u64).pow(free.len() as u32);
    let cost = |mut number: u64| {
        let mut wanted = wanted.clone();
        for &vm in &free {
            wanted.set(vm, running((number % nodes as u64) as u32));
            number /= nodes as u64;
        }
        plan(cluster, current, &wanted).ok().map(|plan| plan.cost(cluster))
    };
    (0..assignments).filter_map(cost).min()
}

/// States that vjobs can go to, at random.
fn states(case: &Reconfiguration, number: u64) -> Option<Vec<State>> {
    use rand::seq::IndexedRandom;
    let mut rng = Seed::new(6929).fork("states").numbered(number).rng();
    let of = |vjob| {
        let legal = State::NAMED.iter().map(|(state, _)| *state).filter(|state| {
            case.cluster.vms_of(vjob).iter().all(|&vm| {
                let from = case.current.place(vm);
                let to = state.at(from.node().or(Some(NodeId(0)))).unwrap();
                Action::between(&case.cluster, vm, from, to).is_ok()
            })
        });
        let mut legal: Vec<State> = legal.collect();
        // Mostly something is to run.
        if legal.contains(&State::Running) {
            legal.extend([State::Running; 3]);
        }
        legal.choose(&mut rng).copied()
    };
    case.cluster.vjob_ids().map(of).collect()
}

#[test]
fn the_cost_is_that_of_the_best_of_all_configurations() {
    let (mut solved, mut infeasible, mut at_bound) = (0, 0, 0);
    for number in 0..10_000 {
        let mut rng = Seed::new(6929).fork("optima").numbered(number).rng();
        let size = Size { nodes: 4, vms: 6, cpu: 2, relations: number % 3 == 0 };
        let case = random(&size, &mut rng);
        let Some(states) = states(&case, number) else { continue };
        let optimum = enumerated(&case.cluster, &case.current, &states);
        let wanted = in_states(&case.cluster, &case.current, &states);
        let found = cheapest(&case.cluster, &case.current, &wanted, &Limits::default(), Seed::new(1));
        match (optimum, found) {
            (Some(optimum), Ok(found)) => {
                assert_eq!(found.cost, optimum, "{number}");
                assert!(found.proven && found.bound == optimum, "{number}");
                assert_eq!(found.plan.cost(&case.cluster), optimum);
                checked(&case.cluster, &case.current, &found.configuration, &found.plan);
                solved += 1;
                let limits = Limits { steps: 0, time: None };
                let first =
                    cheapest(&case.cluster, &case.current, &found.configuration, &limits, Seed::new(1));
                let bound = first.unwrap().bound;
                assert!(bound <= optimum, "{number}: {bound} is above {optimum}");
                at_bound += u32::from(bound == optimum);
            }
            (None, Err(error)) => {
                assert!(matches!(error, Unsolved::Infeasible | Unsolved::Dozing { .. }), "{number}: {error}");
                infeasible += 1;
            }
            (optimum, found) => panic!("{number}: {optimum:?} and {found:?}"),
        }
    }
    println!("{solved} solved, {at_bound} of them at the bound, {infeasible} infeasible");
    assert!(solved > 5_000 && infeasible > 50 && at_bound > solved / 2, "{solved}, {infeasible}, {at_bound}");
}

/// Two runs with the same number of steps agree, and more steps are never worse.
#[test]
fn a_limit_of_steps_gives_the_same_result_each_time() {
    use dfrsim_context_switch::workload::{InitialState, Sample, SampleShape};
    let Sample { cluster, current } =
        Sample::draw(SampleShape { nodes: 40, vms: 130 }, &InitialState::ALL, Seed::new(4));
    let decision = select_running(&cluster, &current, &first_come_first_served(&cluster), SuspendTo::Disk);
    let within = |steps| {
        let limits = Limits { steps, time: None };
        cheapest(&cluster, &current, &decision, &limits, Seed::new(1)).unwrap()
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

/// Figure 5: two VMs that need a processing unit each do not fit a node with one; beside an idle one they do.
#[test]
fn figure_5_viable_configurations() {
    let cluster = cluster(&[(1, 4), (1, 4), (1, 4)], &[(0, 0, 2), (1, 1, 1), (2, 1, 1)]);
    let viable = |places: [u32; 3]| Configuration::new(places.map(running).to_vec()).check(&cluster).is_ok();
    assert!(!viable([0, 1, 1]));
    assert!(viable([0, 1, 2]) && viable([0, 0, 1]));
}

/// Figure 6: three nodes of one unit. Vjob 1 takes two of them, vjob 2, which runs, needs two and is suspended, and vjob 3,
/// which waits behind it, runs on the third.
#[test]
fn figure_6_a_vjob_that_does_not_fit_is_passed() {
    let cluster =
        cluster(&[(1, 4), (1, 4), (1, 4)], &[(0, 1, 1), (0, 1, 1), (1, 1, 1), (1, 1, 1), (2, 1, 1)]);
    let current = Configuration::new(vec![running(0), running(1), running(1), running(2), WAITING]);
    let decision = select_running(&cluster, &current, &first_come_first_served(&cluster), SuspendTo::Disk);
    assert_eq!(decision.places(), [running(0), running(1), sleeping(1), sleeping(2), running(2)]);
    // Two suspends of 1, then the run, which waits for them.
    let plan = plan(&cluster, &current, &decision).unwrap();
    assert_eq!(words(&cluster, &plan), "suspend VM3 N2>N2, suspend VM4 N3>N3 | run VM5 N3");
    assert_eq!(plan.cost(&cluster), 1 + 1 + 1);

    // In memory there is room for the suspended VMs, which costs nothing.
    let dozing_instead =
        select_running(&cluster, &current, &first_come_first_served(&cluster), SuspendTo::Memory);
    assert_eq!(dozing_instead.places()[2..4], [dozing(1), dozing(2)]);
}

/// A higher priority is served first, whatever was submitted first.
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

/// Spread, gather, fence and ban hold in what the optimiser finds: without them everything would stay where it is.
#[test]
fn relations_hold_in_the_cheapest_configuration() {
    let vms: Vec<(u32, i64, i64)> = vec![(0, 0, 1); 4];
    let nodes = [(1, 8), (1, 8), (1, 8)];
    let places = Configuration::new(vec![running(0); 4]);
    let [a, b, c, d] = [0, 1, 2, 3].map(VmId);
    for (relation, cost) in [
        (Relation::Spread(vec![a, b, c]), 2),
        (Relation::Gather(vec![a, b]), 0),
        (Relation::Fence(vec![a, d], vec![NodeId(1)]), 2),
        (Relation::Ban(vec![a, b, c, d], vec![NodeId(0)]), 4),
    ] {
        let cluster = cluster(&nodes, &vms).with_relations(Relations::new(4, 3, vec![relation.clone()]));
        let found = cheapest(&cluster, &places, &places, &Limits::default(), Seed::new(1)).unwrap();
        assert_eq!((found.cost, found.proven), (cost, true), "{relation:?}");
        assert_eq!(found.configuration.check(&cluster), Ok(()));
        checked(&cluster, &places, &found.configuration, &found.plan);
    }
}
