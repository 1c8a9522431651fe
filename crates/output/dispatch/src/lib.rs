//! Sweeps as jobs of a real cluster: what its batch system runs, and how it is asked to.
//!
//! A [`Sweep`] is a scenario cut into shards. An [`Engine`] writes it down as two scripts, an array of shards and a merge that
//! runs when they have ended, and hands them to the batch system of the cluster. [`Slurm`] is one.
//!
//! Shards write to one folder that all machines see. Finished runs are in their journals, so a sweep that is submitted
//! again only runs what is missing.
//!
//! ```
//! use dfrsim_dispatch::{Engine, Slurm, Sweep};
//!
//! let sweep = Sweep {
//!     program: "/usr/bin/dfrsim".into(),
//!     scenario: "/home/me/my scenario.toml".into(),
//!     overrides: vec![],
//!     out: "/scratch/results".into(),
//!     shards: 8,
//!     missing: vec![1, 2, 3, 7],
//!     cpus: 4,
//!     partition: None,
//!     time: Some("2:00:00".to_owned()),
//!     audit: false,
//!     allow_commands: false,
//! };
//! let script = Slurm.array_script(&sweep);
//! assert!(script.contains("#SBATCH --array=1-3,7\n"));
//! assert!(script.contains("--shard \"$SLURM_ARRAY_TASK_ID/8\""));
//! assert!(script.contains("'/home/me/my scenario.toml'"));
//! ```

mod engine;
mod quoted;
mod slurm;
mod sweep;

pub use engine::{Engine, JobId, SubmitError, Submitted, submit};
pub use slurm::Slurm;
pub use sweep::{Sweep, UnfitText};
