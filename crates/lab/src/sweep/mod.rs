//! Execution of scenarios: the only path from a study to result files.

mod folder;
mod header;
mod inputs;
mod instance_work;
mod journal;
mod manifest;
mod only;
mod options;
mod outline;
mod plan;
mod progress;
mod run;
mod runs;
mod seal;
mod shard;
mod status;
mod times;
mod work;

pub use manifest::{Counts, Host, InputSection, MANIFEST, Manifest};
pub use options::{Part, RunOptions};
pub use outline::Outline;
pub use progress::{Progress, Step};
pub use run::RunReport;
pub use seal::SealError;
pub use shard::{ParseShardError, Shard};
pub use status::{PartStatus, RunStatus, unfinished_scenario};

pub(crate) use folder::journals;
pub use times::TIMES;
