//! The free nodes as one number a second.

pub(crate) struct SecondBySecond {
    free: Vec<u32>,
}

impl SecondBySecond {
    /// All nodes are free in every second; after the last one none may be taken.
    pub(crate) fn new(nodes: u32, seconds: usize) -> SecondBySecond {
        SecondBySecond { free: vec![nodes; seconds] }
    }
    pub(crate) fn reserve(&mut self, start: usize, end: usize, width: u32) {
        for free in &mut self.free[start..end] {
            *free -= width;
        }
    }
    pub(crate) fn release(&mut self, start: usize, end: usize, width: u32) {
        for free in &mut self.free[start..end] {
            *free += width;
        }
    }
    pub(crate) fn earliest(&self, from: usize, width: u32, span: usize) -> usize {
        (from..).find(|&start| self.free[start..start + span].iter().all(|&free| free >= width)).unwrap()
    }
}
