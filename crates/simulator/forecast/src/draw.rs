//! Draws of run times in which similar jobs move together.
//!
//! The jobs of one user fail, converge or grow together. A Gaussian copula expresses this: the
//! position of a job in its distribution comes from a normal variable, which is the weighted sum of
//! one for the user, one for identical jobs, and one of its own.

use crate::moment::Moment;
use dfrsim_model::{Job, Rng, SimSpan};
use rand::RngExt as _;
use rand_distr::StandardNormal;
use rustc_hash::FxHashMap;

/// Parts of the variance that jobs share. What is left is each job's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// Part shared by all jobs of a user.
    pub user: f64,
    /// Part shared by jobs of the same user, size and requested time.
    pub identical: f64,
}

impl Correlation {
    /// Jobs that share nothing.
    pub const NONE: Correlation = Correlation { user: 0.0, identical: 0.0 };
}

impl Default for Correlation {
    /// Returns the parts of the backtests: a third for the user, a third for identical jobs.
    fn default() -> Correlation {
        Correlation { user: 0.35, identical: 0.3 }
    }
}

/// Jobs of a moment with the variables that each of them shares.
#[derive(Clone, Debug)]
pub struct Together {
    correlation: Correlation,
    /// Index of the user and of the identical jobs, of each job in the order of [`Moment::jobs`].
    shared: Vec<(usize, usize)>,
    users: usize,
    kinds: usize,
}

impl Together {
    /// Finds the jobs of a moment that share variables.
    pub fn new(moment: &Moment, correlation: Correlation) -> Together {
        let (mut users, mut kinds) = (Numbers::default(), Numbers::default());
        let shared = moment.jobs().map(|(job, _)| {
            // A job of an unknown user shares nothing.
            let user = job.user.map_or(Key::Job(job.id.0), |user| Key::User(user.number()));
            (users.number((user, 0, None)), kinds.number((user, job.tasks, job.requested_time)))
        });
        let shared = shared.collect();
        Together { correlation, shared, users: users.0.len(), kinds: kinds.0.len() }
    }

    /// Draws the position of each job in its distribution, from 0 to 1.
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

/// Returns the probability that a standard normal variable is at most this large.
fn normal_probability(value: f64) -> f64 {
    0.5 * libm::erfc(-value / std::f64::consts::SQRT_2)
}

/// Returns a job with another run time.
pub(crate) fn with_run_time(job: &Job, run_time: SimSpan) -> Job {
    Job { run_time, ..job.clone() }
}
