//! Preemption modes, and checks of the classes that preempt others.

use super::check::check;
use super::{JobClass, SettingError, SiteSettings};
use crate::named;
use schemars::JsonSchema;

named! {
    /// Handling of a running job that is preempted (`PreemptMode`).
    #[derive(Default, JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    pub enum PreemptMode as "preemption mode" {
        /// The job cannot be preempted.
        Off = "off",
        /// The job is requeued. It restarts from its last checkpoint, if it has any, otherwise from
        /// zero.
        #[default]
        Requeue = "requeue",
        /// The job is cancelled and its work is lost.
        Cancel = "cancel",
        /// The job waits without losing its work, and resumes after the penalty.
        Suspend = "suspend",
    }
}

impl SiteSettings {
    /// Checks that either qualities of service or partitions preempt each other.
    pub(super) fn check_kind_of_preemption(&self) -> Result<(), SettingError> {
        let preempts = |class: &&JobClass| !class.preempt.is_empty();
        let both = self.partitions.iter().find(preempts).filter(|_| self.qos.iter().any(|it| preempts(&it)));
        both.map_or(Ok(()), |class| {
            let place = format!("partitions.{}.preempt", class.name);
            check(false, &place, || "both QOS and partitions define preemption; use one of them".to_owned())
        })
    }
}

/// Checks that the lists name existing classes, and that no class preempts itself, directly or
/// through others.
pub(super) fn check_preempt(kind: &str, classes: &[JobClass]) -> Result<(), SettingError> {
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
