//! Keys of nodes, by which the scored placements choose nodes where tasks share them.
//!
//! A key is a whole number, the same on every machine. It is computed from the free amounts of a
//! node now, for one task of a request, and kept until they change. The node with the smallest key
//! comes first; of equal ones the node that has the least left ([`Place::Fit`]), then the lowest
//! number.
//!
//! Source of FGD, and of the terms of the others: Weng, Yang, Yu, Wang, Tang, Yang and Zhang 2023,
//! "Beware of fragmentation: scheduling GPU-sharing workloads with fragmentation gradient descent"
//! (USENIX ATC), section 4. The paper's floor to whole points is kept, since it decides how often
//! nodes are equal; its list of typical tasks is replaced by the [tasks seen so far](TaskMix).

use super::requests::TaskRequest;
use dfrsim_model::batch::Place;
use dfrsim_model::platform::devices::{MOST_DEVICES, WHOLE_DEVICE};
use dfrsim_model::platform::task_mix::TaskMix;

/// Points of a device in the scores of FGD.
const POINTS: i128 = 25;

/// Largest amounts of a node of the cluster: parts of cores, and devices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LargestNode {
    pub(super) cores: u64,
    pub(super) devices: usize,
}

/// Amounts of a node with and without one more task.
struct Outcome<'a> {
    request: &'a TaskRequest,
    largest: LargestNode,
    /// Free cores before and after.
    cores: [u64; 2],
    /// Free parts of devices before and after, and the capacity.
    before: &'a [u64],
    after: [u64; MOST_DEVICES],
    whole: &'a [u64],
}

impl Outcome<'_> {
    fn after(&self) -> &[u64] {
        &self.after[..self.before.len()]
    }

    /// Returns the sum of two fractions of the largest node, of its cores and of its devices, as
    /// hundredths of two, rounded up.
    fn hundredths(&self, cores: u128, devices: u128, power: u32) -> i64 {
        let most_cores = u128::from(self.largest.cores.max(1)).pow(power);
        let most_devices = (u128::from(WHOLE_DEVICE) * self.largest.devices.max(1) as u128).pow(power);
        (50 * (cores * most_devices + devices * most_cores)).div_ceil(most_cores * most_devices) as i64
    }

    /// Returns how much of the node is left after the task.
    fn left(&self) -> i64 {
        let devices = self.after().iter().map(|&free| u128::from(free)).sum();
        self.hundredths(self.cores[1].into(), devices, 1)
    }

    /// Returns the similarity of what is free and what the task requests (dot product).
    fn similarity(&self) -> i64 {
        let request = self.request.devices.map_or(0, |it| u128::from(it.count) * u128::from(it.part));
        let free: u128 = self.before.iter().map(|&free| u128::from(free)).sum();
        let cores = u128::from(self.cores[0]) * u128::from(self.request.amounts[0]);
        self.hundredths(cores, free * request, 2)
    }

    /// Ranks devices in use before free ones, and those before nodes that are idle, of which nodes
    /// with few devices come first.
    fn packing(&self) -> i64 {
        if self.request.devices.is_none() {
            return 0;
        }
        if self.before == self.whole {
            return 200 + self.whole.iter().filter(|&&whole| whole > 0).count() as i64;
        }
        let changed = || self.before.iter().zip(self.after()).filter(|(before, after)| after < before);
        match changed().filter(|(before, _)| **before == WHOLE_DEVICE).count() as i64 {
            0 => changed().map(|(before, _)| (before * 10 / WHOLE_DEVICE) as i64).sum(),
            opened => 100 + opened,
        }
    }

    /// Returns the increase of the free parts that the tasks of a mix cannot use, in 25ths of a
    /// device, rounded down.
    fn fragmentation(&self, mix: &TaskMix) -> i64 {
        if mix.total() == 0 {
            return 0;
        }
        let [before, after] =
            [mix.useless(self.cores[0], self.before), mix.useless(self.cores[1], self.after())];
        let unit = i128::from(mix.total()) * i128::from(WHOLE_DEVICE);
        (POINTS * (after as i128 - before as i128)).div_euclid(unit) as i64
    }
}

