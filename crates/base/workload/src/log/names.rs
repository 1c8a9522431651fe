//! Names as numbers.

use std::collections::BTreeMap;

/// Names by the order in which they came, from 1.
#[derive(Debug, Default)]
pub(crate) struct Numbered(BTreeMap<String, u32>);

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
    /// The last job of each user and name.
    last: BTreeMap<(u32, u32), String>,
}

impl Names {
    /// The job before this one with the same user and name; this one is the last from then on.
    pub(crate) fn last_of(&mut self, user: Option<u32>, name: Option<u32>, id: &str) -> Option<String> {
        self.last.insert((user?, name?), id.to_owned())
    }
}
