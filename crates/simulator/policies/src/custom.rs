//! Policies that users add.

use crate::fractional::{FractionalOptions as PolicyOptions, PolicySetting};
use dfrsim_cluster::Scheduler;
use dfrsim_model::priority::Priorities;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Makes a scheduler in its first state, for a cluster of this many nodes, with the settings of a site if there are any.
type Make = Box<dyn Fn(u32, &PolicyOptions, Option<&Arc<Priorities>>) -> Box<dyn Scheduler> + Send + Sync>;

/// A policy that is not one of this crate.
///
/// Rows of scenarios depend on its name, its version, and the [`PolicySetting`]s that it is said to read.
///
/// ```
/// use dfrsim_policies::{CustomPolicy, Policies};
/// # use dfrsim_policies::Policy;
/// let mine = CustomPolicy::new("MINE", "1", |nodes, options, _| Policy::Equipartition.scheduler(nodes, options))
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
    reads: Vec<PolicySetting>,
    command: Option<Vec<String>>,
}

impl CustomPolicy {
    /// A policy of this name. Rows of another version of it are computed again: change the version whenever it decides
    /// otherwise than before. `make` gets the number of nodes, the options and the settings of a site, of which it may use those
    /// that it is said to [read](CustomPolicy::reading).
    pub fn new(
        name: impl Into<String>,
        version: impl Into<String>,
        make: impl Fn(u32, &PolicyOptions, Option<&Arc<Priorities>>) -> Box<dyn Scheduler> + Send + Sync + 'static,
    ) -> CustomPolicy {
        CustomPolicy {
            name: name.into(),
            version: version.into(),
            description: String::new(),
            make: Box::new(make),
            reads: Vec::new(),
            command: None,
        }
    }
    /// With a line on what it does.
    #[must_use]
    pub fn described(self, description: impl Into<String>) -> CustomPolicy {
        CustomPolicy { description: description.into(), ..self }
    }
    /// It reads these settings, which it gets in any case.
    #[must_use]
    pub fn reading(self, settings: impl Into<Vec<PolicySetting>>) -> CustomPolicy {
        CustomPolicy { reads: settings.into(), ..self }
    }
    /// It runs a command, which its name says and in which these files are.
    #[must_use]
    pub fn running_command(self, files: Vec<String>) -> CustomPolicy {
        CustomPolicy { command: Some(files), ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The version of what it decides.
    pub fn version(&self) -> &str {
        &self.version
    }
    /// A description, in one line; may be empty.
    pub fn description(&self) -> &str {
        &self.description
    }
    /// The files in the command that it runs, if it runs one.
    pub fn files_of_command(&self) -> Option<&[String]> {
        self.command.as_deref()
    }
    pub(crate) fn scheduler(
        &self,
        nodes: u32,
        options: &PolicyOptions,
        site: Option<&Arc<Priorities>>,
    ) -> Box<dyn Scheduler> {
        (self.make)(nodes, options, site)
    }
    pub(crate) fn reads(&self, setting: PolicySetting) -> bool {
        self.reads.contains(&setting)
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
