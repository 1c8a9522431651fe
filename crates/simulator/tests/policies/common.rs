//! Tests batch policies on clusters with licences and a power cap against the reference implementation
//! in the audit.

use crate::classes::events;
use crate::devices::{outages, workload};
use crate::preemption;
use crate::support::{assert_judged, recorded};
use dfrsim_audit::{CheckedPolicy, audit, audit_policy};
use dfrsim_cluster::Options;
use dfrsim_model::batch::{Backfilling, BatchPolicy};
use dfrsim_model::event::{PowerOfNode, Record, SleepOfRun};
use dfrsim_model::platform::classes::{Demands, NodeClasses, PlatformFields, UnequalNodes};
use dfrsim_model::platform::{NodeSpan, Outage, Outages, series};
use dfrsim_model::site::PreemptMode;
use dfrsim_model::{Job, JobId, Origin, Seed, Share, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Resources of the whole cluster that change over time: idle nodes draw 520 W.
const COMMON: &str = "common = { matlab = { steps = [{ from_s = 0, amount = 3 }, { from_s = 10, amount = 1 }, { from_s = 25, amount = 4 }] },
    bb = { amount = 20, per_task = 3 } }
power = { cap = [{ from_s = 0, watts = 700 }, { from_s = 15, watts = 600 }, { from_s = 30, watts = 780 }], pue = 1.2 }\n";
/// Carbon intensities and prices, which end before the last jobs.
const SERIES: &str = "from_s,g_per_kwh,price_per_kwh\n0,300.5,0.25\n7,200,-0.5\n14,0,1\n21,411,0.001\n";
/// Three classes, the second of half speed.
const CLASSES: &str = "classes = [
    { name = 'a', nodes = 2, cores = 8, memory_gb = 8, resources = { gpu = 4 },
      power = { idle_w = 100, busy_w = 200, resources = { gpu = { idle_w = 10, busy_w = 45.5 } } } },
    { name = 'b', nodes = 2, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 },
      power = { idle_w = 50, busy_w = 97, resources = { gpu = { idle_w = 10, busy_w = 33 } } } },
    { name = 'c', nodes = 1, cores = 8, memory_gb = 8, power = { idle_w = 100, busy_w = 300 } }]";
/// Classes whose GPUs and sockets draw all of their power once they are used: idle nodes draw 520 W.
const USED: &str = "devices = 'gpu'\nclasses = [
    { name = 'a', nodes = 2, cores = 8, memory_gb = 8, resources = { gpu = 4 },
      power = { idle_w = 40, cpu = { cores_each = 4, idle_w = 30, busy_w = 62 }, resources = { gpu = { idle_w = 10, busy_w = 45.5, when = 'used' } } } },
    { name = 'b', nodes = 2, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 },
      power = { idle_w = 50, busy_w = 97, resources = { gpu = { idle_w = 10, busy_w = 33, when = 'used' } } } },
    { name = 'c', nodes = 1, cores = 8, memory_gb = 8, power = { idle_w = 10, cpu = { cores_each = 3, sockets = 3, idle_w = 30, busy_w = 70 } } }]";
/// Classes with sockets, devices that draw all of their power once they are used, and speed levels.
const SLOW_USED: &str = "devices = 'gpu'\nclasses = [
    { name = 'a', nodes = 2, cores = 8, memory_gb = 8, resources = { gpu = 4 },
      power = { idle_w = 40, cpu = { cores_each = 4, idle_w = 30, busy_w = 62 }, resources = { gpu = { idle_w = 10, busy_w = 45.5, when = 'used' } },
        levels = [{ name = 'eco', speed = 0.9 }] } },
    { name = 'b', nodes = 2, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 },
      power = { idle_w = 50, busy_w = 97, resources = { gpu = { idle_w = 10, busy_w = 33, when = 'used' } },
        levels = [{ name = 'low', speed = 0.6, busy_w = 60 }] } },
    { name = 'c', nodes = 1, cores = 8, memory_gb = 8, power = { idle_w = 10, cpu = { cores_each = 3, sockets = 3, idle_w = 30, busy_w = 70 } } }]";
/// Identical nodes.
const EQUAL: &str = "classes = [{ name = 'a', nodes = 5, cores = 8, memory_gb = 8, power = { idle_w = 104, busy_w = 199.999 } }]";

/// The classes with speed levels, of which the second has one, and the third none.
const SLOW_CLASSES: &str = "classes = [
    { name = 'a', nodes = 2, cores = 8, memory_gb = 8, resources = { gpu = 4 },
      power = { idle_w = 100, busy_w = 200, resources = { gpu = { idle_w = 10, busy_w = 45.5 } },
        levels = [{ name = 'eco', speed = 0.9, busy_w = 160, resources = { gpu = 33 } }, { name = 'low', speed = 0.7, busy_w = 120 }] } },
    { name = 'b', nodes = 2, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 },
      power = { idle_w = 50, busy_w = 97, resources = { gpu = { idle_w = 10, busy_w = 33 } },
        levels = [{ name = 'low', speed = 0.6, busy_w = 60, resources = { gpu = 20 } }] } },
    { name = 'c', nodes = 1, cores = 8, memory_gb = 8, power = { idle_w = 100, busy_w = 300 } }]";
