//! Names as numbers.

use rustc_hash::FxHashMap;

/// Names by the order in which they came, from 1.
#[derive(Debug, Default)]
pub(crate) struct Numbered(FxHashMap<String, u32>);

impl Numbered {
    /// The number of a name; `None` of an empty one.
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

    /// All numbers and names, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let mut all: Vec<(u32, &str)> =
            self.0.iter().map(|(name, &number)| (number, name.as_str())).collect();
        all.sort_unstable();
        all.into_iter()
    }
}

/// The names of a log.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) users: Numbered,
    pub(crate) groups: Numbered,
    pub(crate) jobs: Numbered,
    pub(crate) queues: Numbered,
    pub(crate) partitions: Numbered,
    /// The jobs of each user and name for which the next singleton waits.
    before: FxHashMap<(u32, u32), Vec<String>>,
}

impl Names {
    /// Of a singleton the jobs before it with the same user and name: the last singleton, and those since.
    pub(crate) fn before(
        &mut self,
        of: (Option<u32>, Option<u32>),
        id: &str,
        is_singleton: bool,
    ) -> Vec<String> {
        let (Some(user), Some(name)) = of else { return Vec::new() };
        let jobs = self.before.entry((user, name)).or_default();
        let before = if is_singleton { std::mem::take(jobs) } else { Vec::new() };
        jobs.push(id.to_owned());
        before
    }
}
