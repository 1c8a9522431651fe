//! Devices of jobs under a batch policy.

use super::nodes::Pools;
use super::queue::{DevicesByPool, Parts, Waiting};
use crate::devices::{Triples, expected};

impl Pools {
    /// Converts the devices of a record.
    pub(super) fn devices(&self, triples: &Triples) -> DevicesByPool {
        let mut devices = DevicesByPool::default();
        for &(node, device, tasks) in triples.iter().filter(|_| self.columns > 0) {
            let Some(pool) = self.pool_of(node) else { continue };
            let of_pool = devices.or_default(pool);
            of_pool.resize(self.columns, 0);
            of_pool.iter_mut().skip(device as usize).take(1).for_each(|it| *it += u64::from(tasks));
        }
        devices
    }

    /// Determines the devices of tasks in pools, given the free amounts of each pool.
    pub(super) fn expected_devices<I: Iterator<Item = i64>>(
        &self,
        job: &Waiting,
        parts: &Parts,
        free: impl Fn(usize) -> I,
    ) -> DevicesByPool {
        let Some(request) = job.devices.filter(|_| self.columns > 0) else { return DevicesByPool::default() };
        let of_pool = |(&pool, &tasks): (&usize, &u64)| {
            let free: Vec<i64> = free(pool).skip(job.need.len()).collect();
            (pool, expected(request, &free, tasks, &self.all[pool].device_groups))
        };
        parts.iter().filter(|(_, tasks)| **tasks > 0).map(of_pool).collect()
    }

    /// Formats devices as triples of node, device and tasks.
    pub(super) fn triples(&self, devices: &DevicesByPool) -> Vec<(u32, u32, u32)> {
        let of_pool = |(&pool, tasks): (&usize, &Vec<u64>)| {
            let node = self.node_of(pool);
            (0..)
                .zip(tasks.clone())
                .filter(|it| it.1 > 0)
                .map(move |(device, tasks)| (node, device, tasks as u32))
        };
        devices.iter().flat_map(of_pool).collect()
    }
}