/// Identical nodes with speed levels.
const SLOW_EQUAL: &str =
    "classes = [{ name = 'a', nodes = 5, cores = 8, memory_gb = 8, power = { idle_w = 104, busy_w = 199.999,
    levels = [{ name = 'eco', speed = 0.9, busy_w = 165 }, { name = 'low', speed = 0.5, busy_w = 120 }] } }]";

/// Identical nodes whose power never exceeds the cap, so that only licences can bind, from the first job
/// on that requests some.
const FRUGAL: &str =
    "classes = [{ name = 'a', nodes = 5, cores = 8, memory_gb = 8, power = { idle_w = 104, busy_w = 120 } }]";

/// Fractional policies with all ways of starting jobs and of dividing CPU. Ticks are frequent.
const FRACTIONAL: [&str; 15] = [
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyP*/OPT=MIN",
    "GreedyPM*/per/OPT=MIN/MVT=600",
    "MCB*/OPT=MIN",
    "/per/OPT=MIN/PERIOD=7",
    "GreedyPM*/OPT=MIN/LAS=60",
    "GreedyP*/per/OPT=AVG/PERIOD=7",
    "MCB*/per/OPT=AVG/MFT=300/PERIOD=7",
    "Greedy*/OPT=AVG",
    "/stretch-per/OPT=MAX/PERIOD=7",
    "/stretch-per/OPT=AVG/PERIOD=7",
    "GreedyPM*/per/BUDGET=5/RELABEL/OPT=MIN/PERIOD=7",
    "GreedyPM*/per/OPT=MIN/MVT=9/PERIOD=15/BELOW=90/PAY=15/SPREAD/RETRY=3/SWAP=2/LAS=12/AHEAD=27",
    "GreedyP*/per/OPT=AVG/PERIOD=7/BELOW=80",
];

/// Policies that run jobs at full speed or not at all; those with failures first.
const FULL_SPEED: [&str; 5] = ["RANKED", "SRPT", "LAS", "EDF/STRETCH=20", "GANG"];

/// Returns options with the power cap alone.
fn capped(seed: u64, platform: &str) -> Options {
    let mut options = options(seed, platform);
    let unequal = Arc::make_mut(options.unequal.as_mut().unwrap());
    let (_, cap) = COMMON.split_once("power").unwrap();
    let text = format!("power{cap}{platform}");
    unequal.classes = PlatformFields::parse("platform.toml", &text).unwrap().classes().unwrap();
    repeat(&mut unequal.classes, seed);
    unequal.demands.requests.retain(|request| !request.to_string().starts_with("matlab"));
    options
}

/// Adds a job that completes, whatever happens to the others: it requests no GPU, and uses one socket.
fn with_last(options: &Options, mut jobs: Vec<Job>) -> Vec<Job> {
    let second = SimSpan::from_secs(1);
    let last = |id: u64| Job {
        id: JobId(id),
        submit: SimTime::from_secs(999),
        tasks: 1,
        cpu_need: Share::from_ratio(1, 4),
        run_time: second,
        requested_time: Some(second),
        ..Job::default()
    };
    let nodes = options.unequal.as_ref().unwrap();
    let is_plain = |job: &Job| nodes.demand(job).resources.iter().all(|asked| asked.count == 0);
    jobs.extend((999..).map(last).find(is_plain));
    jobs
}

/// Lets steps repeat for half of the seeds, from any time within them.
fn repeat(classes: &mut NodeClasses, seed: u64) {
    if seed % 2 == 1 {
        classes.repeat_steps_after(SimSpan::from_secs(100));
        classes.begin_at_time_of_day(SimSpan::from_secs(seed % 100));
    }
}

fn options(seed: u64, platform: &str) -> Options {
    let mut requests = vec!["matlab:0.5:1+2:max4"];
    requests.extend(match (platform.contains("devices"), platform.contains("gpu")) {
        (true, _) => Some("gpu:0.6:1+2:0.3-0.9:max2"),
        (_, true) => Some("gpu:0.3:1+2:max2"),
        _ => None,
    });
    let requests = requests.into_iter().map(|text| text.parse().unwrap()).collect();
    let text = format!("{COMMON}{platform}");
    let mut classes = PlatformFields::parse("platform.toml", &text).unwrap().classes().unwrap();
    assert!(classes.set_energy_series(series::parse("ci.csv", SERIES).unwrap()), "the nodes have a power");
    repeat(&mut classes, seed);
    let demands = Demands { requests, seed: Seed::new(seed), ..Demands::default() };
    Options {
        unequal: Some(Arc::new(UnequalNodes { classes, demands })),
        estimates: "requested".parse().unwrap(),
        ..Options::default()
    }
}