/// Computes the key of a node of a class with these free amounts, groups of devices and capacity for one
/// task. That of [`Place::Mix`] is the key of FGD, from which [`mix`] computes the sums.
pub(super) fn key(
    place: Place,
    (mix, largest): (&TaskMix, LargestNode),
    (request, class): (&TaskRequest, usize),
    (free, groups): (&[u64], &[u32]),
    capacity: &[u64],
) -> i64 {
    let plain = request.amounts.len();
    let (before, whole) = (&free[plain..], &capacity[plain..]);
    let (mut after, on) = ([0; MOST_DEVICES], request.devices_in(free, 1, groups));
    let part = request.devices.map_or(0, |devices| devices.part);
    for (device, (after, before)) in after.iter_mut().zip(before).enumerate() {
        *after = before - u64::from(on.on(device)) * part;
    }
    let cores = [free[0], free[0].saturating_sub(request.amounts[0])];
    let outcome = Outcome { request, largest, cores, before, after, whole };
    let left = outcome.left();
    let key = match place {
        Place::First | Place::Contiguous | Place::Best => 0,
        Place::Power => request.added_power(class, (free, groups), capacity) as i64,
        Place::Fit => left,
        Place::Spread => -left,
        Place::Dot => outcome.similarity(),
        Place::Pack => outcome.packing(),
        Place::Fgd | Place::Mix(_) => outcome.fragmentation(mix),
    };
    // What is left is between 0 and 100.
    (key << 8) + left
}

