//! Devices of nodes, such as GPUs, of which tasks hold whole ones or parts.
//!
//! Free parts of two devices do not add up: a task that needs 0.6 of a GPU does not fit on a node
//! whose two GPUs have 0.4 left each. The choice of devices is a rule of the platform, not of the
//! policy: the tasks of a job fill the fullest devices that have room, the lowest numbers first
//! among equally full ones. This keeps whole devices free. Devices may be in groups, such as those that
//! NVLink connects: then the tasks of a job get the smallest group that holds all of their parts, or
//! else as few groups as possible.

use crate::Share;
use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

/// Maximum number of devices of a node.
pub const MOST_DEVICES: usize = 16;

/// A whole device, in [`Share`] units.
pub const WHOLE_DEVICE: u64 = Share::ONE.units() as u64;

/// Maximum number of tasks of a job on a device.
const MAX_TASKS: u64 = 250;

/// Smallest part of a device that a task can hold, in [`Share`] units: readers refuse smaller ones.
pub const SMALLEST_PART: u64 = WHOLE_DEVICE / MAX_TASKS;

/// Number of a job's tasks on each device of a node, a byte for each device.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct OnDevices([u8; MOST_DEVICES]);

impl OnDevices {
    /// Returns the number of tasks on a device.
    #[must_use]
    #[inline]
    pub fn on(self, device: usize) -> u8 {
        self.0[device]
    }
    /// Returns whether no device has tasks.
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == [0; MOST_DEVICES]
    }
    /// Puts tasks on a device that has none of the job's yet.
    fn set(&mut self, device: usize, tasks: u8) {
        self.0[device] = tasks;
    }
    /// Creates the numbers of tasks from pairs of a device and its tasks.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (usize, u8)>) -> OnDevices {
        let mut all = OnDevices::default();
        pairs.into_iter().for_each(|(device, tasks)| all.set(device, tasks));
        all
    }
    /// Iterates over the devices that have tasks, with the number of their tasks.
    pub fn iter(self) -> impl Iterator<Item = (usize, u8)> {
        (0..).zip(self.0).filter(|(_, tasks)| *tasks > 0)
    }
}

impl fmt::Debug for OnDevices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Request of a task for devices: parts of equal size of different devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceRequest {
    /// Number of devices; at least one.
    pub count: u32,
    /// Part of each, in [`Share`] units; above zero, and at most [`WHOLE_DEVICE`].
    pub part: u64,
}

impl DeviceRequest {
    /// Counts the parts for which a device with this free part has room.
    fn parts_in(self, free: u64) -> u64 {
        (free / self.part.max(1)).min(MAX_TASKS)
    }
    /// Counts the tasks that fit, given the free part of each device: the largest number `t` for
    /// which the devices together have room for `t` times `count` parts, at most `t` on each.
    #[must_use]
    #[inline]
    pub fn tasks_in(self, free: &[u64]) -> u64 {
        let count = u64::from(self.count);
        if self.part == WHOLE_DEVICE {
            return free.iter().filter(|&&free| free == WHOLE_DEVICE).count() as u64 / count;
        }
        let mut tasks = free.iter().map(|&free| self.parts_in(free)).sum::<u64>() / count;
        while count > 1 && tasks > 0 {
            let fewer = free.iter().map(|&free| self.parts_in(free).min(tasks)).sum::<u64>() / count;
            if fewer == tasks {
                break;
            }
            tasks = fewer;
        }
        tasks
    }

    /// Chooses the devices of some tasks, given the free part of each device; `None` if they do not
    /// fit.
    #[must_use]
    pub fn choose(self, free: &[u64], tasks: u32) -> Option<OnDevices> {
        let (mut chosen, parts) = (OnDevices::default(), u64::from(self.count) * u64::from(tasks));
        (self.fill(free, 0..free.len(), tasks, parts, &mut chosen) == 0).then_some(chosen)
    }

