//! Checks of classes: qualities of service and partitions.

use super::check::{check, check_ranges, check_unique};
use super::{JobClass, SettingError};

/// Checks the classes of a kind, `qos` or `partitions`.
pub(super) fn check_classes(kind: &str, classes: &[JobClass]) -> Result<(), SettingError> {
    check_unique(kind, classes.iter().map(|class| class.name.as_str()))?;
    for class in classes {
        let place = format!("{kind}.{}", class.name);
        check_ranges(class, &place)?;
        check_ranges(&class.limits, &format!("{place}.limits"))?;
        let is_partition = kind == "partitions";
        check(is_partition || class.billing.is_empty(), &format!("{place}.billing"), || {
            "billing weights are for partitions only".to_owned()
        })?;
        check(is_partition || class.tier.is_none(), &format!("{place}.tier"), || {
            "tiers are for partitions only".to_owned()
        })?;
    }
    check_preempt(kind, classes)
}

/// Checks that either qualities of service or partitions preempt each other.
pub(super) fn check_kind_of_preemption(
    qos: &[JobClass],
    partitions: &[JobClass],
) -> Result<(), SettingError> {
    let preempts = |class: &&JobClass| !class.preempt.is_empty();
    let both = partitions.iter().find(preempts).filter(|_| qos.iter().any(|it| preempts(&it)));
    both.map_or(Ok(()), |class| {
        let place = format!("partitions.{}.preempt", class.name);
        check(false, &place, || "both QOS and partitions define preemption; use one of them".to_owned())
    })
}

/// Checks that the lists name existing classes, and that no class preempts itself, directly or
/// through others.
fn check_preempt(kind: &str, classes: &[JobClass]) -> Result<(), SettingError> {
    let named = |name: &String| classes.iter().find(|class| class.name == *name);
    for class in classes {
        let place = format!("{kind}.{}.preempt", class.name);
        let (mut reached, mut at) = (class.preempt.iter().collect::<Vec<_>>(), 0);
        while let Some(&name) = reached.get(at) {
            check(named(name).is_some(), &place, || format!("unknown name `{name}`"))?;
            check(*name != class.name, &place, || {
                "class preempts itself, directly or through others".to_owned()
            })?;
            for name in named(name).into_iter().flat_map(|next| &next.preempt) {
                if !reached.contains(&name) {
                    reached.push(name);
                }
            }
            at += 1;
        }
    }
    Ok(())
}
