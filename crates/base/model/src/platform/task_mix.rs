//! Mix of the tasks submitted so far, and the free parts of devices that they cannot use.
//!
//! Source: Weng, Yang, Yu, Wang, Tang, Yang and Zhang 2023, "Beware of fragmentation: scheduling
//! GPU-sharing workloads with fragmentation gradient descent" (USENIX ATC), section 3. The paper's
//! list of typical tasks is replaced by the tasks seen so far.

use super::devices::DeviceRequest;

/// Tasks of one kind of request for devices, by the cores that they request.
#[derive(Clone, Debug)]
struct Shape {
    devices: Option<DeviceRequest>,
    /// Cores in ascending order, and the number of tasks that request at most as many.
    tasks: Vec<(u64, u64)>,
}

/// Tasks submitted so far, over which fragmentation is averaged. The mix is renewed each time their
/// number has doubled, so that what depends on it stays valid in between.
#[derive(Clone, Debug, Default)]
pub struct TaskMix {
    /// Number of tasks by request.
    seen: Vec<u64>,
    count: u64,
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
                None => self.shapes.push(Shape { devices, tasks: vec![(cores, count)] }),
            }
        }
        for shape in &mut self.shapes {
            shape.tasks.sort_unstable();
            let mut sum = 0;
            shape.tasks.iter_mut().for_each(|task| {
                sum += task.1;
                task.1 = sum;
            });
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
        let left = u128::from(free.iter().sum::<u64>());
        let of_shape = |shape: &Shape| {
            let all = u128::from(shape.tasks.last().map_or(0, |task| task.1));
            let Some(DeviceRequest { count, part }) = shape.devices else { return all * left };
            if free.iter().filter(|&&free| free >= part).count() < count as usize {
                return all * left;
            }
            let place = shape.tasks.partition_point(|task| task.0 <= cores);
            let fits = u128::from(place.checked_sub(1).map_or(0, |last| shape.tasks[last].1));
            let small = u128::from(free.iter().filter(|&&free| free < part).sum::<u64>());
            fits * small + (all - fits) * left
        };
        if left == 0 { 0 } else { self.shapes.iter().map(of_shape).sum() }
    }
}
