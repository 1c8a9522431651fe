//! Accounts, QOS and partitions whose jobs may be given by name until the log with the numbers is
//! known.

use crate::log::{Header, Naming};
use dfrsim_model::named::UnknownName;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// An account or a class of jobs whose lists of `users`, `groups`, `queues` and `partitions` may
/// contain names as well as numbers of the log.
///
/// ```
/// use dfrsim_model::site::Account;
/// use dfrsim_workload::by_name::ByName;
/// use dfrsim_workload::log::{Header, Naming};
/// let account: ByName<Account> = toml::from_str("name = 'science'\ngroups = ['physics', 7]").unwrap();
/// let mut header = Header::default();
/// header.name(Naming::Group, 2, "physics");
/// assert_eq!(account.numbered(&header)?.groups, [7, 2]);
/// header = Header::default();
/// header.name(Naming::Group, 1, "physic");
/// assert_eq!(account.numbered(&header).unwrap_err().to_string(), "unknown group `physics`; did you mean `physic`?");
/// # Ok::<(), dfrsim_model::named::UnknownName>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ByName<T> {
    /// The value with the numbers only; names are stored separately.
    value: T,
    names: Vec<(Naming, String)>,
}

/// Fields that may contain names, with the kind of the names and the word for it in messages.
const NAME_LISTS: [(&str, Naming, &str); 4] = [
    ("users", Naming::User, "user"),
    ("groups", Naming::Group, "group"),
    ("queues", Naming::Queue, "queue"),
    ("partitions", Naming::Partition, "partition"),
];

/// Number of a class whose own name does not occur in the log. The log numbers names from 1, so no
/// job has it.
pub(crate) const NO_JOBS: u32 = u32::MAX;

impl<T: Serialize + DeserializeOwned> ByName<T> {
    /// Replaces numbers by the names that the header of a log gives them.
    pub fn named(value: T, header: &Header) -> ByName<T> {
        let mut map = to_fields(&value);
        let own = own_name(&map);
        let names = extract_names(&mut map, |of, number| {
            let number = u32::try_from(number.as_u64()?).ok()?;
            let name = header.names(of).find(|(known, _)| *known == number).map(|(_, name)| name.to_owned());
            name.or_else(|| (number == NO_JOBS).then(|| own.clone()))
        });
        match from_fields(map) {
            Ok(value) => ByName { value, names },
            Err(_) => ByName { value, names: Vec::new() },
        }
    }

    /// Replaces names by the numbers that the header of a log gives them.
    ///
    /// A class whose own name does not occur in the log matches no job.
    ///
    /// # Errors
    ///
    /// A list has a name that does not occur in the log; the error suggests the most similar one.
    pub fn numbered(&self, header: &Header) -> Result<T, UnknownName> {
        let own = own_name(&to_fields(&self.value));
        let map = self.fields_with_names(|of, what, name| {
            let number = header.names(of).find(|(_, known)| known == name).map(|(number, _)| number);
            let number = number.or_else(|| (*name == own).then_some(NO_JOBS));
            let known = || header.names(of).map(|(_, name)| name);
            number.map(Value::from).ok_or_else(|| UnknownName::new(what, name, known()))
        })?;
        Ok(from_fields(map).expect("the lists hold numbers only, as the type requires"))
    }

    /// Returns the value with the numbers only, for uses that do not depend on the jobs.
    pub fn without_names(&self) -> &T {
        &self.value
    }
}

impl<T: Serialize> ByName<T> {
    /// Returns the fields, each list with `value` of its names appended to its numbers.
    fn fields_with_names<E>(
        &self,
        value: impl Fn(Naming, &'static str, &String) -> Result<Value, E>,
    ) -> Result<Map<String, Value>, E> {
        let mut map = to_fields(&self.value);
        for (list, of, what) in NAME_LISTS {
            for (_, name) in self.names.iter().filter(|(naming, _)| *naming == of) {
                let value = value(of, what, name)?;
                if let Value::Array(items) = map.entry(list).or_insert_with(|| Value::Array(Vec::new())) {
                    items.push(value);
                }
            }
        }
        Ok(map)
    }
}

/// Removes the items for which `name` returns a name from the lists, and returns the names.
fn extract_names(
    map: &mut Map<String, Value>,
    name: impl Fn(Naming, &Value) -> Option<String>,
) -> Vec<(Naming, String)> {
    let mut names = Vec::new();
    for (list, of, _) in NAME_LISTS {
        if let Some(Value::Array(items)) = map.get_mut(list) {
            let named = items.extract_if(.., |item| name(of, item).is_some());
            names.extend(named.filter_map(|item| Some((of, name(of, &item)?))));
        }
    }
    names
}

fn own_name(map: &Map<String, Value>) -> String {
    map.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn to_fields(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

fn from_fields<T: DeserializeOwned>(map: Map<String, Value>) -> Result<T, serde_json::Error> {
    serde_json::from_value(Value::Object(map))
}

impl<'de, T: Serialize + DeserializeOwned> Deserialize<'de> for ByName<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut map = Map::<String, Value>::deserialize(deserializer)?;
        let names = extract_names(&mut map, |_, item| item.as_str().map(str::to_owned));
        let value = from_fields(map).map_err(D::Error::custom)?;
        Ok(ByName { value, names })
    }
}

impl<T: Serialize> Serialize for ByName<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let map = self.fields_with_names(|_, _, name| Ok::<_, S::Error>(name.as_str().into()))?;
        map.serialize(serializer)
    }
}
