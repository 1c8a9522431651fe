//! Workloads: logs of parallel machines, the Lublin-Feitelson model, and their preparation as jobs.
//!
//! * [`log`]: records of logs, their sources, and the errors in log files.
//! * [`formats`]: the Standard Workload Format ([`formats::swf`]), the Grid Workloads Format
//!   ([`formats::gwf`]), the accounting data of Slurm ([`formats::slurm`]) and PBS
//!   ([`formats::pbs`]), and Batsim workloads ([`formats::batsim`]). Logs, plain or gzip, are
//!   streamed in constant memory, or read completely and sorted.
//! * [`recognise`]: recognition of files by their content.
//! * [`prepare`]: conversion of records to [`Job`](dfrsim_model::Job)s: selection, rules for
//!   anomalous lines, CPU needs and memory requirements. [`prepare::with_jobs`] streams the jobs of
//!   a file to a simulation.
//! * [`lublin`]: synthetic workloads.
//! * [`feedback`]: users who wait for their jobs. [`resample`]: logs resampled from the users of a
//!   log.
//! * [`cut`]: weeks, first jobs, time windows. [`load`]: the offered load, and scaling to a target
//!   load.
//! * [`anonymise`]: logs in which users cannot be recognised. [`by_name`]: accounts and classes of
//!   jobs that refer to the names of a log.
//! * [`traces`]: the search path for logs.
//!
//! ```
//! use dfrsim_model::Seed;
//! use dfrsim_workload::load::{offered_load, scale_to_load};
//! use dfrsim_workload::lublin::{LublinParameters, generate};
//!
//! let mut jobs = generate(&LublinParameters::default(), Seed::new(1));
//! scale_to_load(&mut jobs, 128, 0.7)?;
//! assert!((offered_load(&jobs, 128)? - 0.7).abs() < 1e-6);
//! # Ok::<(), dfrsim_workload::load::LoadError>(())
//! ```
//!
//! Sources: the definition of SWF 2.2 at the Parallel Workloads Archive; Lublin and Feitelson, JPDC
//! 63(11), 2003; the dissertation that introduced DFRS (Stillwell, 2010), section 5.3, for the
//! workload sets of the on-line study.

pub mod anonymise;
pub mod by_name;
pub mod cut;
pub mod feedback;
pub mod formats;
pub mod load;
pub mod log;
pub mod lublin;
pub mod named_settings;
pub mod prepare;
pub mod recognise;
pub mod resample;
pub mod traces;
