//! The rules of priorities and limits.

/// A rule of priorities or limits as it was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PriorityRule {
    /// The settings are known before the first job.
    #[error("a `priority` record behind the first job, or a second one")]
    Late,
    /// The settings are of use.
    #[error("settings of priorities: {0}")]
    Settings(String),
    /// A user runs a limited number of jobs.
    #[error("it starts, though its user runs {running} jobs already{of}, and may run {most}")]
    JobsOfUser {
        /// Those that run.
        running: u32,
        /// The class that has the limit, with a word before it; empty if it is of all jobs.
        of: String,
        /// The limit.
        most: u32,
    },
    /// The jobs of a class have a limited number of nodes.
    #[error("it starts on {width} nodes beside {used} of `{class}`, which may have {total}")]
    NodesOfClass {
        /// Its nodes.
        width: u32,
        /// Those of the others.
        used: u32,
        /// The class.
        class: String,
        /// The limit.
        total: u32,
    },
    /// A job of a class is not wider or longer than that allows.
    #[error("it starts, though it is too wide or too long for `{class}`")]
    NotForClass {
        /// The class.
        class: String,
    },
}
