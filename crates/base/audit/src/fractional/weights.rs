//! Weights of jobs in fractional shares.

use crate::job::Job;
use crate::priority::matches;
use dfrsim_model::site::{JobClass, LARGEST_WEIGHT, SiteSettings};

/// Weights of jobs in lowest terms; all are 1 by default.
#[derive(Debug, Default)]
pub(super) struct Weights {
    /// Classes with their weights: qualities of service, then partitions.
    lists: [Vec<(JobClass, u32)>; 2],
}

impl Weights {
    pub(super) fn new(settings: &SiteSettings) -> Weights {
        Weights { lists: [&settings.qos, &settings.partitions].map(|classes| in_lowest_terms(classes)) }
    }

    /// Returns the product of the weights of the first matching class in each list.
    pub(super) fn of(&self, job: &Job) -> u32 {
        let in_list = |classes: &Vec<(JobClass, u32)>| {
            classes.iter().find(|(class, _)| matches(class, job)).map_or(1, |&(_, weight)| weight)
        };
        self.lists.iter().map(in_list).product()
    }
}

/// Divides the weights of classes by their greatest common divisor. If jobs without a class are
/// possible, their weight of 1 counts too.
fn in_lowest_terms(classes: &[JobClass]) -> Vec<(JobClass, u32)> {
    let has_all =
        |it: &JobClass| [&it.users, &it.groups, &it.queues, &it.partitions].into_iter().all(Vec::is_empty);
    let of = |class: &JobClass| class.weight.unwrap_or(1);
    let divides_all = |divisor: &u32| classes.iter().all(|class| of(class) % divisor == 0);
    let mut divisors = (1..=LARGEST_WEIGHT).rev();
    let largest = divisors.find(divides_all).filter(|_| classes.iter().any(has_all)).unwrap_or(1);
    classes.iter().map(|class| (class.clone(), of(class) / largest)).collect()
}