    /// Gives parts of some devices to tasks, the fullest devices first. Returns the number of parts for
    /// which they have no room.
    #[inline]
    fn fill(
        self,
        free: &[u64],
        devices: Range<usize>,
        tasks: u32,
        mut missing: u64,
        chosen: &mut OnDevices,
    ) -> u64 {
        let mut order = [0_usize; MOST_DEVICES];
        let order = &mut order[..devices.len()];
        devices.zip(order.iter_mut()).for_each(|(device, place)| *place = device);
        // The sort is stable, so that the lowest of equally full devices is first.
        order.sort_by_key(|&device| free[device]);
        for &device in &*order {
            let parts = self.parts_in(free[device]).min(tasks.into()).min(missing);
            chosen.set(device, parts as u8);
            missing -= parts;
        }
        missing
    }

    /// Chooses the devices of some tasks on a node whose devices are in groups of these sizes, in the
    /// order of their numbers; `None` if they do not fit.
    ///
    /// The tasks get the group with the least room that holds all of their parts. If none does, the
    /// group with the most room is filled first, and so on until one holds the rest: these are as few
    /// groups as possible. Of groups with equal room the first one is chosen, and within a group the
    /// fullest devices. Groups do not matter to a single part.
    ///
    /// ```
    /// use dfrsim_model::platform::devices::{DeviceRequest, WHOLE_DEVICE};
    /// // The first of two groups of four has three free devices.
    /// let mut free = [WHOLE_DEVICE; 8];
    /// free[1] = 0;
    /// let chosen = |count| {
    ///     let request = DeviceRequest { count, part: WHOLE_DEVICE };
    ///     request.choose_near(&free, 1, &[4, 4]).unwrap().iter().map(|(device, _)| device).collect::<Vec<_>>()
    /// };
    /// assert_eq!(chosen(3), [0, 2, 3]);
    /// assert_eq!(chosen(4), [4, 5, 6, 7]);
    /// assert_eq!(chosen(5), [0, 4, 5, 6, 7]);
    /// ```
    #[must_use]
    pub fn choose_near(self, free: &[u64], tasks: u32, groups: &[u32]) -> Option<OnDevices> {
        let (mut chosen, mut missing) = (OnDevices::default(), u64::from(self.count) * u64::from(tasks));
        if groups.len() < 2 || missing < 2 {
            return self.choose(free, tasks);
        }
        let mut first = 0;
        let of_group = |size: &u32| {
            let devices = first..free.len().min(first + *size as usize);
            first = devices.end;
            let room = free[devices.clone()].iter().map(|&free| self.parts_in(free).min(tasks.into()));
            (devices.clone(), room.sum())
        };
        let mut left: Vec<(Range<usize>, u64)> = groups.iter().map(of_group).collect();
        while missing > 0 {
            let holding = (0..left.len()).filter(|&at| left[at].1 >= missing).min_by_key(|&at| left[at].1);
            let fullest = || (0..left.len()).min_by_key(|&at| Reverse(left[at].1));
            let (devices, room) = left.remove(holding.or_else(fullest)?);
            let parts = room.min(missing);
            self.fill(free, devices, tasks, parts, &mut chosen);
            missing -= parts;
        }
        Some(chosen)
    }

