//! Tests the simulation: cases derived by hand, failing actions, and plans that the checker accepts.

use crate::common::*;
use dfrsim_context_switch::simulation::*;
use dfrsim_context_switch::workload::{Application, Benchmark, Task};
use dfrsim_context_switch::*;
use dfrsim_model::{Seed, SimSpan, SimTime};

fn application(seconds: &[u64]) -> Application {
    let task = |&seconds: &u64| Task { work: SimSpan::from_secs(seconds), after: vec![] };
    Application { tasks: seconds.iter().map(task).collect() }
}

fn setting(cluster: Cluster, applications: Vec<Application>, policy: Policy) -> Setting {
    Setting {
        submissions: vec![SimTime::ZERO; cluster.vjobs().len()],
        cluster,
        applications,
        policy,
        period: SimSpan::from_secs(30),
        observation: SimSpan::from_secs(10),
        durations: Durations::default(),
        failures: 0.0,
        retries: 0,
        seed: Seed::new(1),
        horizon: SimTime::from_secs(1_000_000),
    }
}

fn checked_run(setting: &Setting) -> Run {
    simulate(setting, &mut |cluster, from, to, plan| {
        checked(cluster, from, to, plan);
    })
}

fn seconds(run: &Run) -> Vec<(f64, f64)> {
    run.switches.iter().map(|switch| (switch.begin.as_secs_f64(), switch.duration.as_secs_f64())).collect()
}

/// VMs boot for 6 s and compute for 10 s and 20 s; the end at 26 s is seen at 30 s, and the vjob is
/// stopped in 25 s.
#[test]
fn a_vjob_runs_and_is_stopped() {
    let cluster = cluster(&[(2, 4)], &[(0, 1, 1), (0, 1, 1)]);
    let run = checked_run(&setting(cluster, vec![application(&[10, 20])], Policy::FirstFit(SuspendTo::Disk)));
    assert_eq!(seconds(&run), [(0.0, 6.0), (30.0, 25.0)]);
    assert_eq!(run.end, SimTime::from_secs(55));
    assert!(run.is_complete);
    let loads: Vec<(f64, i64, f64)> =
        run.loads.iter().map(|load| (load.at.as_secs_f64(), load.demanded, load.used)).collect();
    assert_eq!(loads, [(0.0, 0, 0.0), (6.0, 2, 2.0), (16.0, 1, 1.0), (26.0, 0, 0.0), (55.0, 0, 0.0)]);
}

/// Idle VMs are packed on one unit of CPU. From 6 s on both compute at half speed. At 30 s the
/// second one, for which there is no unit, is suspended: 90 s for 2 GB. Meanwhile the first one,
/// which has 20 - 12 = 8 s left, runs 1.3 times slower. The next decision is 10 s after the switch,
/// at 130 s: the second one is resumed in 90 s, and the first one, which needs no CPU any more, is
/// stopped at the same time. At 220 s, 8 s of the second one are left; it is stopped at 230 s, in 25
/// s.
#[test]
fn an_overloaded_vjob_is_suspended_and_resumed() {
    let cluster = cluster(&[(1, 8_192)], &[(0, 1, 2_048), (1, 1, 2_048)]);
    let applications = vec![application(&[20]), application(&[20])];
    let run = checked_run(&setting(cluster, applications, Policy::FirstFit(SuspendTo::Disk)));
    assert_eq!(seconds(&run), [(0.0, 6.0), (30.0, 90.0), (130.0, 90.0), (230.0, 25.0)]);
    let done = run.loads.iter().find(|load| load.at > SimTime::from_secs(30) && load.used == 0.0).unwrap();
    assert_eq!(done.at.as_secs_f64(), 30.0 + 8.0 * 1.3);
    assert_eq!(run.switches[2].local_resumes, 1);
    assert_eq!(run.end, SimTime::from_secs(255));
}

/// The second vjob waits for the first one, which has booked its units and runs for 6 + 20 s. Its
/// end is seen at 30 s, it is stopped until 55 s, and only then the second one is run, until 61 s.
/// It ends at 81 s; decisions follow 10 s after the switch, at 71 s, and every 30 s from then on,
/// and stop it.
#[test]
fn booking_runs_one_vjob_after_the_other() {
    let cluster = cluster(&[(1, 8)], &[(0, 1, 2), (1, 1, 2)]);
    let run = checked_run(&setting(cluster, vec![application(&[20]), application(&[20])], Policy::Booking));
    assert_eq!(run.switches.iter().map(|switch| switch.suspends).sum::<u64>(), 0);
    assert_eq!(seconds(&run)[0], (0.0, 6.0));
    let first = run
        .state_intervals
        .iter()
        .find(|stay| stay.vjob == VjobId(1) && stay.state == Some(VmState::Running))
        .unwrap();
    assert!(
        first.from >= SimTime::from_secs(55),
        "the second begins when the first is stopped: {:?}",
        run.state_intervals
    );
    assert!(run.is_complete);
}

/// Creates a smaller cluster like that of section 5.2.
fn small(failures: f64, retries: u32, policy: Policy) -> Setting {
    let memory = [512, 1_024, 2_048];
    let vms: Vec<(u32, i64, i64)> = (0..36).map(|vm| (vm / 9, 1, memory[vm as usize * 7 % 3])).collect();
    let applications = (0..4).map(|number| {
        let mut rng = Seed::new(3).numbered(number).rng();
        Application::new(Benchmark::ALL[number as usize], 9, 1.0, &mut rng)
    });
    let cluster = cluster(&[(2, 3_584); 5], &vms);
    Setting { failures, retries, ..setting(cluster, applications.collect(), policy) }
}

