//! Map in ascending order of its keys.

use std::iter::Zip;
use std::ops::Index;
use std::{mem, slice, vec};

/// Map in two sorted vectors, for maps that are small or are filled in ascending order. In these
/// cases it is as fast as a tree, and costs far less compile time for each type of value.
///
/// ```
/// let tasks = dfrsim_model::SortedMap::from_iter([(7, "two"), (3, "one"), (7, "three")]);
/// assert_eq!((tasks.keys(), tasks.values()), (&[3, 7][..], &["one", "three"][..]));
/// ```
#[derive(Clone, Debug)]
pub struct SortedMap<K, V> {
    keys: Vec<K>,
    values: Vec<V>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> SortedMap<K, V> {
        SortedMap { keys: Vec::new(), values: Vec::new() }
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Finds the index of a key, or the index at which to insert it.
    fn position(&self, key: &K) -> Result<usize, usize> {
        match self.keys.last() {
            Some(last) if last >= key => self.keys.binary_search(key),
            _ => Err(self.keys.len()),
        }
    }
    /// Returns the value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        match self.position(key) {
            Ok(at) => Some(&self.values[at]),
            Err(_) => None,
        }
    }
    /// Returns the value of a key for modification.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        match self.position(key) {
            Ok(at) => Some(&mut self.values[at]),
            Err(_) => None,
        }
    }
    /// Returns whether a key has a value.
    pub fn contains_key(&self, key: &K) -> bool {
        self.position(key).is_ok()
    }
    /// Returns the value of a key, and inserts it first if there is none.
    pub fn or_insert_with(&mut self, key: K, value: impl FnOnce() -> V) -> &mut V {
        let at = match self.position(&key) {
            Ok(at) => at,
            Err(at) => {
                self.keys.insert(at, key);
                self.values.insert(at, value());
                at
            }
        };
        &mut self.values[at]
    }
    /// Sets the value of a key; returns the previous one.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.position(&key) {
            Ok(at) => Some(mem::replace(&mut self.values[at], value)),
            Err(at) => {
                self.keys.insert(at, key);
                self.values.insert(at, value);
                None
            }
        }
    }
    /// Removes a key; returns its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        match self.position(key) {
            Ok(at) => {
                self.keys.remove(at);
                Some(self.values.remove(at))
            }
            Err(_) => None,
        }
    }
    /// Removes all keys.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }
    /// Returns whether the map has no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
    /// Returns the keys in ascending order.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }
    /// Returns the values in ascending order of the keys.
    pub fn values(&self) -> &[V] {
        &self.values
    }
    /// Iterates over the values for modification, in ascending order of the keys.
    pub fn values_mut(&mut self) -> slice::IterMut<'_, V> {
        self.values.iter_mut()
    }
    /// Iterates over the keys and their values, in ascending order of the keys.
    pub fn iter(&self) -> Zip<slice::Iter<'_, K>, slice::Iter<'_, V>> {
        self.keys.iter().zip(&self.values)
    }
}

impl<K: Ord, V: Default> SortedMap<K, V> {
    /// Returns the value of a key, and inserts the default value first if there is none.
    pub fn or_default(&mut self, key: K) -> &mut V {
        self.or_insert_with(key, V::default)
    }
}

impl<K: Ord, V> Index<&K> for SortedMap<K, V> {
    type Output = V;
    fn index(&self, key: &K) -> &V {
        self.get(key).expect("a key of the map")
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, all: I) {
        all.into_iter().for_each(|(key, value)| _ = self.insert(key, value));
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(all: I) -> SortedMap<K, V> {
        let mut map = SortedMap::default();
        map.extend(all);
        map
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = Zip<vec::IntoIter<K>, vec::IntoIter<V>>;
    fn into_iter(self) -> Self::IntoIter {
        self.keys.into_iter().zip(self.values)
    }
}

impl<'a, K: Ord, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Zip<slice::Iter<'a, K>, slice::Iter<'a, V>>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