/// Returns all batch policies; SLURM, whose map of reservations holds resources of the whole cluster, as
/// often as all others together.
fn policies() -> Vec<BatchPolicy> {
    let (slurm, others): (Vec<BatchPolicy>, Vec<BatchPolicy>) =
        BatchPolicy::all().partition(|it| it.backfilling == Backfilling::Slurm);
    let times = others.len() / slurm.len().max(1);
    let easy = others.iter().filter(|it| it.backfilling == Backfilling::Easy);
    let of_nodes = easy.map(|it| BatchPolicy { reserves_nodes_only: true, ..*it });
    let others: Vec<BatchPolicy> = of_nodes.chain(others.iter().copied()).collect();
    slurm.iter().copied().cycle().take(slurm.len() * times).chain(others.iter().copied()).collect()
}

fn is_faulty(lines: &[Record<'_>], policy: BatchPolicy) -> bool {
    let text: String = lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
    audit_policy(text.as_bytes(), CheckedPolicy::Batch(policy)).is_err()
}

/// Creates a job in whose records faults are planted.
fn planted_job(id: u64) -> Job {
    Job {
        id: JobId(id),
        submit: SimTime::from_secs(id / 2),
        tasks: 1 + id as u32 % 2,
        cpu_need: Share::from_ratio(3, 16),
        run_time: SimSpan::from_secs(5),
        requested_time: Some(SimSpan::from_secs(5)),
        ..Job::default()
    }
}

/// Changes amounts, power and energy in the records of a schedule. The audit finds each fault.
#[test]
fn planted_faults_are_found() {
    let jobs: Vec<Job> = (0..12).map(planted_job).collect();
    let (mut planted, mut kinds) = (0, BTreeSet::new());
    for name in ["FIRSTFIT/NODES=SHARED", "EASY", "CONS"] {
        let policy = BatchPolicy::parse(name).unwrap();
        let events = events(name.parse().unwrap(), 5, &options(2, CLASSES), &jobs);
        let lines: Vec<Record<'_>> =
            events.lines().map(|line| Record::from_json(line.as_bytes()).unwrap()).collect();
        assert!(!is_faulty(&lines, policy), "{name}");
        let mut plant = |what: &'static str, at: usize, changed: Option<Record<'static>>| {
            let mut wrong: Vec<Record<'_>> = lines.clone();
            match changed {
                Some(changed) => wrong[at] = changed,
                None => _ = wrong.remove(at),
            }
            assert!(is_faulty(&wrong, policy), "{name}, line {}: {what}", at + 1);
            planted += 1;
            kinds.insert(what);
        };
        for (at, line) in lines.iter().enumerate() {
            let owned = || Record::from_json(events.lines().nth(at).unwrap().as_bytes()).unwrap();
            match line {
                Record::Ask { .. } => {
                    for (what, change) in [("more power", 1_i64), ("less power", -1)] {
                        let mut record = owned();
                        if let Record::Ask { common, .. } = &mut record {
                            common[2] = common[2].saturating_add_signed(change);
                        }
                        plant(what, at, Some(record));
                    }
                    plant("no amounts", at, None);
                }
                Record::Energy { nodes_mj, jobs_mj, peak_mw } => {
                    let (nodes_mj, jobs_mj, peak_mw) = (*nodes_mj, *jobs_mj, *peak_mw);
                    for (what, add) in
                        [("energy", [1, 0, 0]), ("energy of jobs", [0, 1, 0]), ("peak", [0, 0, 1])]
                    {
                        let record = Record::Energy {
                            nodes_mj: nodes_mj + add[0],
                            jobs_mj: jobs_mj + add[1],
                            peak_mw: peak_mw + add[2],
                        };
                        plant(what, at, Some(record));
                    }
                }
                Record::Classes { .. } => {
                    for what in ["no licences", "a lower cap", "an idle power", "a busy power"] {
                        let mut record = owned();
                        if let Record::Classes { classes, common, .. } = &mut record {
                            let power = classes[0].power.as_mut().unwrap();
                            match what {
                                "no licences" => common[1].steps.iter_mut().for_each(|step| step.1 = 0),
                                "a lower cap" => common[2].steps[0].1 = 1000,
                                "an idle power" => power.idle_mw += 1,
                                _ => power.busy_mw += 1000,
                            }
                        }
                        plant(what, at, Some(record));
                    }
                }
                _ => {}
            }
        }
    }
    assert!(planted >= 30 && kinds.len() == 10, "{planted} faults of {} kinds", kinds.len());
}

/// Changes what jobs hold of licences and burst buffers, the nodes that sleep, carbon intensities and the figures
/// of all of these in the records of schedules. The audit finds each fault by the figures alone, without the
/// rules of a policy.
#[test]
fn planted_faults_of_uses_are_found() {
    let jobs: Vec<Job> =
        (0..16).map(|id| Job { submit: SimTime::from_secs(9 * id), ..planted_job(id) }).collect();
    let slept =
        SLOW_CLASSES.replace("power = {", "power = { asleep_w = 5, sleep_after = 4, falls = 1, wakes = 2,");
    let (mut planted, mut kinds, mut missed) = (0, BTreeSet::new(), Vec::new());
    for name in ["FIRSTFIT/NODES=SHARED", "EASY", "CONS", "EQUIPARTITION", "MCB*/OPT=MIN", "SRPT", "GANG"] {
        let events = events(name.parse().unwrap(), 5, &options(2, &slept), &jobs);
        assert_judged(&events, name);
        let lines: Vec<&str> = events.lines().collect();
        let mut plant = |what: &'static str, at: usize, change: &dyn Fn(&mut Record<'static>)| {
            let mut record = Record::from_json(lines[at].as_bytes()).unwrap();
            change(&mut record);
            let changed = serde_json::to_string(&record).unwrap();
            if changed == lines[at] {
                return;
            }
            let line = |(number, line)| if number == at { changed.as_str() } else { line };
            let text: String =
                lines.iter().copied().enumerate().map(line).flat_map(|line| [line, "\n"]).collect();
            planted += 1;
            kinds.insert(what);
            if audit(text.as_bytes()).is_ok() {
                missed.push(format!("{name}: {what}, line {}", at + 1));
            }
        };
        for (at, line) in lines.iter().enumerate() {
            match Record::from_json(line.as_bytes()).unwrap() {
                Record::Ask { .. } => {
                    for (what, place) in [("a licence less", 0), ("a burst buffer less", 1)] {
                        plant(what, at, &|record| {
                            let Record::Ask { common, .. } = record else { return };
                            common[place] = common[place].saturating_sub(1);
                        });
                    }
                }
                Record::Series { .. } => {
                    plant("more carbon dioxide", at, &|record| {
                        let Record::Series { carbon_mg, .. } = record else { return };
                        carbon_mg[1] += 1000;
                    });
                    plant("a lower price", at, &|record| {
                        let Record::Series { price_millionths, .. } = record else { return };
                        price_millionths[2] -= 1000;
                    });
                    plant("a later interval", at, &|record| {
                        let Record::Series { begins_us, .. } = record else { return };
                        begins_us[1] += 1_000_000;
                    });
                }
                Record::Figures { .. } => {
                    for what in [
                        "mean use",
                        "largest use",
                        "time above the cap",
                        "slowed jobs",
                        "time asleep",
                        "wake-ups",
                        "time until nodes are awake",
                        "carbon dioxide",
                        "cost",
                    ] {
                        plant(what, at, &|record| {
                            let Record::Figures {
                                common,
                                over_cap_us,
                                slowed,
                                sleep,
                                carbon_ug,
                                cost_billionths,
                            } = record
                            else {
                                return;
                            };
                            let SleepOfRun { asleep, wakes, woken_us } = sleep.as_mut().unwrap();
                            match what {
                                "mean use" => common[1].mean *= 1.000_001,
                                "largest use" => common[0].largest += 1,
                                "time above the cap" => *over_cap_us.as_mut().unwrap() += 1,
                                "slowed jobs" => slowed[0] += 1,
                                "time asleep" => *asleep *= 1.000_001,
                                "wake-ups" => *wakes += 1,
                                "time until nodes are awake" => *woken_us += 1,
                                "carbon dioxide" => *carbon_ug.as_mut().unwrap() += 1,
                                _ => *cost_billionths.as_mut().unwrap() -= 1,
                            }
                        });
                    }
                }
                _ => {}
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(planted >= 200 && kinds.len() == 14, "{planted} faults of {} kinds", kinds.len());
}

/// Judges schedules as those of another policy with the same rules but one: another order of the plan, and
/// another reservation of the queue head. The audit finds each fault.
#[test]
fn schedules_of_other_policies_are_found() {
    let job = |id: u64| Job {
        id: JobId(id),
        submit: SimTime::from_secs(id / 4),
        tasks: 1 + (id * 5 % 7 % 4) as u32,
        cpu_need: Share::ONE,
        run_time: SimSpan::from_secs(2 + id * 11 % 17),
        requested_time: Some(SimSpan::from_secs(2 + id * 11 % 17)),
        ..Job::default()
    };
    let jobs: Vec<Job> = (0..48).map(job).collect();
    let mut options = options(3, EQUAL);
    let unequal = Arc::make_mut(options.unequal.as_mut().unwrap());
    let text = format!("common = {{ bb = {{ amount = 12, per_task = 1 }} }}\n{EQUAL}");
    unequal.classes = PlatformFields::parse("platform.toml", &text).unwrap().classes().unwrap();
    unequal.demands.requests = vec!["bb:0.8:tasks*lognormal(0.5,1,0,0,6)".parse().unwrap()];
    let names = ["EASY", "EASY/RESERVE=NODES", "CONS/REPLAN", "CONS/PLAN=1", "CONS/PLAN=2", "CONS/PLAN=3"];
    for (name, others) in [(names[0], &names[1..2]), (names[1], &names[..1])]
        .into_iter()
        .chain(names[2..].iter().map(|name| (*name, &names[2..])))
    {
        let own = events(name.parse().unwrap(), 5, &options, &jobs);
        assert_judged(&own, name);
        for other in others.iter().filter(|other| **other != name) {
            let text = own.replacen(name, other, 1);
            assert!(text.contains(other), "{name} is in the header");
            let policy = CheckedPolicy::Batch(BatchPolicy::parse(other).unwrap());
            assert!(audit_policy(text.as_bytes(), policy).is_err(), "a schedule of {name} passes as {other}");
        }
    }
}

/// Changes the power of used devices and sockets, what jobs hold of a cap and energy in the records of
/// schedules. The audit finds each fault.
#[test]
fn planted_faults_of_used_power_are_found() {
    let jobs: Vec<Job> = (0..8).map(planted_job).collect();
    let (mut planted, mut missed) = (0, Vec::new());
    for name in [
        "FIRSTFIT/NODES=SHARED",
        "EASY",
        "CONS/PLACE=POWER/NODES=SHARED",
        "EQUIPARTITION",
        "MCB*/OPT=MIN",
        "SRPT",
        "GANG",
    ] {
        let events = events(name.parse().unwrap(), 5, &capped(2, USED), &jobs);
        assert_judged(&events, name);
        let lines: Vec<&str> = events.lines().collect();
        let mut plant = |what: &str, at: usize, change: &dyn Fn(&mut Record<'static>)| {
            let mut record = Record::from_json(lines[at].to_owned().into_bytes().leak()).unwrap();
            change(&mut record);
            let changed = serde_json::to_string(&record).unwrap();
            let line = |(number, line): (usize, &&str)| {
                if number == at { changed.clone() } else { (*line).to_owned() }
            };
            let text: String = lines.iter().enumerate().map(line).map(|line| line + "\n").collect();
            let policy = CheckedPolicy::parse(name, PolicyOptions::default().period).unwrap();
            planted += 1;
            if audit_policy(text.as_bytes(), policy).is_ok() {
                missed.push(format!("{name}: {what}, line {}", at + 1));
            }
        };
        let mut power = |what: &str, change: fn(&mut PowerOfNode)| {
            plant(what, 1, &|record| {
                let Record::Classes { classes, .. } = record else {
                    panic!("the second record has the classes")
                };
                change(classes[0].power.as_mut().unwrap());
            });
        };
        power("devices that draw by their parts", |power| power.whole_devices = false);
        power("a device that draws more", |power| power.units_mw[0].1 += 1000);
        power("no sockets", |power| power.sockets = None);
        power("small sockets", |power| power.sockets.as_mut().unwrap().cores_each = 1);
        power("a socket that draws more without tasks", |power| {
            power.sockets.as_mut().unwrap().idle_mw += 1000;
        });
        power("a socket that draws more", |power| power.sockets.as_mut().unwrap().busy_mw += 1000);
        for (at, line) in lines.iter().enumerate() {
            match Record::from_json(line.as_bytes()).unwrap() {
                Record::Ask { .. } if at < 20 => {
                    for (what, change) in [("more power", 1), ("less power", -1)] {
                        plant(what, at, &|record| {
                            if let Record::Ask { common, .. } = record {
                                let power = common.last_mut().unwrap();
                                *power = power.saturating_add_signed(change);
                            }
                        });
                    }
                }
                Record::Energy { .. } => {
                    for what in ["energy", "energy of jobs", "peak"] {
                        plant(what, at, &|record| {
                            let Record::Energy { nodes_mj, jobs_mj, peak_mw } = record else { return };
                            *(match what {
                                "energy" => nodes_mj,
                                "energy of jobs" => jobs_mj,
                                _ => peak_mw,
                            }) += 1;
                        });
                    }
                }
                _ => {}
            }
        }
    }
    assert!(missed.is_empty() && planted >= 70, "{planted} planted, not found: {missed:?}");
}

/// Policies of all kinds; the audit knows each of them.
const ALL: [&str; 22] = [
    "FCFS",
    "FIRSTFIT",
    "EASY",
    "EASY/RESERVE=NODES",
    "TWOQ",
    "CONS",
    "CONS/REPLAN/NODES=SHARED",
    "CONS/PLAN=2",
    "EASY/NODES=SHARED",
    "SLURM",
    "SLURM/NODES=WHOLE",
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyPM*/per/OPT=MIN/PERIOD=7",
    "MCB*/OPT=MIN",
    "GreedyP*/per/OPT=AVG/PERIOD=7",
    "/stretch-per/OPT=MAX/PERIOD=7",
    "RANKED",
    "SRPT",
    "LAS",
    "EDF/STRETCH=20",
    "GANG",
];

/// Judges the schedule of a policy that knows other amounts than the cluster has: more, and the cluster is
/// over-committed; less, and jobs wait or are slow for no reason. The audit finds each fault.
#[test]
fn policies_that_know_other_amounts_are_found() {
    let job = |id: u64| Job {
        id: JobId(id),
        submit: SimTime::from_secs(id / 3),
        tasks: 1 + id as u32 % 2,
        cpu_need: Share::from_ratio(1 + id % 3, 3),
        run_time: SimSpan::from_secs(5 + id % 4),
        requested_time: Some(SimSpan::from_secs(5 + id % 4)),
        ..Job::default()
    };
    let jobs: Vec<Job> = (0..16).map(job).collect();
    let text = |licences: u64, watts: u64| {
        format!(
            "common = {{ matlab = {{ steps = [{{ from_s = 0, amount = {licences} }}, {{ from_s = 9, amount = {} }}] }} }}\n\
             power = {{ cap = [{{ from_s = 0, watts = {watts} }}, {{ from_s = 12, watts = {} }}] }}\n{EQUAL}",
            licences + 1,
            watts + 30
        )
    };
    let (mut planted, mut missed) = (0, Vec::new());
    for name in ALL {
        let mut options = options(7, EQUAL);
        let unequal = Arc::make_mut(options.unequal.as_mut().unwrap());
        unequal.classes = PlatformFields::parse("platform.toml", &text(2, 750)).unwrap().classes().unwrap();
        unequal.demands.requests = vec!["matlab:0.7:1+2".parse().unwrap()];
        let events = events(name.parse().unwrap(), 5, &options, &jobs);
        assert_judged(&events, name);
        let lines: Vec<Record<'_>> =
            events.lines().map(|line| Record::from_json(line.as_bytes()).unwrap()).collect();
        let at = lines.iter().position(|line| matches!(line, Record::Classes { .. })).unwrap();
        for what in ["more licences", "fewer licences", "a higher cap", "a lower cap", "later steps"] {
            let mut wrong = lines.clone();
            let mut record = Record::from_json(events.lines().nth(at).unwrap().as_bytes()).unwrap();
            if let Record::Classes { common, .. } = &mut record {
                let place = usize::from(what.ends_with("cap"));
                for step in &mut common[place].steps {
                    match what {
                        "more licences" => step.1 += 2,
                        "fewer licences" => step.1 -= 1,
                        "a higher cap" => step.1 += 150_000,
                        "a lower cap" => step.1 -= 100_000,
                        _ => step.0 += if step.0 > 0 { 15_000_000 } else { 0 },
                    }
                }
            }
            wrong[at] = record;
            let text: String = wrong.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
            let policy = CheckedPolicy::parse(name, PolicyOptions::default().period).unwrap();
            planted += 1;
            if audit_policy(text.as_bytes(), policy).is_ok() {
                missed.push(format!("{name}: {what}"));
            }
        }
    }
    assert!(missed.is_empty() && planted == 110, "{planted} planted, not found: {missed:?}");
}

/// Two nodes draw 100 W without tasks and 200 W with a busy CPU. A job of 10 s on one of them, with half
/// of its CPU, adds 500 J to their 2,000 J. If the other node is down for 5 s, they draw 500 J less. At a
/// yield of 1/2 the job draws half as much for twice as long.
#[test]
fn energy_is_that_computed_by_hand() {
    let energy = |policy: &str, cap: &str, outages: Option<Arc<Outages>>| {
        let text = format!(
            "{cap}\nclasses = [{{ name = 'a', nodes = 2, cores = 4, memory_gb = 8, power = {{ idle_w = 100, busy_w = 200 }} }}]"
        );
        let classes = PlatformFields::parse("platform.toml", &text).unwrap().classes().unwrap();
        let unequal = Some(Arc::new(UnequalNodes { classes, demands: Demands::default() }));
        let options = Options { unequal, outages, ..Options::default() };
        let job = Job {
            tasks: 1,
            cpu_need: Share::from_ratio(1, 2),
            run_time: SimSpan::from_secs(10),
            ..Job::default()
        };
        let events = events(policy.parse().unwrap(), 2, &options, &[job]);
        assert_judged(&events, policy);
        recorded_energy(&events)
    };
    assert_eq!(energy("EASY", "", None), (2_500_000, 500_000, 250_000));
    let outage = Outage {
        nodes: NodeSpan { first: 1, nodes: 1 },
        from: SimTime::from_secs(2),
        until: SimTime::from_secs(7),
    };
    let outages = Outages { failures: vec![outage], ..Outages::default() };
    assert_eq!(energy("EASY", "", Some(Arc::new(outages))), (2_000_000, 500_000, 250_000));
    assert_eq!(energy("Greedy*/OPT=MIN", "power = { cap_w = 225 }", None), (4_500_000, 500_000, 225_000));
}

/// Returns the energy of nodes and jobs in millijoules and the largest power in milliwatts of events.
fn recorded_energy(events: &str) -> (u64, u64, u64) {
    let energy = events.lines().rev().find_map(|line| match Record::from_json(line.as_bytes()) {
        Ok(Record::Energy { nodes_mj, jobs_mj, peak_mw }) => Some((nodes_mj, jobs_mj, peak_mw)),
        _ => None,
    });
    energy.expect("the events have a record of the energy")
}

/// Returns the energy of nodes and jobs in millijoules and the largest power in milliwatts, of a schedule
/// that is judged.
fn judged_energy(policy: &str, platform: &str, requests: &[&str], jobs: &[Job]) -> (u64, u64, u64) {
    let classes = PlatformFields::parse("platform.toml", platform).unwrap().classes().unwrap();
    let requests = requests.iter().map(|text| text.parse().unwrap()).collect();
    let demands = Demands { requests, ..Demands::default() };
    let nodes = classes.nodes();
    let unequal = Some(Arc::new(UnequalNodes { classes, demands }));
    let events = events(policy.parse().unwrap(), nodes, &Options { unequal, ..Options::default() }, jobs);
    assert_judged(&events, policy);
    recorded_energy(&events)
}

/// A node draws 100 W, and a GPU 20 W without tasks and 80 W with them. Two jobs of 10 s need 0.4 of a GPU
/// each. On one GPU they add 60 W together, on two 120 W, and one after the other 60 W for 20 s. If power
/// followed the parts, it would be 48 W in all cases.
#[test]
fn used_devices_draw_all_of_their_power() {
    let energy = |policy: &str, part: &str, when: &str| {
        let platform = format!(
            "devices = 'gpu'\nclasses = [{{ name = 'a', nodes = 1, cores = 4, memory_gb = 8, resources = {{ gpu = 2 }},
             power = {{ idle_w = 60, busy_w = 60, resources = {{ gpu = {{ idle_w = 20, busy_w = 80, when = '{when}' }} }} }} }}]"
        );
        let job = |id| Job {
            id: JobId(id),
            tasks: 1,
            cpu_need: Share::from_ratio(1, 4),
            run_time: SimSpan::from_secs(10),
            ..Job::default()
        };
        judged_energy(policy, &platform, &[&format!("gpu:1:1:{part}")], &[job(1), job(2)])
    };
    for policy in ["FIRSTFIT/NODES=SHARED", "EQUIPARTITION", "Greedy*/OPT=MIN", "SRPT"] {
        assert_eq!(energy(policy, "0.4-0.4", "used"), (1_600_000, 600_000, 160_000), "{policy}, one GPU");
        assert_eq!(energy(policy, "0.6-0.6", "used"), (2_200_000, 1_200_000, 220_000), "{policy}, two GPUs");
        assert_eq!(energy(policy, "0.4-0.4", "linear"), (1_480_000, 480_000, 148_000), "{policy}, linear");
    }
    assert_eq!(energy("FCFS", "0.4-0.4", "used"), (3_200_000, 1_200_000, 160_000), "one after the other");
}

