//! How much jobs count in fractional shares.

use dfrsim_model::priority::{JobClass, Priorities};
use dfrsim_model::{Origin, UserId, greatest_divisor};

/// The weights of jobs in the shares of fractional policies: that of the quality of service of a job times that of its partition, each 1
/// if there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareWeights {
    qos: WeightedClasses,
    partitions: WeightedClasses,
}

/// The classes of a list with their weights; that of jobs which none of them has is 1.
#[derive(Clone, Debug, PartialEq)]
struct WeightedClasses(Vec<(JobClass, u32)>);

impl ShareWeights {
    /// Those of settings; `None` if all jobs count the same.
    ///
    /// Only ratios matter: the weights of a list are divided by the largest number that divides all of them. So the same weights
    /// in other units are the same to the last bit.
    pub fn new(settings: &Priorities) -> Option<ShareWeights> {
        let (qos, partitions) =
            (WeightedClasses::new(&settings.qos), WeightedClasses::new(&settings.partitions));
        (!(qos.are_equal() && partitions.are_equal())).then_some(ShareWeights { qos, partitions })
    }

    /// The weight of a job of this user and origin; at least 1.
    pub fn of(&self, user: Option<UserId>, origin: Origin) -> u32 {
        let user = user.map(UserId::number);
        self.qos.of(user, origin) * self.partitions.of(user, origin)
    }
}

impl WeightedClasses {
    fn new(classes: &[JobClass]) -> WeightedClasses {
        let mut classes: Vec<_> = classes.iter().map(|it| (it.clone(), it.weight.unwrap_or(1))).collect();
        // A class without lists has all jobs that come to it.
        let is_for_all = |(class, _): &(JobClass, u32)| class.has(None, Origin::UNKNOWN);
        let of_others = (!classes.iter().any(is_for_all)).then_some(1);
        let weights = classes.iter().map(|&(_, weight)| weight).chain(of_others);
        let divisor = weights.fold(0, |divisor, weight| greatest_divisor(divisor, weight.into()));
        classes.iter_mut().for_each(|(_, weight)| *weight /= divisor as u32);
        WeightedClasses(classes)
    }

    fn are_equal(&self) -> bool {
        self.0.iter().all(|&(_, weight)| weight == 1)
    }

    fn of(&self, user: Option<u32>, origin: Origin) -> u32 {
        let first = self.0.iter().find(|(class, _)| class.has(user, origin));
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
        ShareWeights::new(&Priorities { qos, partitions, ..Priorities::default() })
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
        // Jobs that no class has count 1.
        assert!(weights(&[class(Some(7), &[1], &[])], &[]).is_some());
        assert_eq!(weights(&[class(None, &[1], &[])], &[class(Some(1), &[], &[4])]), None);
    }
}
