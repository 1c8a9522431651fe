//! Groups of rows that agree in their label and variant columns.

use crate::column::{Column, Kind, Role};
use crate::copies::split_copy;
use crate::data::DataFrame;
use crate::table::Cell;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;

/// Identity of a group of rows: the values of its label and variant columns, in the order of the
/// columns.
///
/// `Display` gives text for readers: `lublin, load 0.7, EASY, penalty 300 s`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupKey {
    /// The columns with their values. A missing value is empty; `all` stands for several numbers
    /// that are pooled.
    pub values: Vec<(&'static Column, String)>,
}

/// Value of a label if rows with several values are pooled.
const ALL: &str = "all";

/// Treatment of rows that differ only in numeric labels (loads).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoadPooling {
    /// One group per value.
    Separate,
    /// One group per value, followed by one that pools all values; at the end one that pools all labels
    /// (logs), if there are several.
    Both,
    /// One group that pools all values.
    Pooled,
}

/// Rows, or indices of pairs of rows, with the same key.
pub(crate) struct Group {
    pub(crate) key: GroupKey,
    pub(crate) items: Vec<usize>,
    /// True if rows with several values of a label are pooled.
    pub(crate) is_pooled: bool,
}

impl GroupKey {
    /// Creates the key of a group. `text` gives the value of a column; several values of the columns
    /// in `mixed` are pooled.
    fn new(frame: &DataFrame, text: &dyn Fn(usize) -> String, mixed: &[usize]) -> GroupKey {
        let columns = frame.with_role(&[Role::Label, Role::Variant]).into_iter();
        let value = |column| if mixed.contains(&column) { ALL.to_owned() } else { text(column) };
        GroupKey { values: columns.map(|column| (&frame.columns()[column], value(column))).collect() }
    }
    /// Formats names and values for files: `workload=lublin, load=0.7, policy=EASY, penalty_s=300`.
    pub fn identity(&self) -> String {
        let present = self.values.iter().filter(|(_, value)| !value.is_empty());
        present.map(|(column, value)| format!("{}={value}", column.name)).collect::<Vec<_>>().join(", ")
    }
    /// Returns the values of the text labels: the part of the key that remains if all numeric labels
    /// are pooled.
    pub(crate) fn text_labels(&self) -> String {
        let is_own = |column: &Column| column.role == Role::Label && column.kind == Kind::Text;
        let own = self.values.iter().filter(|(column, value)| is_own(column) && !value.is_empty());
        own.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for GroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let present = self.values.iter().filter(|(_, value)| !value.is_empty());
        let parts: Vec<String> = present.map(|(column, value)| readable(column, value)).collect();
        f.pad(&parts.join(", "))
    }
}

/// Converts a value of a column to a table cell; numbers keep the text they have in the rows.
pub(crate) fn cell(column: &Column, value: &str) -> Cell {
    match (value, column.kind) {
        ("", _) => Cell::Missing,
        (_, Kind::Integer | Kind::Number) => Cell::Formatted(value.to_owned()),
        (_, Kind::Text | Kind::Boolean) => Cell::Text(value.to_owned()),
    }
}

/// Formats a value for readers: texts stand alone, numbers have a name and a unit.
fn readable(column: &Column, value: &str) -> String {
    let is_mixed = value == ALL && column.kind != Kind::Text;
    if is_mixed {
        format!("all {}s", column.name_in_words().trim_end_matches('s'))
    } else {
        column.readable(value)
    }
}