/// A node has two sockets of two cores, each of which draws 10 W without tasks and 50 W once a core is used.
/// Three jobs of one core run for 10, 20 and 30 s: two sockets are used until 10 s, and one until 30 s. Two
/// jobs of three cores have yields of 2/3, at which both sockets are used for 15 s.
#[test]
fn used_sockets_draw_all_of_their_power() {
    let energy = |policy: &str, cores: u32, runs: &[u64]| {
        let platform = "classes = [{ name = 'a', nodes = 1, cores = 4, memory_gb = 8,
            power = { cpu = { cores_each = 2, idle_w = 10, busy_w = 50, when = 'used' } } }]";
        let job = |(id, run): (u64, &u64)| Job {
            id: JobId(id),
            tasks: 1,
            cpu_need: Share::from_ratio(cores.into(), 4),
            run_time: SimSpan::from_secs(*run),
            ..Job::default()
        };
        judged_energy(policy, platform, &[], &(1..).zip(runs).map(job).collect::<Vec<_>>())
    };
    for policy in ["EASY/NODES=SHARED", "Greedy*/OPT=MIN", "RANKED"] {
        let found = energy(policy, 1, &[10, 20, 30]);
        assert_eq!(found, (600_000 + 800_000 + 800_000, 1_600_000, 100_000), "{policy}");
    }
    // Two jobs of three cores at a yield of 2/3: all sockets are used for 15 s.
    let found = energy("Greedy*/OPT=MIN", 3, &[10, 10]);
    assert_eq!((found.0 / 1000, found.1 / 1000, found.2), (1500, 1200, 100_000));
    assert_eq!(energy("EASY/NODES=SHARED", 3, &[10, 10]), (2_000_000, 1_600_000, 100_000), "one by one");
}

