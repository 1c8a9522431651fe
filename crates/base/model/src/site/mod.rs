//! Settings of a site: priorities, limits, preemption and backfilling.
//!
//! Each setting is declared once, with its type, default, valid values, documentation and, if one
//! parameter of Slurm sets it, that parameter. Everything else follows from the declaration: the
//! fields of scenarios and their reference page ([`Settings::visit`]), JSON, TOML and the JSON
//! schema, the [check](SiteSettings::check) of ranges, and the reader of `slurm.conf`. A further
//! setting of the site is a declaration in `settings.rs`, its use in a policy, and its check in the
//! audit.
//!
//! Most settings are named after Slurm's parameters in other letters: `half_life_s` is
//! `PriorityDecayHalfLife`. The policies compute priorities from them, and the audit recomputes
//! these independently.

mod accounts;
mod backfill;
mod check;
mod class;
mod class_check;
mod declare;
mod factors;
mod limits;
mod main_cycles;
mod preemption;
mod reservation;
mod settings;

pub use accounts::{Account, FairShare, LARGEST_USAGE_S, Unlisted};
pub use backfill::BackfillSettings;
pub use check::SettingError;
pub use class::{JobClass, LARGEST_TIER, LARGEST_WEIGHT, partition_feature};
pub use declare::{
    LARGEST_AMOUNT, LONGEST_SETTING_S, Setting, SettingType, SettingVisitor, Settings, SlurmForm,
    SlurmParameter, Values,
};
pub use factors::{PriorityWeights, SizeFactor};
pub use limits::{JobArray, Licence, Limits, Tres};
pub use main_cycles::MainSettings;
pub use preemption::{PreemptMode, VictimOrder};
pub use reservation::Reservation;
pub use settings::{SiteSettings, SiteSettingsOf};

#[cfg(test)]
mod tests;
