//! Tests custom policies, which are listed and found in addition to the standard ones.

use dfrsim_policies::{CustomPolicy, Policies, Policy, PolicyFamily, PolicySetting};

fn mine(version: &str) -> CustomPolicy {
    CustomPolicy::new("MINE", version, |nodes, options, _| Policy::Equipartition.scheduler(nodes, options))
}

#[test]
fn a_custom_policy_is_found_listed_and_says_what_it_reads() {
    let policies = Policies::standard().with(mine("1").reading([PolicySetting::Period]).described("mine"));
    let policy = policies.parse("MINE").unwrap();
    assert_eq!((policy.to_string().as_str(), policy.description().as_str()), ("MINE", "mine"));
    assert!(policy.reads(PolicySetting::Period) && !policy.reads(PolicySetting::Mcb));
    assert_eq!(policies.catalogue().last().unwrap().policy, policy);
    assert_eq!(policies.parse("EASY").ok(), "EASY".parse().ok());
    for (wrong, nearest) in [("EASYY", "EASY"), ("MINNE", "MINE")] {
        let hint = format!("did you mean `{nearest}`?");
        assert!(policies.parse(wrong).unwrap_err().to_string().contains(&hint));
    }
    assert_ne!(Policies::standard().with(mine("2")).parse("MINE"), Ok(policy));
}

#[test]
fn a_family_makes_its_policies_from_their_names() {
    let family = PolicyFamily {
        prefix: "level",
        form: "level:NUMBER",
        description: "for tests",
        create: |name| {
            let level: u8 = name["level:".len()..].parse().map_err(|_| "expected a number".to_owned())?;
            let version = level.to_string();
            Ok(CustomPolicy::new(name, version, |nodes, options, _| {
                Policy::Equipartition.scheduler(nodes, options)
            }))
        },
    };
    let policies = Policies::standard().with_family(family);
    let policy = policies.parse("level:3").unwrap();
    assert_eq!(policy.to_string(), "level:3");
    assert_eq!(policies.parse("level:3"), Ok(policy));
    let fault = policies.parse("level:x").unwrap_err().to_string();
    assert_eq!(fault, "policy `level:x`: expected a number");
    assert!(policies.parse("levl:3").unwrap_err().to_string().contains("level:NUMBER"));
}

#[test]
#[should_panic(expected = "duplicate policy `MINE`")]
fn names_are_unique() {
    let _ = Policies::standard().with(mine("1")).with(mine("2"));
}
