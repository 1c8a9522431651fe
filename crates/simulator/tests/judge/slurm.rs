//! Tests SLURM on small random sites with partitions, tiers, limits on any resource, Fair Tree,
//! shared nodes, GPUs, dependencies, heterogeneous jobs, reservations, and nodes that fail.

use crate::conditions::{Condition, PLAIN, judge};
use crate::planted::{KINDS, planted};
use dfrsim_model::Seed;
use dfrsim_model::site::SiteSettings;
use rand::RngExt;

const NAMES: [&str; 4] = ["SLURM", "SLURM/NODES=EXCLUSIVE", "SLURM/NODES=WHOLE", "SLURM/PLACE=BEST"];

/// Creates the site of a seed. One bit each enables different nodes, failures, maintenance windows
/// and preemption. Jobs depend on others if exactly one of the first two bits is set.
fn site(seed: u64) -> Condition {
    let has = |bit: u64| seed >> bit & 1 == 1;
    Condition {
        name: "a site of Slurm",
        parts: true,
        whole_site: true,
        site: true,
        classes: has(0),
        failures: has(1),
        maintenance: has(2),
        preemption: has(3),
        sessions: has(0) != has(1),
        ..PLAIN
    }
}

/// Returns the number of sites that are simulated; `SITES=3000` sets another one.
fn count() -> u64 {
    std::env::var("SITES").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

#[test]
fn slurm_is_judged_right_on_random_sites() {
    let (mut served, mut seed, mut wrong) = (0, 0, Vec::new());
    while served < count() {
        seed += 1;
        let name = if seed % 3 == 0 { NAMES[(seed / 3 % 4) as usize] } else { "SLURM" };
        let case = site(seed).case(seed, 80);
        let case = if seed % 5 == 0 { case.beginning_at_zero() } else { case };
        let Some(records) = case.records(name) else { continue };
        served += 1;
        if let Err(faults) = judge(&records, name) {
            wrong.push(format!("{name}, {seed}: {faults}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {served} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(8)]);
}

/// Tests a group whose first job is blocked by limits until another job is preempted in that
/// scheduling cycle.
#[test]
fn a_group_is_tried_at_its_first_job_that_is_not_held_back() {
    let records = site(378).case(378, 80).records("SLURM/NODES=WHOLE").unwrap();
    judge(&records, "SLURM/NODES=WHOLE").unwrap();
}

/// Rejects a record of another policy on the site as one of SLURM.
#[test]
fn other_policies_are_not_taken_for_slurm() {
    for seed in 1..9 {
        let records = site(seed).case(seed, 80).records("EASY/NODES=SHARED").unwrap();
        assert!(judge(&records, "SLURM").is_err(), "{seed}");
    }
}

/// A change of the settings, by name.
type Change = (&'static str, fn(&mut SiteSettings));

/// Rejects a record of a site without groups or reservations as one of a site that has them.
#[test]
fn other_settings_are_not_taken_for_these() {
    let changes: [Change; 2] =
        [("no groups", |it| it.together.clear()), ("no reservations", |it| it.reservations.clear())];
    for (what, change) in changes {
        let cases = (9..17).map(|seed| site(seed).case(seed, 60).beginning_at_zero());
        let others: Vec<_> = cases.filter_map(|case| case.under_other_settings("SLURM", change)).collect();
        assert!(!others.is_empty(), "{what}");
        let missed = others.iter().filter(|records| judge(records, "SLURM").is_ok()).count();
        assert_eq!(missed, 0, "{what}: of {}", others.len());
    }
}

#[test]
fn faults_that_are_planted_in_records_of_slurm_are_found() {
    let (mut count, mut misses) = (0, Vec::new());
    for seed in 1..17 {
        let records = site(seed).case(seed, 60).beginning_at_zero().records("SLURM").unwrap();
        let rng = &mut Seed::new(seed).fork("slurm").rng();
        for kind in KINDS {
            let changed = (0..300).find_map(|_| {
                let place = rng.random_range(1..records.len() - 1);
                Some((place, planted(&records, place, kind, rng)?))
            });
            let Some((place, changed)) = changed else { continue };
            count += 1;
            let faults = judge(&changed, "SLURM").expect_err("the summary is missing");
            if faults
                .shown()
                .iter()
                .all(|fault| fault.rule.to_string().contains("without a `summary` record"))
            {
                misses.push(format!("{seed}, {kind}: {:?}", records[place]));
            }
        }
    }
    eprintln!("{count} planted, {} missed", misses.len());
    assert!(count >= 40, "{count}");
    assert!(misses.is_empty(), "{} of {count} missed: {misses:#?}", misses.len());
}