/// Groups items by key, in order of the keys' first appearance.
pub fn by_key<T, K: Hash + Eq>(items: impl IntoIterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<Vec<T>> {
    let mut places = FxHashMap::default();
    let mut groups: Vec<Vec<T>> = Vec::new();
    for item in items {
        let place = *places.entry(key(&item)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(item);
    }
    groups
}

/// Groups items by key, in the order of the keys.
pub fn by_sorted_key<T, K: Ord>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> K,
) -> BTreeMap<K, Vec<T>> {
    let mut groups: BTreeMap<K, Vec<T>> = BTreeMap::new();
    items.into_iter().for_each(|item| groups.entry(key(&item)).or_default().push(item));
    groups
}

/// Groups rows (or other indices) by their codes, in order of first appearance.
pub(crate) fn by_codes(items: &[usize], codes: &dyn Fn(usize) -> Vec<u64>) -> Vec<Vec<usize>> {
    by_key(items.iter().copied(), |&item| codes(item))
}

/// Groups items by the labels of their rows, then by `setting`, whose codes differ where the values
/// of variant columns do. `text` gives the value of an item in a label or variant column.
pub(crate) fn groups(
    frame: &DataFrame,
    items: &[usize],
    loads: LoadPooling,
    row: &dyn Fn(usize) -> usize,
    setting: &dyn Fn(usize) -> Vec<u64>,
    text: &dyn Fn(usize, usize) -> String,
) -> Vec<Group> {
    let labels = frame.with_role(&[Role::Label]);
    let is_number = |column: &usize| matches!(frame.columns()[*column].kind, Kind::Integer | Kind::Number);
    let (numbers, texts): (Vec<usize>, Vec<usize>) = labels.iter().partition(|column| is_number(column));
    let codes = |item: usize, columns: &[usize]| frame.codes(row(item), columns);
    let mixed = |items: &[usize], columns: &[usize]| -> Vec<usize> {
        let differs =
            |column: &usize| items.iter().any(|&item| codes(item, &[*column]) != codes(items[0], &[*column]));
        columns.iter().copied().filter(differs).collect()
    };
    let mut groups = Vec::new();
    let mut add = |scope: &[usize], mixed: &[usize]| {
        for items in by_codes(scope, setting) {
            let key = GroupKey::new(frame, &|column| text(items[0], column), mixed);
            groups.push(Group { key, items, is_pooled: !mixed.is_empty() });
        }
    };
    let wholes = by_codes(items, &|item| codes(item, &texts));
    for whole in &wholes {
        let each = by_codes(whole, &|item| codes(item, &labels));
        let mixed = mixed(whole, &numbers);
        if each.len() == 1 || loads != LoadPooling::Pooled {
            each.iter().for_each(|scope| add(scope, &[]));
        }
        if !mixed.is_empty() && loads != LoadPooling::Separate {
            add(whole, &mixed);
        }
    }
    if wholes.len() > 1 && loads == LoadPooling::Both {
        add(items, &mixed(items, &labels));
    }
    groups
}

/// Groups rows of a frame by their label and variant columns.
pub(crate) fn row_groups(frame: &DataFrame) -> Vec<Group> {
    let variants = frame.with_role(&[Role::Variant]);
    let rows: Vec<usize> = (0..frame.len()).collect();
    let setting = |row| frame.codes(row, &variants);
    groups(frame, &rows, LoadPooling::Separate, &|row| row, &setting, &|row, column| frame.text(row, column))
}

/// Returns the name of the row's block. Instances in one block are not statistically independent
/// (one trace at several loads, or with moved submissions).
pub(crate) fn block(frame: &DataFrame, row: usize) -> String {
    let is_own = |column: &usize| {
        let Column { role, kind, .. } = frame.columns()[*column];
        role == Role::Instance || (role == Role::Label && kind == Kind::Text)
    };
    let columns = (0..frame.columns().len()).filter(is_own);
    let texts = columns.map(|column| split_copy(&frame.text(row, column)).0.to_owned());
    let mut block = texts.collect::<Vec<_>>().join(" ");
    // A trace that was scaled to several loads is called `trace-000-load-0.3`, or has the same name
    // at all loads.
    for label in frame.with_role(&[Role::Label]) {
        let suffix = format!("-{}-{}", frame.columns()[label].name, frame.text(row, label));
        block = block.replace(&suffix, "");
    }
    block
}

/// Groups values by block, in the order of the block names.
pub fn by_block<T: Copy>(mut values: Vec<(&str, T)>) -> Vec<Vec<T>> {
    values.sort_by_key(|(block, _)| *block);
    let blocks = values.chunk_by(|a, b| a.0 == b.0);
    blocks.map(|block| block.iter().map(|(_, value)| *value).collect()).collect()
}

/// Formats the values of a row in these columns for readers; a single column gives the value alone.
pub(crate) fn variant_name(frame: &DataFrame, row: usize, columns: &[usize]) -> String {
    if let [column] = columns { frame.text(row, *column) } else { frame.readable(row, columns) }
}