    /// Returns whether a task with this request fits wherever a task with the other one does.
    #[must_use]
    pub fn is_within(self, other: DeviceRequest) -> bool {
        self.count <= other.count && self.part <= other.part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Parts in tenths of a device.
    fn tenths(free: &[u64]) -> Vec<u64> {
        free.iter().map(|tenths| WHOLE_DEVICE / 10 * tenths).collect()
    }

    fn chosen(count: u32, part: u64, tasks: u32, free: &[u64]) -> Option<Vec<(usize, u8)>> {
        let request = DeviceRequest { count, part: WHOLE_DEVICE / 10 * part };
        request.choose(&tenths(free), tasks).map(|on| on.iter().collect())
    }

    /// Two devices with one half free each have no room for 0.6, and room for a task with 0.5 of
    /// both.
    #[test]
    fn free_parts_do_not_add_up() {
        assert_eq!(chosen(1, 6, 1, &[5, 5]), None);
        assert_eq!(chosen(2, 5, 1, &[5, 5]), Some(vec![(0, 1), (1, 1)]));
        assert_eq!(chosen(2, 5, 1, &[10, 0]), None, "the two parts of a task are on different devices");
    }

    #[test]
    fn the_fullest_devices_with_room_are_filled_first() {
        assert_eq!(chosen(1, 3, 1, &[10, 4, 2, 4]), Some(vec![(1, 1)]));
        assert_eq!(chosen(1, 2, 5, &[10, 4, 2, 4]), Some(vec![(1, 2), (2, 1), (3, 2)]));
        assert_eq!(chosen(2, 10, 2, &[10, 10, 9, 10, 10]), Some(vec![(0, 1), (1, 1), (3, 1), (4, 1)]));
        // Two tasks with two parts each: one part of each task is on the device with two.
        assert_eq!(chosen(2, 1, 2, &[1, 1, 2]), Some(vec![(0, 1), (1, 1), (2, 2)]));
    }

    fn near(count: u32, part: u64, tasks: u32, groups: &[u32], free: &[u64]) -> Option<Vec<(usize, u8)>> {
        let request = DeviceRequest { count, part: WHOLE_DEVICE / 10 * part };
        request.choose_near(&tenths(free), tasks, groups).map(|on| on.iter().collect())
    }

    #[test]
    fn the_smallest_group_that_holds_all_is_chosen() {
        let ones = |devices: &[usize]| Some(devices.iter().map(|device| (*device, 1)).collect::<Vec<_>>());
        let free = [10, 0, 10, 10, 10, 10, 10, 10];
        // A task of four devices and four tasks of one are alike.
        for (count, tasks) in [(4, 1), (1, 4), (2, 2)] {
            assert_eq!(near(count, 10, tasks, &[4, 4], &free), ones(&[4, 5, 6, 7]));
        }
        assert_eq!(near(2, 10, 1, &[4, 4], &free), ones(&[0, 2]));
        assert_eq!(near(5, 10, 1, &[4, 4], &free), ones(&[0, 4, 5, 6, 7]));
        assert_eq!(near(8, 10, 1, &[4, 4], &free), None);
        // The rest is in the group with the least room for it.
        assert_eq!(near(4, 10, 1, &[2, 3, 1], &[10; 6]), ones(&[2, 3, 4, 5]));
        // A single part is on the fullest device of all; two parts are in the group that holds both.
        assert_eq!(near(1, 5, 1, &[2, 2], &[10, 10, 5, 0]), ones(&[2]));
        assert_eq!(near(1, 5, 2, &[2, 2], &[10, 0, 5, 4]), Some(vec![(0, 2)]));
    }

    /// Counts tasks by brute force: gives each further task the devices with the most free parts,
    /// which leaves the most room.
    fn most_tasks(request: DeviceRequest, free: &[u64]) -> u64 {
        let mut parts: Vec<u64> = free.iter().map(|free| free / request.part).collect();
        let mut tasks = 0;
        loop {
            parts.sort_unstable_by(|a, b| b.cmp(a));
            if parts.iter().take(request.count as usize).filter(|&&parts| parts > 0).count()
                < request.count as usize
            {
                return tasks;
            }
            parts[..request.count as usize].iter_mut().for_each(|parts| *parts -= 1);
            tasks += 1;
        }
    }

    proptest! {
        #[test]
        fn as_many_tasks_fit_as_can_be_chosen(
            free in prop::collection::vec(0..=10_u64, 1..9), count in 1..5_u32, part in 1..=10_u64,
        ) {
            let free = tenths(&free);
            let request = DeviceRequest { count, part: WHOLE_DEVICE / 10 * part };
            let tasks = request.tasks_in(&free);
            prop_assert_eq!(tasks, most_tasks(request, &free));
            prop_assert!(request.choose(&free, tasks as u32 + 1).is_none());
            let half = free.len() as u32 / 2;
            let groups = [half, free.len() as u32 - half];
            prop_assert!(request.choose_near(&free, tasks as u32 + 1, &groups).is_none());
            let near = request.choose_near(&free, tasks as u32, &groups).unwrap();
            for on in [request.choose(&free, tasks as u32).unwrap(), near] {
                prop_assert_eq!(on.iter().map(|(_, tasks)| u64::from(tasks)).sum::<u64>(), tasks * u64::from(count));
                for (device, parts) in on.iter() {
                    prop_assert!(u64::from(parts) <= tasks && u64::from(parts) * request.part <= free[device]);
                }
            }
        }
    }
}
