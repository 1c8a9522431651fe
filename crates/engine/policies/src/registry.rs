//! Policies by name: the known ones, and those that users add.

use crate::policy::{Policy, PolicyInfo, PolicyOptions, catalogue, known_names};
use dfrsim_cluster::Scheduler;
use dfrsim_model::named::UnknownName;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Makes a scheduler in its first state, for a cluster of this many nodes.
type Make = Box<dyn Fn(u32, &PolicyOptions) -> Box<dyn Scheduler> + Send + Sync>;

/// A policy that is not one of this crate.
///
/// Rows of scenarios depend on its name, its version, and those of the [`PolicyOptions`] that it is said to read.
///
/// ```
/// use dfrsim_policies::{CustomPolicy, Policies};
/// # use dfrsim_policies::Policy;
/// let mine = CustomPolicy::new("MINE", "1", |nodes, options| Policy::Equipartition.scheduler(nodes, options))
///     .described("every job the same share, as I see it");
/// let policies = Policies::standard().with(mine);
/// assert_eq!(policies.parse("MINE").unwrap().to_string(), "MINE");
/// assert!(policies.parse("MINNE").unwrap_err().to_string().contains("did you mean `MINE`?"));
/// ```
pub struct CustomPolicy {
    name: String,
    version: String,
    description: String,
    make: Make,
    is_periodic: bool,
    uses_mcb: bool,
    uses_priority: bool,
    uses_node_memory: bool,
}

impl CustomPolicy {
    /// A policy of this name. Rows of another version of it are computed again: change the version whenever it decides
    /// otherwise than before. `make` gets the number of nodes and the options that it is said to read.
    pub fn new(
        name: impl Into<String>,
        version: impl Into<String>,
        make: impl Fn(u32, &PolicyOptions) -> Box<dyn Scheduler> + Send + Sync + 'static,
    ) -> CustomPolicy {
        CustomPolicy {
            name: name.into(),
            version: version.into(),
            description: String::new(),
            make: Box::new(make),
            is_periodic: false,
            uses_mcb: false,
            uses_priority: false,
            uses_node_memory: false,
        }
    }
    /// With a line on what it does.
    #[must_use]
    pub fn described(self, description: impl Into<String>) -> CustomPolicy {
        CustomPolicy { description: description.into(), ..self }
    }
    /// It reads [`PolicyOptions::period`].
    #[must_use]
    pub fn reading_period(self) -> CustomPolicy {
        CustomPolicy { is_periodic: true, ..self }
    }
    /// It reads [`PolicyOptions::mcb`].
    #[must_use]
    pub fn reading_mcb(self) -> CustomPolicy {
        CustomPolicy { uses_mcb: true, ..self }
    }
    /// It reads [`PolicyOptions::priority`].
    #[must_use]
    pub fn reading_priority(self) -> CustomPolicy {
        CustomPolicy { uses_priority: true, ..self }
    }
    /// It reads [`PolicyOptions::node_memory_gb`].
    #[must_use]
    pub fn reading_node_memory(self) -> CustomPolicy {
        CustomPolicy { uses_node_memory: true, ..self }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The version of what it decides.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }
    /// What it does, in one line; may be empty.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }
    pub(crate) fn scheduler(&self, nodes: u32, options: &PolicyOptions) -> Box<dyn Scheduler> {
        (self.make)(nodes, options)
    }
    pub(crate) fn is_periodic(&self) -> bool {
        self.is_periodic
    }
    pub(crate) fn uses_mcb(&self) -> bool {
        self.uses_mcb
    }
    pub(crate) fn uses_priority(&self) -> bool {
        self.uses_priority
    }
    pub(crate) fn uses_node_memory(&self) -> bool {
        self.uses_node_memory
    }
}

/// The same policy is the same value.
impl PartialEq for CustomPolicy {
    fn eq(&self, other: &CustomPolicy) -> bool {
        (&self.name, &self.version) == (&other.name, &other.version)
    }
}

impl Eq for CustomPolicy {}

impl Hash for CustomPolicy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, &self.version).hash(state);
    }
}

impl fmt::Debug for CustomPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomPolicy").field("name", &self.name).field("version", &self.version).finish()
    }
}

/// The policies of a program: those of this crate, and custom ones.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    custom: Vec<&'static CustomPolicy>,
}

impl Policies {
    /// Those of this crate.
    #[must_use]
    pub fn standard() -> Policies {
        Policies::default()
    }
    /// With one more policy. It is kept until the program ends, so that a [`Policy`] remains a plain value.
    ///
    /// # Panics
    /// If there is a policy of this name, or the name is empty or contains control characters.
    #[must_use]
    pub fn with(mut self, policy: CustomPolicy) -> Policies {
        let name = policy.name();
        assert!(!name.is_empty() && !name.contains(char::is_control), "`{name}` cannot name a policy");
        assert!(self.parse(name).is_err(), "there is another policy `{name}`");
        self.custom.push(Box::leak(Box::new(policy)));
        self
    }
    /// The policy of a name.
    ///
    /// # Errors
    /// No policy has it.
    pub fn parse(&self, name: &str) -> Result<Policy, UnknownName> {
        let custom = || self.custom.iter().map(|custom| custom.name().to_owned());
        match self.custom.iter().find(|custom| custom.name() == name) {
            Some(custom) => Ok(Policy::Custom(custom)),
            None => name.parse().map_err(|_| UnknownName::new("policy", name, known_names().chain(custom()))),
        }
    }
    /// All of them: the [`catalogue`], then the custom ones.
    #[must_use]
    pub fn catalogue(&self) -> Vec<PolicyInfo> {
        let custom = self.custom.iter().map(|&custom| PolicyInfo::new(Policy::Custom(custom)));
        catalogue().into_iter().chain(custom).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mine(version: &str) -> CustomPolicy {
        CustomPolicy::new("MINE", version, |nodes, options| Policy::Equipartition.scheduler(nodes, options))
    }

    #[test]
    fn a_custom_policy_is_found_listed_and_says_what_it_reads() {
        let policies = Policies::standard().with(mine("1").reading_period().described("mine"));
        let policy = policies.parse("MINE").unwrap();
        assert_eq!((policy.to_string().as_str(), policy.description().as_str()), ("MINE", "mine"));
        assert!(policy.is_periodic() && !policy.uses_mcb() && !policy.uses_priority());
        assert_eq!(policies.catalogue().last().unwrap().policy, policy);
        assert_eq!(policies.parse("EASY"), "EASY".parse());
        assert_eq!(policies.parse("EASYY").unwrap_err().nearest.unwrap(), "EASY");
        assert_eq!(policies.parse("MINNE").unwrap_err().nearest.unwrap(), "MINE");
        assert_ne!(Policies::standard().with(mine("2")).parse("MINE"), Ok(policy));
    }

    #[test]
    #[should_panic(expected = "there is another policy `MINE`")]
    fn names_are_unique() {
        let _ = Policies::standard().with(mine("1")).with(mine("2"));
    }
}
