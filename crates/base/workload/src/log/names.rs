//! Numbering of names.

use rustc_hash::FxHashMap;

/// Names numbered from 1 in the order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct NumberedNames(FxHashMap<String, u32>);

impl NumberedNames {
    /// Returns the number of a name, which is added if it is new; `None` for the empty name.
    pub(crate) fn number(&mut self, name: &str) -> Option<u32> {
        if name.is_empty() {
            return None;
        }
        if let Some(&number) = self.0.get(name) {
            return Some(number);
        }
        let number = u32::try_from(self.0.len()).ok()?.checked_add(1)?;
        self.0.insert(name.to_owned(), number);
        Some(number)
    }

    /// Iterates over all numbers and names, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let mut all: Vec<(u32, &str)> =
            self.0.iter().map(|(name, &number)| (number, name.as_str())).collect();
        all.sort_unstable();
        all.into_iter()
    }
}

/// Numbered names of the users, groups, jobs, queues and partitions of a log.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) users: NumberedNames,
    pub(crate) groups: NumberedNames,
    pub(crate) jobs: NumberedNames,
    pub(crate) queues: NumberedNames,
    pub(crate) partitions: NumberedNames,
    /// Jobs that the next singleton has to wait for, by user and job name.
    since_singleton: FxHashMap<(u32, u32), Vec<String>>,
}

impl Names {
    /// Registers a job, and returns the jobs that it has to wait for if it is a singleton: the last
    /// singleton with the same user and job name, and the jobs of that user and name since then.
    pub(crate) fn singleton_dependencies(
        &mut self,
        of: (Option<u32>, Option<u32>),
        id: &str,
        is_singleton: bool,
    ) -> Vec<String> {
        let (Some(user), Some(name)) = of else { return Vec::new() };
        let jobs = self.since_singleton.entry((user, name)).or_default();
        let before = if is_singleton { std::mem::take(jobs) } else { Vec::new() };
        jobs.push(id.to_owned());
        before
    }
}