/// Returns whether the largest power of a schedule is at most the largest cap of [`COMMON`].
fn is_below_the_cap(events: &str) -> bool {
    let energy = events.lines().rev().find_map(|line| match Record::from_json(line.as_bytes()) {
        Ok(Record::Energy { peak_mw, .. }) => Some(peak_mw),
        _ => None,
    });
    energy.is_some_and(|peak| peak <= 780_000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(2_000)))]

    /// Compares policies under failures, maintenance, priorities and preemption.
    #[test]
    fn they_agree_under_all_conditions(
        jobs in workload(1), seed in 0..1000_u64, rule in prop::sample::select(vec!["lose", "requeue", "checkpoint:2:0:1"]),
        mode in prop::sample::select(vec![PreemptMode::Off, PreemptMode::Requeue, PreemptMode::Suspend, PreemptMode::Cancel]),
        (fails, has_site) in (any::<bool>(), any::<bool>()),
        (skips, is_heterogeneous) in (any::<bool>(), any::<bool>()),
        platform in prop::sample::select(vec![CLASSES, USED, EQUAL, FRUGAL, SLOW_CLASSES, SLOW_EQUAL, SLOW_USED]),
        policy in prop::sample::select(policies()),
    ) {
        let outages = fails.then(|| Arc::new(outages(rule)));
        let options = Options { outages, ..options(seed, platform) };
        let mut settings = has_site.then(|| preemption::settings(mode));
        if skips {
            settings.get_or_insert_default().backfill.skips_unlicensed = true;
        }
        let queued = |job: Job| Job { origin: Origin::new(None, Some(job.id.0 as u32 % 4), None), ..job };
        let jobs = with_last(&options, jobs.into_iter().map(queued).collect());
        if let (Some(settings), true) = (&mut settings, is_heterogeneous && jobs.len() > 3) {
            settings.together = vec![jobs.iter().take(3).map(|job| job.id.0).collect()];
        }
        let name = policy.to_string();
        let events = recorded::<()>(&PolicyOptions::default(), &name, 5, &options, settings.as_ref(), &jobs).events;
        let report = audit_policy(events.as_bytes(), CheckedPolicy::Batch(policy));
        prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
        prop_assert!(is_below_the_cap(&events), "{}", policy);
    }

    /// Compares nodes, times and energy with the reference implementation, where each task has a node of
    /// its own and where tasks share nodes.
    #[test]
    fn batch_policies_agree_with_the_reference(
        jobs in workload(1), seed in 0..1000_u64,
        platform in prop::sample::select(vec![CLASSES, USED, EQUAL, FRUGAL, SLOW_CLASSES, SLOW_EQUAL, SLOW_USED]),
        policy in prop::sample::select(policies()),
    ) {
        let name = policy.to_string();
        let options = options(seed, platform);
        let jobs = with_last(&options, jobs);
        let events = recorded::<()>(&PolicyOptions::default(), &name, 5, &options, None, &jobs).events;
        let report = audit_policy(events.as_bytes(), CheckedPolicy::Batch(policy));
        prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
        prop_assert!(is_below_the_cap(&events), "{}", policy);
    }

    /// Compares fractional policies under a power cap, with and without licences, with the reference
    /// implementation, under failures, maintenance, priorities and preemption.
    #[test]
    fn fractional_policies_agree_under_all_conditions(
        jobs in workload(1), seed in 0..1000_u64, fails in any::<bool>(),
        (has_licences, has_site) in (any::<bool>(), any::<bool>()),
        platform in prop::sample::select(vec![CLASSES, USED, EQUAL, SLOW_CLASSES, SLOW_EQUAL, SLOW_USED]),
        name in prop::sample::select(FRACTIONAL.to_vec()),
    ) {
        let outages = fails.then(|| Arc::new(outages("requeue")));
        let of_cluster = if has_licences { options(seed, platform) } else { capped(seed, platform) };
        let options = Options { outages, penalty: SimSpan::from_secs(2), ..of_cluster };
        let settings = has_site.then(|| preemption::settings(PreemptMode::Requeue));
        let queued = |job: Job| Job { origin: Origin::new(None, Some(job.id.0 as u32 % 4), None), ..job };
        let jobs = with_last(&options, jobs.into_iter().map(queued).collect());
        let events = recorded::<()>(&PolicyOptions::default(), name, 5, &options, settings.as_ref(), &jobs).events;
        assert_judged(&events, name);
        prop_assert!(is_below_the_cap(&events), "{}", name);
    }

    /// Compares policies at full speed with the reference implementation.
    #[test]
    fn policies_at_full_speed_agree(
        jobs in workload(1), seed in 0..1000_u64, fails in any::<bool>(), has_licences in any::<bool>(),
        platform in prop::sample::select(vec![CLASSES, USED, EQUAL, SLOW_CLASSES, SLOW_EQUAL, SLOW_USED]),
        name in prop::sample::select(FULL_SPEED.to_vec()),
    ) {
        let outages = fails.then(|| Arc::new(outages("requeue")));
        let of_cluster = if has_licences { options(seed, platform) } else { capped(seed, platform) };
        let options = Options { outages, penalty: SimSpan::from_secs(2), ..of_cluster };
        let events = events(name.parse::<Policy>().unwrap(), 5, &options, &with_last(&options, jobs));
        assert_judged(&events, name);
        prop_assert!(is_below_the_cap(&events), "{}", name);
    }
}
