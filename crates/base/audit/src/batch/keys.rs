//! Keys of nodes, by which the scored placements choose them; written anew, with exact fractions.

use super::queue::Waiting;
use crate::devices::{DeviceRequest, expected};
use dfrsim_model::Share;
use dfrsim_model::batch::Place;

/// A whole device, in share units.
const WHOLE: i64 = Share::ONE.units() as i64;

/// Cores and devices that tasks request, and the number of such tasks.
#[derive(Clone, Debug, PartialEq)]
struct TaskKind {
    cores: i64,
    devices: Option<DeviceRequest>,
    tasks: i128,
}

/// Tasks submitted so far, and those of the last time at which their number had doubled.
#[derive(Clone, Debug, Default)]
pub(super) struct Mix {
    seen: Vec<TaskKind>,
    used: Vec<TaskKind>,
}

fn sum(kinds: &[TaskKind]) -> i128 {
    kinds.iter().map(|kind| kind.tasks).sum()
}

impl Mix {
    /// Counts the tasks of a submitted job.
    pub(super) fn see(&mut self, job: &Waiting) {
        let (cores, devices) = (job.need[0], job.devices);
        let tasks = i128::from(job.tasks);
        match self.seen.iter_mut().find(|kind| (kind.cores, kind.devices) == (cores, devices)) {
            Some(kind) => kind.tasks += tasks,
            None => self.seen.push(TaskKind { cores, devices, tasks }),
        }
        if sum(&self.seen) > 2 * sum(&self.used) {
            self.used.clone_from(&self.seen);
        }
    }

    /// Sums the free parts that each task of the mix could not use on a node.
    fn fragments(&self, cores: i64, free: &[i64]) -> i128 {
        let of_kind = |kind: &TaskKind| {
            let Some((each, part)) = kind.devices else { return kind.tasks * total(free) };
            let is_usable = |free: &&i64| **free >= part as i64;
            let is_possible = kind.cores <= cores && free.iter().filter(is_usable).count() as u64 >= each;
            let useless = free.iter().filter(|free| !is_possible || !is_usable(free));
            kind.tasks * useless.map(|&free| i128::from(free)).sum::<i128>()
        };
        self.used.iter().map(of_kind).sum()
    }
}

fn total(parts: &[i64]) -> i128 {
    parts.iter().map(|&part| i128::from(part)).sum()
}

/// Divides and rounds up; both numbers are not negative.
fn rounded_up(numerator: i128, denominator: i128) -> i128 {
    (numerator + denominator - 1) / denominator
}

/// Computes the key of a node for one task: two numbers, of which the first one counts first.
/// `largest` has the most cores of a node, and the most devices; `power` is what the task adds in
/// milliwatts. The key of a weighted sum is that of FGD; see [`mix`].
pub(super) fn key(
    place: Place,
    mix: &Mix,
    job: &Waiting,
    (free, whole, groups): (&[i64], &[i64], &[u32]),
    largest: (i64, i64),
    power: i128,
) -> (i128, i128) {
    let plain = job.need.len();
    let before = &free[plain..];
    let given = job.devices.map_or_else(Vec::new, |request| expected(request, before, 1, groups));
    let is_given = job.devices.is_some_and(|(each, _)| given.iter().sum::<u64>() == each);
    let part = job.devices.map_or(0, |(_, part)| part as i64);
    let taken = |device: usize| if is_given && given[device] > 0 { part } else { 0 };
    let after: Vec<i64> = before.iter().enumerate().map(|(device, free)| free - taken(device)).collect();
    let (cores, needed) = (i128::from(free[0]), i128::from(job.need[0]));
    let cores_after = (cores - needed).max(0);
    let most_cores = i128::from(largest.0.max(1));
    let most_devices = i128::from(largest.1.max(1)) * i128::from(WHOLE);
    let left =
        rounded_up(50 * (cores_after * most_devices + total(&after) * most_cores), most_cores * most_devices);
    let first = match place {
        Place::First | Place::Contiguous | Place::Best => 0,
        Place::Power => power,
        Place::Fit => left,
        Place::Spread => -left,
        Place::Dot => {
            let asked = job.devices.map_or(0, |(each, part)| i128::from(each) * i128::from(part));
            let squares = [most_cores * most_cores, most_devices * most_devices];
            let product = cores * needed * squares[1] + total(before) * asked * squares[0];
            rounded_up(50 * product, squares[0] * squares[1])
        }
        Place::Pack => match job.devices {
            None => 0,
            Some(_) if before == &whole[plain..] => {
                200 + whole[plain..].iter().filter(|whole| **whole > 0).count() as i128
            }
            Some(_) => {
                let used: Vec<i64> =
                    (0..before.len()).filter(|&it| taken(it) > 0).map(|it| before[it]).collect();
                match used.iter().filter(|free| **free == WHOLE).count() as i128 {
                    0 => used.iter().map(|free| i128::from(free * 10 / WHOLE)).sum(),
                    opened => 100 + opened,
                }
            }
        },
        Place::Fgd | Place::Mix(_) if mix.used.is_empty() => 0,
        Place::Fgd | Place::Mix(_) => {
            let more = mix.fragments(cores_after as i64, &after) - mix.fragments(free[0], before);
            (25 * more).div_euclid(sum(&mix.used) * i128::from(WHOLE))
        }
    };
    (first, left)
}

/// Computes the power that a task adds on a node of a kind in milliwatts: that which follows what it has, and
/// that of the devices and sockets which no task uses yet.
pub(super) fn added_power(
    job: &Waiting,
    (free, whole, groups): (&[i64], &[i64], &[u32]),
    kind: usize,
) -> i128 {
    let linear = i128::from(job.power.get(kind).copied().unwrap_or(0));
    let Some(used) = job.used_power.get(kind).filter(|used| used.has_used_power()) else { return linear };
    let devices = &free[job.need.len()..];
    let given = job.devices.map_or_else(Vec::new, |request| expected(request, devices, 1, groups));
    let is_new = |(given, free): &(&u64, &i64)| **given > 0 && **free == WHOLE;
    let new = given.iter().zip(devices).filter(is_new).count() as i128;
    let [before, after] = [0, job.need[0]].map(|more| (whole[0] - free[0] + more).max(0) as u64);
    linear + new * i128::from(used.device_power()) + i128::from(used.socket_power(after))
        - i128::from(used.socket_power(before))
}

/// Computes the weighted sums of the keys of FGD and the powers of the nodes with room: each value less
/// the smallest one, in whole hundredths of the range of all of them, rounded down.
pub(super) fn mix(weight: u8, keys: &[(i128, i128)]) -> Vec<i128> {
    let hundredths = |values: Vec<i128>| -> Vec<i128> {
        let (least, most) = (values.iter().min().copied(), values.iter().max().copied());
        let range = most.zip(least).map_or(0, |(most, least)| most - least);
        let of = |value: &i128| match range {
            0 => 0,
            range => (value - least.unwrap_or(0)) * 100 / range,
        };
        values.iter().map(of).collect()
    };
    let fgd = hundredths(keys.iter().map(|(key, _)| *key).collect());
    let power = hundredths(keys.iter().map(|(_, power)| *power).collect());
    let weight = i128::from(weight);
    power.iter().zip(fgd).map(|(power, fgd)| weight * power + (100 - weight) * fgd).collect()
}
