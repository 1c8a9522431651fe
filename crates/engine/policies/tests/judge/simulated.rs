//! What the engine does is what the reference expects.

use crate::conditions::{CONDITIONS, judge};
use dfrsim_audit::batch::BatchPolicy;

/// How many policies are simulated under each condition; more with `JUDGED=1000`.
fn count() -> usize {
    std::env::var("JUDGED").ok().and_then(|count| count.parse().ok()).unwrap_or(24)
}

#[test]
fn every_policy_is_judged_right_under_every_condition() {
    let all: Vec<BatchPolicy> = BatchPolicy::all().collect();
    let mut wrong = Vec::new();
    for (place, condition) in CONDITIONS.into_iter().enumerate() {
        let (mut served, mut seed) = (0, 0);
        while served < count() && seed < 40 * count() as u64 {
            seed += 1;
            let policy = all[(seed as usize * 97 + place * 31) % all.len()];
            let Some(records) = condition.case(seed, 80).records(policy) else { continue };
            served += 1;
            if let Err(faults) = judge(&records, policy) {
                wrong.push(format!("{policy}, {}, {seed}: {faults}", condition.name));
            }
        }
        eprintln!("{}: {served} of {seed}", condition.name);
    }
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(12)]);
}
