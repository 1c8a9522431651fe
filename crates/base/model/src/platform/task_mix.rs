//! Mix of the tasks submitted so far, and the free parts of devices that they cannot use.
//!
//! Source: Weng, Yang, Yu, Wang, Tang, Yang and Zhang 2023, "Beware of fragmentation: scheduling
//! GPU-sharing workloads with fragmentation gradient descent" (USENIX ATC), section 3. The paper's
//! list of typical tasks is replaced by the tasks seen so far.

use super::devices::{DeviceRequest, MOST_DEVICES};

/// Tasks of one kind of request for devices, by the cores that they request.
#[derive(Clone, Debug)]
struct Shape {
    devices: Option<DeviceRequest>,
    /// Cores in ascending order, and the number of tasks that request at most as many.
    tasks: Vec<(u64, u64)>,
    /// Number of its tasks, and of those of all later shapes.
    count: u64,
    count_from_here: u64,
}

/// Tasks submitted so far, over which fragmentation is averaged. The mix is renewed each time their
/// number has doubled, so that what depends on it stays valid in between.
#[derive(Clone, Debug, Default)]
pub struct TaskMix {
    /// Number of tasks by request.
    seen: Vec<u64>,
    count: u64,
    /// Shapes by the part of a device, those without devices first.
    shapes: Vec<Shape>,
    total: u64,
}

impl TaskMix {
    /// Counts submitted tasks of a request; returns whether the mix has to be renewed.
    pub fn see(&mut self, request: usize, tasks: u32) -> bool {
        if self.seen.len() <= request {
            self.seen.resize(request + 1, 0);
        }
        self.seen[request] += u64::from(tasks);
        self.count += u64::from(tasks);
        self.count > 2 * self.total
    }

    /// Updates the mix, given the cores and the devices of a task of each request by number.
    pub fn renew(&mut self, request: impl Fn(usize) -> (u64, Option<DeviceRequest>)) {
        self.shapes.clear();
        for (number, &count) in self.seen.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (cores, devices) = request(number);
            match self.shapes.iter_mut().find(|shape| shape.devices == devices) {
                Some(shape) => shape.tasks.push((cores, count)),
                None => {
                    let tasks = vec![(cores, count)];
                    self.shapes.push(Shape { devices, tasks, count: 0, count_from_here: 0 });
                }
            }
        }
        self.shapes.sort_by_key(|shape| shape.devices.map(|it| (it.part, it.count)));
        let mut later = 0;
        for shape in self.shapes.iter_mut().rev() {
            shape.tasks.sort_unstable();
            let mut sum = 0;
            shape.tasks.iter_mut().for_each(|task| {
                sum += task.1;
                task.1 = sum;
            });
            later += sum;
            (shape.count, shape.count_from_here) = (sum, later);
        }
        self.total = self.count;
    }

    /// Returns the number of tasks in the mix.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Sums, over the tasks of the mix, the free parts of devices that such a task cannot use on a
    /// node with these free cores and devices. A task without devices can use none of them.
    #[must_use]
    pub fn useless(&self, cores: u64, free: &[u64]) -> u128 {
        let left: u64 = free.iter().sum();
        if left == 0 {
            return 0;
        }
        let product = |tasks: u64, parts: u64| u128::from(tasks) * u128::from(parts);
        let mut sorted = [0; MOST_DEVICES];
        let sorted = &mut sorted[..free.len()];
        sorted.copy_from_slice(free);
        sorted.sort_unstable();
        // Devices with less free than the part of the shape, and the sum of what they have.
        let (mut below, mut small, mut sum) = (0, 0, 0);
        for shape in &self.shapes {
            let Some(DeviceRequest { count, part }) = shape.devices else {
                sum += product(shape.count, left);
                continue;
            };
            while let Some(&free) = sorted.get(below).filter(|free| **free < part) {
                small += free;
                below += 1;
            }
            if below == sorted.len() {
                return sum + product(shape.count_from_here, left);
            }
            let fitting = if sorted.len() - below < count as usize {
                0
            } else {
                let place = shape.tasks.partition_point(|task| task.0 <= cores);
                place.checked_sub(1).map_or(0, |last| shape.tasks[last].1)
            };
            sum += product(fitting, small) + product(shape.count - fitting, left);
        }
        sum
    }
}
