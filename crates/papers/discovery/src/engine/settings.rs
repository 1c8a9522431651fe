//! The phases of the policies, and what the text leaves open.

use crate::engine::sharing::Sharing;
use dfrsim_model::{Share, SimSpan, named};
use dfrsim_packing::mcb::McbOptions;

named! {
    /// The use of the CPU that the minimum yield leaves.
    #[derive(Default)]
    pub enum Spare as "use of spare CPU" {
        /// No machine is below the largest minimum yield of the whole cluster, and the average yield is as large as
        /// it can then be (dissertation, sections 4.4.7 and 7.2.2).
        #[default]
        Average = "average",
        /// The second smallest yield is as large as it can be, then the third, and so on.
        MaxMin = "max-min",
    }
}

named! {
    /// When the estimate of a machine's need is lowered during execution.
    #[derive(Default)]
    pub enum Lowering as "reading of when estimates fall" {
        /// Whenever it uses less than the estimate, to what it uses, also if it was not entitled to more: the words of
        /// section 7.2.2.
        #[default]
        BelowEstimate = "below-estimate",
        /// Only if it also uses less than it is entitled to, so that there is slack.
        BelowEntitlement = "below-entitlement",
    }
}

/// How the policies work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How long one machine of each node has nearly all of the CPU.
    pub discovery: SimSpan,
    /// How long migrations may take; without any it is part of the execution.
    pub allocation: SimSpan,
    /// How long machines run by their weights.
    pub execution: SimSpan,
    /// How often use is compared with the estimates during execution. The text does not say it.
    pub monitor: SimSpan,
    /// What the minimum yield must gain for machines to be migrated: 0.1 for more than 10 %.
    pub threshold: f64,
    /// How long a live migration takes, from its decision to the moment when the machine runs elsewhere; all those of
    /// one decision run at once.
    pub migration: SimSpan,
    /// The amount that a migration takes of the CPU of both of its nodes while it goes on; the machines there share the rest.
    pub migration_cpu: Share,
    /// Weights or caps.
    pub sharing: Sharing,
    /// The use of the CPU that is left.
    pub spare: Spare,
    /// When estimates are lowered.
    pub lowering: Lowering,
    /// The options of MCB.
    pub mcb: McbOptions,
    /// Whether MCB's nodes are renamed so that the fewest machines migrate.
    pub relabel: bool,
}

impl Default for Settings {
    /// Phases of 60 s and a threshold of 10 % as in section 7.2.2; migrations of 20 s as in section 5.3.1; use is examined
    /// every second, the resolution of section 7.4.
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
            sharing: Sharing::Weights,
            spare: Spare::Average,
            lowering: Lowering::BelowEstimate,
            mcb: McbOptions::default(),
            relabel: false,
        }
    }
}

/// Settings that make no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A phase, a migration, or the time between readings of the use is 0.
    #[error("{0} must be longer than 0 s")]
    NoTime(&'static str),
    /// Migrations would not be completed in the allocation phase.
    #[error("a migration of {migration} s does not fit into an allocation phase of {allocation} s")]
    LongMigration {
        /// How long a migration takes.
        migration: SimSpan,
        /// How long it may take.
        allocation: SimSpan,
    },
    /// The threshold is negative or no number.
    #[error("the threshold must be a number that is not negative")]
    Threshold,
}

impl Settings {
    /// Whether they can be simulated; [`simulate`](crate::engine::simulate) panics otherwise.
    ///
    /// # Errors
    /// The first thing that makes no sense.
    pub fn check(&self) -> Result<(), SettingsError> {
        let spans = [
            ("the discovery phase", self.discovery),
            ("the allocation phase", self.allocation),
            ("the execution phase", self.execution),
            ("the time between readings of the use", self.monitor),
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
            "the time between readings of the use must be longer than 0 s"
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
                "the threshold must be a number that is not negative"
            );
        }
    }
}
