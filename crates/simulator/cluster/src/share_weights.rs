//! Weights of jobs in fractional shares.

use dfrsim_model::site::{JobClass, SiteSettings};
use dfrsim_model::{Origin, UserId, greatest_common_divisor};

/// Weights of jobs in the shares of fractional policies: the weight of the job's QOS times that of
/// its partition. Each is 1 if the job has none.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareWeights {
    qos: WeightedClasses,
    partitions: WeightedClasses,
}

/// Classes with their weights; a job that is in none of them has weight 1.
#[derive(Clone, Debug, PartialEq)]
struct WeightedClasses(Vec<(JobClass, u32)>);

impl ShareWeights {
    /// Creates the weights from priority settings; `None` if all jobs weigh the same.
    ///
    /// Only ratios matter: the weights of a list are divided by their greatest common divisor. Equal
    /// ratios in other units thus give bit-identical results.
    pub fn new(settings: &SiteSettings) -> Option<ShareWeights> {
        let (qos, partitions) =
            (WeightedClasses::new(&settings.qos), WeightedClasses::new(&settings.partitions));
        (!(qos.all_equal() && partitions.all_equal())).then_some(ShareWeights { qos, partitions })
    }

    /// Returns the weight of a job of this user and origin; at least 1.
    pub fn of(&self, user: Option<UserId>, origin: Origin) -> u32 {
        let user = user.map(UserId::number);
        self.qos.of(user, origin) * self.partitions.of(user, origin)
    }
}

impl WeightedClasses {
    fn new(classes: &[JobClass]) -> WeightedClasses {
        let mut classes: Vec<_> = classes.iter().map(|it| (it.clone(), it.weight.unwrap_or(1))).collect();
        // A class without lists of members contains every job that reaches it, so the default weight
        // 1 is unused.
        let is_for_all = |(class, _): &(JobClass, u32)| class.matches(None, Origin::UNKNOWN);
        let of_others = (!classes.iter().any(is_for_all)).then_some(1);
        let weights = classes.iter().map(|&(_, weight)| weight).chain(of_others);
        let divisor = weights.fold(0, |divisor, weight| greatest_common_divisor(divisor, weight.into()));
        classes.iter_mut().for_each(|(_, weight)| *weight /= divisor as u32);
        WeightedClasses(classes)
    }

    fn all_equal(&self) -> bool {
        self.0.iter().all(|&(_, weight)| weight == 1)
    }

    fn of(&self, user: Option<u32>, origin: Origin) -> u32 {
        let first = self.0.iter().find(|(class, _)| class.matches(user, origin));
        first.map_or(1, |&(_, weight)| weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(weight: Option<u32>, queues: &[u32], users: &[u32]) -> JobClass {
        let name = format!("{weight:?} {queues:?} {users:?}");
        JobClass { name, weight, queues: queues.to_vec(), users: users.to_vec(), ..JobClass::default() }
    }

    fn weights(qos: &[JobClass], partitions: &[JobClass]) -> Option<ShareWeights> {
        let (qos, partitions) = (qos.to_vec(), partitions.to_vec());
        ShareWeights::new(&SiteSettings { qos, partitions, ..SiteSettings::default() })
    }

    #[test]
    fn the_weight_is_that_of_the_first_class_of_each_list() {
        let found = weights(
            &[class(Some(6), &[1, 2], &[]), class(Some(4), &[2, 3], &[]), class(Some(2), &[], &[])],
            &[class(Some(5), &[], &[9])],
        );
        let found = found.unwrap();
        let of =
            |queue, user: Option<u32>| found.of(user.and_then(UserId::new), Origin::new(None, queue, None));
        assert_eq!([of(Some(1), None), of(Some(2), None), of(Some(3), None), of(None, None)], [3, 3, 2, 1]);
        assert_eq!([of(Some(2), Some(9)), of(None, Some(9)), of(None, Some(8))], [15, 5, 1]);
    }

    #[test]
    fn weights_count_by_their_ratios() {
        let of = |factor| weights(&[class(Some(3 * factor), &[1], &[]), class(Some(factor), &[], &[])], &[]);
        assert!(of(1).is_some());
        assert_eq!(of(1).map(|it| it.qos.0[0].1), of(20).map(|it| it.qos.0[0].1));
        assert_eq!(weights(&[], &[]), None);
        assert_eq!(weights(&[class(Some(7), &[1], &[]), class(Some(7), &[], &[])], &[]), None);
        // Jobs in no class have weight 1.
        assert!(weights(&[class(Some(7), &[1], &[])], &[]).is_some());
        assert_eq!(weights(&[class(None, &[1], &[])], &[class(Some(1), &[], &[4])]), None);
    }
}