#[test]
fn failing_actions_lose_no_vm() {
    for policy in [
        Policy::Booking,
        Policy::FirstFit(SuspendTo::Disk),
        Policy::FirstFit(SuspendTo::Memory),
        Policy::Optimised(SuspendTo::Disk, Limits { steps: 300, time: None }),
    ] {
        let smooth = checked_run(&small(0.0, 0, policy));
        assert!(smooth.is_complete);
        for retries in [0, 2] {
            let run = checked_run(&small(0.2, retries, policy));
            assert!(run.is_complete, "{policy:?} {retries}: {:?}", run.configuration);
            let failed: u64 = run.switches.iter().map(|switch| switch.failed).sum();
            let dropped = run.switches.iter().filter(|switch| switch.was_aborted).count();
            assert!(failed > 0, "a fifth of the actions fails");
            assert!(retries > 0 || dropped > 0, "a failure without retries drops the rest of a plan");
        }
    }
}

#[test]
fn the_same_setting_gives_the_same_run() {
    let setting = small(0.1, 1, Policy::Optimised(SuspendTo::Disk, Limits { steps: 300, time: None }));
    assert_eq!(checked_run(&setting), checked_run(&setting));
}

/// The integral of the used CPU over time equals the work of all tasks.
#[test]
fn the_work_that_is_used_is_that_of_the_applications() {
    let setting = small(0.1, 1, Policy::FirstFit(SuspendTo::Disk));
    let run = checked_run(&setting);
    let used: f64 =
        run.loads.windows(2).map(|pair| pair[0].used * pair[1].at.since(pair[0].at).as_secs_f64()).sum();
    let tasks = setting.applications.iter().flat_map(|application| &application.tasks);
    let work: f64 = tasks.map(|task| task.work.as_secs_f64()).sum();
    assert!((used - work).abs() < 0.01, "{used} and {work}");
}

/// A node has two units and its disk. A runs on one unit for 100 s; B needs two and waits. C, of 20
/// s on one unit, is backfilled under EASY since it ends before A; D, of 200 s, is not.
#[test]
fn easy_backfills_what_does_not_delay_the_first() {
    let vms = [(0, 1, 1), (1, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, 1)];
    let applications = || [&[100][..], &[10, 10], &[20], &[200]].map(application).to_vec();
    let begins = |policy| {
        let run = checked_run(&setting(cluster(&[(2, 9)], &vms), applications(), policy));
        let first = |vjob| {
            let stay = run
                .state_intervals
                .iter()
                .find(|stay| stay.vjob == VjobId(vjob) && stay.state == Some(VmState::Running));
            stay.unwrap().from.as_secs_f64()
        };
        [0, 1, 2, 3].map(first)
    };
    let [a, b, c, d] = begins(Policy::Booking);
    assert!(a < b && b < c && b < d, "{a} {b} {c} {d}");
    let easy = begins(Policy::Easy);
    // Stopping C delays the decisions by 5 s.
    assert_eq!((easy[0], easy[1], easy[2]), (6.0, b + 5.0, 6.0));
    assert!(easy[3] > easy[1], "{easy:?}");
}

/// A submission at 50 s is considered at 60 s.
#[test]
fn vjobs_are_submitted_over_time() {
    let vms = [(0, 1, 1), (1, 1, 1)];
    let submitted = |seconds: [u64; 2]| Setting {
        submissions: seconds.map(SimTime::from_secs).to_vec(),
        ..setting(cluster(&[(1, 4)], &vms), vec![application(&[10]), application(&[10])], Policy::Booking)
    };
    let run = checked_run(&submitted([0, 50]));
    assert_eq!(seconds(&run)[..3], [(0.0, 6.0), (30.0, 25.0), (65.0, 6.0)]);
    let run = checked_run(&submitted([50, 0]));
    let first = run.state_intervals.iter().find(|stay| stay.state == Some(VmState::Running)).unwrap();
    assert_eq!(first.vjob, VjobId(1));
}

/// The second VM dozes instead of sleeping: its memory remains allocated.
#[test]
fn who_dozes_takes_memory() {
    let cluster = cluster(&[(1, 8_192)], &[(0, 1, 2_048), (1, 1, 2_048)]);
    let applications = vec![application(&[20]), application(&[20])];
    let run = checked_run(&setting(cluster, applications, Policy::FirstFit(SuspendTo::Memory)));
    let dozes = run.state_intervals.iter().find(|stay| stay.state == Some(VmState::Dozing)).unwrap();
    let then = run.loads.iter().rfind(|load| load.at <= dozes.from).unwrap();
    assert_eq!((then.memory, then.demanded), (4_096, 1));
}

/// Two suspends of 90 s start one second apart on two nodes. With contention for the storage the
/// first has it for a second, then both share it.
#[test]
fn actions_of_a_pool_slow_each_other_down() {
    let run = |contention, storage_contention| {
        let cluster = cluster(&[(1, 8_192), (1, 8_192)], &[(0, 1, 2_048), (1, 1, 2_048), (1, 1, 2_048)]);
        let applications = vec![application(&[60]), application(&[60, 60])];
        let mut setting = setting(cluster, applications, Policy::FirstFit(SuspendTo::Disk));
        setting.durations = Durations { contention, storage_contention, ..Durations::default() };
        let run = checked_run(&setting);
        let suspends: Vec<_> = run.switches.iter().filter(|switch| switch.suspends == 2).collect();
        assert_eq!(suspends.len(), 1, "{:?}", run.switches);
        suspends[0].duration.as_secs_f64()
    };
    let alone = run(0.0, 0.0);
    assert_eq!(alone, 91.0);
    let shared = run(0.0, 1.0);
    // 1 s alone, then 89 s at half speed; the other one has 1 s left.
    assert_eq!(shared, 1.0 + 2.0 * 89.0 + 1.0);
    assert!(run(1.0, 0.0) >= alone);
}