/// Replaces the keys of FGD of the nodes with room by weighted sums with the power that a task adds on
/// each of them, given with the keys in milliwatts. Both are normalised to 0 to 100 over the nodes, as
/// Kubernetes does with scores, and rounded down; `weight` is that of the power in hundredths.
pub(super) fn mix(weight: u8, keys: &mut [(i64, u64)]) {
    let least_and_most = |values: &mut dyn Iterator<Item = i128>| {
        values.fold((i128::MAX, i128::MIN), |(least, most), value| (least.min(value), most.max(value)))
    };
    let of_fgd = least_and_most(&mut keys.iter().map(|(key, _)| i128::from(key >> 8)));
    let of_power = least_and_most(&mut keys.iter().map(|(_, power)| i128::from(*power)));
    let normalised = |value: i128, (least, most): (i128, i128)| 100 * (value - least) / (most - least).max(1);
    let weight = i128::from(weight);
    for (key, power) in keys {
        let sum = weight * normalised(i128::from(*power), of_power)
            + (100 - weight) * normalised(i128::from(*key >> 8), of_fgd);
        *key = ((sum as i64) << 8) + (*key & 255);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::platform::devices::DeviceRequest;
    use dfrsim_model::platform::power::UsedPower;

    fn request(tenths: u64) -> TaskRequest {
        let devices = Some(DeviceRequest { count: 1, part: WHOLE_DEVICE / 10 * tenths });
        TaskRequest {
            amounts: vec![1, 0],
            devices,
            most_per_node: u64::MAX,
            fits: vec![true],
            power: vec![1000 * tenths],
            ..TaskRequest::default()
        }
    }

    /// Half of the tasks need half a GPU, and half of them a whole one. A task with a half comes.
    ///
    /// | node | free | useless before | useless after | change * 25, floor |
    /// |---|---|---|---|---|
    /// | half used | 0.5 | 0 and 0.5: 0.25 | 0 | -6.25: -7 |
    /// | idle | 1 | 0 | 0 and 0.5: 0.25 | 6.25: 6 |
    ///
    /// Three of four cores are left, and no device or half of one: 38 and 63 hundredths of two,
    /// rounded up.
    #[test]
    fn fragments_are_counted_in_twenty_fifths() {
        let requests = [request(5), request(10)];
        let mut mix = TaskMix::default();
        assert!(mix.see(0, 1), "the first task");
        assert!(mix.see(1, 1));
        mix.renew(|number| requests[number].shape());
        assert!(!mix.see(0, 2) && mix.see(0, 1), "renewed when there are more than twice as many");
        let largest = LargestNode { cores: 4, devices: 1 };
        let of = |place: Place, tenths: u64| {
            let free = [4, 100, WHOLE_DEVICE / 10 * tenths];
            key(place, (&mix, largest), (&requests[0], 0), (&free, &[]), &[4, 100, WHOLE_DEVICE])
        };
        assert_eq!([5, 10].map(|tenths| of(Place::Fgd, tenths)), [(-7 << 8) + 38, (6 << 8) + 63]);
        assert_eq!([5, 10].map(|tenths| of(Place::Fit, tenths)), [(38 << 8) + 38, (63 << 8) + 63]);
        assert_eq!([5, 10].map(|tenths| of(Place::Spread, tenths)), [(-38 << 8) + 38, (-63 << 8) + 63]);
        assert_eq!([5, 10].map(|tenths| of(Place::Power, tenths)), [(5000 << 8) + 38, (5000 << 8) + 63]);
        // A device in use has five tenths free; one idle node has one device.
        assert_eq!([5, 10].map(|tenths| of(Place::Pack, tenths)), [(5 << 8) + 38, (201 << 8) + 63]);
        // 1 * 1/4 + 1/2 * 1/2 and 1 * 1/4 + 1 * 1/2, in fiftieths.
        assert_eq!([5, 10].map(|tenths| of(Place::Dot, tenths)), [(25 << 8) + 38, (38 << 8) + 63]);
    }

    /// A used device adds 200 W, and a used socket of two cores 30 W. A task has 5 W, half a device and a
    /// core.
    ///
    /// | node of four cores | free | adds |
    /// |---|---|---|
    /// | idle | 4 cores, 1 | 5 + 200 + 30 |
    /// | one core and half a device in use | 3 cores, 0.5 | 5 |
    /// | two cores in use | 2 cores, 1 | 5 + 200 + 30 |
    #[test]
    fn power_is_that_of_units_that_are_not_used_yet() {
        let power = UsedPower { device: 200_000, socket: 30_000, socket_parts: 2, sockets: 2 };
        let request = TaskRequest { used_power: vec![power], ..request(5) };
        let of = |cores: u64, tenths: u64| {
            let free = [cores, 100, WHOLE_DEVICE / 10 * tenths];
            let node = (&free[..], &[][..]);
            let largest = (&TaskMix::default(), LargestNode { cores: 4, devices: 1 });
            key(Place::Power, largest, (&request, 0), node, &[4, 100, WHOLE_DEVICE]) >> 8
        };
        assert_eq!([of(4, 10), of(3, 5), of(2, 10)], [235_000, 5000, 235_000]);
    }

    /// | node | FGD | normalised | power | normalised | 0.3 and 0.7 of them |
    /// |---|---|---|---|---|---|
    /// | 0 | -7 | 0 | 400 | 100 | 30 |
    /// | 1 | 6 | 100 | 100 | 0 | 70 |
    /// | 2 | -3 | 30 | 210 | 36 | 31.8 |
    #[test]
    fn weighted_sums_are_of_normalised_keys() {
        let mut keys = [((-7 << 8) + 38, 400), ((6 << 8) + 63, 100), ((-3 << 8) + 1, 210)];
        mix(30, &mut keys);
        assert_eq!(keys.map(|(key, _)| (key >> 8, key & 255)), [(3000, 38), (7000, 63), (3180, 1)]);
        let mut equal = [((5 << 8) + 2, 7), ((5 << 8) + 3, 7)];
        mix(30, &mut equal);
        assert_eq!(equal.map(|(key, _)| key), [2, 3]);
    }
}
