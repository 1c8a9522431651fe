//! Phases of the policies, and options that the text leaves open.

use crate::engine::sharing::Sharing;
use dfrsim_model::{Share, SimSpan, named};
use dfrsim_packing::mcb::McbOptions;

named! {
    /// Use of the CPU that the minimum yield leaves.
    #[derive(Default)]
    pub enum Spare as "use of spare CPU" {
        /// No machine is below the largest minimum yield of the whole cluster, and the average yield
        /// is as large as possible under this condition (dissertation, sections 4.4.7 and 7.2.2).
        #[default]
        Average = "average",
        /// The second smallest yield is as large as possible, then the third, and so on.
        MaxMin = "max-min",
    }
}

named! {
    /// Condition for lowering the estimate of a machine's need during execution.
    #[derive(Default)]
    pub enum Lowering as "rule for lowering estimates" {
        /// The estimate falls to the use whenever the machine uses less, even if it was not entitled
        /// to more: the wording of section 7.2.2.
        #[default]
        BelowEstimate = "below-estimate",
        /// The estimate falls only if the machine also uses less than it is entitled to, so that
        /// there is slack.
        BelowEntitlement = "below-entitlement",
    }
}

/// Settings of the policies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Time for which one machine of each node has nearly all of the CPU.
    pub discovery: SimSpan,
    /// Time that is reserved for migrations; without any it is part of the execution.
    pub allocation: SimSpan,
    /// Time for which machines run by their weights.
    pub execution: SimSpan,
    /// Period at which use is compared with the estimates during execution. The text does not
    /// specify it.
    pub monitor: SimSpan,
    /// Relative gain in the minimum yield that is needed to migrate machines: 0.1 for more than 10
    /// %.
    pub threshold: f64,
    /// Duration of a live migration, from its decision until the machine runs elsewhere. All
    /// migrations of one decision are concurrent.
    pub migration: SimSpan,
    /// CPU that a migration uses on both of its nodes while it lasts; the machines there share the
    /// rest.
    pub migration_cpu: Share,
    /// Part of the CPU of a machine that does not reach its program: that of its kernel, and what is
    /// lost when it is stopped and resumed. The hypervisor and the policies see it as used.
    pub lost_cpu: Share,
    /// Weights or caps.
    pub sharing: Sharing,
    /// Use of the CPU that the minimum yield leaves.
    pub spare: Spare,
    /// Condition for lowering estimates.
    pub lowering: Lowering,
    /// Options of MCB.
    pub mcb: McbOptions,
    /// True if MCB's nodes are renamed so that the least memory migrates.
    pub relabel: bool,
}

impl Default for Settings {
    /// Returns phases of 60 s and a threshold of 10 % as in section 7.2.2, and migrations of 20 s as
    /// in section 5.3.1. Use is examined every second, the resolution of section 7.4.
    fn default() -> Settings {
        let minute = SimSpan::from_secs(60);
        Settings {
            discovery: minute,
            allocation: minute,
            execution: minute,
            monitor: SimSpan::from_secs(1),
            threshold: 0.1,
            migration: SimSpan::from_secs(20),
            migration_cpu: Share::ZERO,
            lost_cpu: Share::ZERO,
            sharing: Sharing::Weights,
            spare: Spare::Average,
            lowering: Lowering::BelowEstimate,
            mcb: McbOptions::default(),
            relabel: false,
        }
    }
}

/// Invalid settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The duration of a phase or a migration, or the monitoring period, is 0.
    #[error("{0} must be longer than 0 s")]
    NoTime(&'static str),
    /// Migrations would not be completed in the allocation phase.
    #[error("a migration of {migration} s does not fit into an allocation phase of {allocation} s")]
    LongMigration {
        /// Duration of a migration.
        migration: SimSpan,
        /// Duration of the allocation phase.
        allocation: SimSpan,
    },
    /// The threshold is negative or not a finite number.
    #[error("the threshold must be a finite number of at least 0")]
    Threshold,
}

impl Settings {
    /// Returns the part of the CPU of a machine that its program gets.
    pub(crate) fn delivered(&self) -> Share {
        let left = Share::ONE.units().saturating_sub(self.lost_cpu.units());
        Share::try_from_units(left).expect("a part of a node")
    }

    /// Checks that the settings can be simulated; [`simulate`](crate::engine::simulate) panics
    /// otherwise.
    ///
    /// # Errors
    /// The first invalid setting.
    pub fn check(&self) -> Result<(), SettingsError> {
        let spans = [
            ("the discovery phase", self.discovery),
            ("the allocation phase", self.allocation),
            ("the execution phase", self.execution),
            ("the monitoring period", self.monitor),
            ("a migration", self.migration),
        ];
        if let Some((name, _)) = spans.iter().find(|(_, span)| span.is_zero()) {
            return Err(SettingsError::NoTime(name));
        }
        if self.migration > self.allocation {
            let Settings { migration, allocation, .. } = *self;
            return Err(SettingsError::LongMigration { migration, allocation });
        }
        if !(self.threshold >= 0.0 && self.threshold.is_finite()) {
            return Err(SettingsError::Threshold);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senseless_settings_are_refused() {
        let error = |settings: Settings| settings.check().unwrap_err().to_string();
        let standard = Settings::default();
        assert_eq!(standard.check(), Ok(()));
        let none = SimSpan::ZERO;
        assert_eq!(
            error(Settings { monitor: none, ..standard }),
            "the monitoring period must be longer than 0 s"
        );
        assert_eq!(
            error(Settings { execution: none, ..standard }),
            "the execution phase must be longer than 0 s"
        );
        assert_eq!(
            error(Settings { migration: SimSpan::from_secs(61), ..standard }),
            "a migration of 61 s does not fit into an allocation phase of 60 s"
        );
        for threshold in [-0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(
                error(Settings { threshold, ..standard }),
                "the threshold must be a finite number of at least 0"
            );
        }
    }
}
