//! Draws of run times in which similar jobs are correlated.
//!
//! The jobs of one user fail, converge or grow together. A Gaussian copula expresses this: the
//! quantile at which the run time of a job is drawn comes from a normal variable, which is the
//! weighted sum of one variable of the user, one of the identical jobs, and one of the job alone.

use crate::snapshot::Snapshot;
use dfrsim_model::{Job, Rng, SimSpan};
use rand::RngExt as _;
use rand_distr::StandardNormal;
use rustc_hash::FxHashMap;

/// Shares of the variance that jobs have in common. The rest is independent for each job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// Share that all jobs of a user have in common.
    pub user: f64,
    /// Share that jobs of the same user, size and requested time have in common.
    pub identical: f64,
}

impl Correlation {
    /// Independent jobs.
    pub const NONE: Correlation = Correlation { user: 0.0, identical: 0.0 };
}

impl Default for Correlation {
    /// Returns the shares that the backtests support: about a third for the user and a third
    /// for identical jobs.
    fn default() -> Correlation {
        Correlation { user: 0.35, identical: 0.3 }
    }
}

/// Jobs of a snapshot, with the normal variables that each shares with others.
#[derive(Clone, Debug)]
pub struct JointDraws {
    correlation: Correlation,
    /// Indices of the user's variable and of the identical jobs' variable, for each job in the
    /// order of [`Snapshot::jobs`].
    shared: Vec<(usize, usize)>,
    users: usize,
    kinds: usize,
}

impl JointDraws {
    /// Finds the jobs of a snapshot that share variables.
    pub fn new(snapshot: &Snapshot, correlation: Correlation) -> JointDraws {
        let (mut users, mut kinds) = (Numbers::default(), Numbers::default());
        let shared = snapshot.jobs().map(|(job, _)| {
            // A job of an unknown user shares nothing.
            let user = job.user.map_or(Key::Job(job.id.0), |user| Key::User(user.number()));
            (users.number((user, 0, None)), kinds.number((user, job.tasks, job.requested_time)))
        });
        let shared = shared.collect();
        JointDraws { correlation, shared, users: users.0.len(), kinds: kinds.0.len() }
    }

    /// Draws for each job the probability, from 0 to 1, at which its distribution is evaluated.
    pub fn positions(&self, rng: &mut Rng) -> Vec<f64> {
        let mut normals = |count: usize| (0..count).map(|_| rng.sample(StandardNormal)).collect();
        let (users, kinds): (Vec<f64>, Vec<f64>) = (normals(self.users), normals(self.kinds));
        let own: Vec<f64> = normals(self.shared.len());
        let Correlation { user, identical } = self.correlation;
        let rest = (1.0 - user - identical).max(0.0);
        let position = |(&(of_user, of_kind), own): (&(usize, usize), f64)| {
            let sum = user.sqrt() * users[of_user] + identical.sqrt() * kinds[of_kind] + rest.sqrt() * own;
            normal_probability(sum)
        };
        self.shared.iter().zip(own).map(position).collect()
    }
}

/// User of a job, or the job itself if its user is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    User(u32),
    Job(u64),
}

/// Numbers of keys in the order of their appearance.
#[derive(Debug, Default)]
struct Numbers(FxHashMap<(Key, u32, Option<SimSpan>), usize>);

impl Numbers {
    fn number(&mut self, key: (Key, u32, Option<SimSpan>)) -> usize {
        let next = self.0.len();
        *self.0.entry(key).or_insert(next)
    }
}

/// Returns the distribution function of the standard normal distribution.
fn normal_probability(value: f64) -> f64 {
    0.5 * libm::erfc(-value / std::f64::consts::SQRT_2)
}

/// Returns the job with a different run time.
pub(crate) fn with_run_time(job: &Job, run_time: SimSpan) -> Job {
    Job { run_time, ..job.clone() }
}
