//! User-defined policies.

use crate::fractional::{FractionalOptions as PolicyOptions, PolicySetting};
use dfrsim_cluster::Scheduler;
use dfrsim_model::site::SiteSettings;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Constructor of a scheduler in its initial state: takes the number of nodes, the options, and the
/// settings of the site if there are any.
type Constructor =
    Box<dyn Fn(u32, &PolicyOptions, Option<&Arc<SiteSettings>>) -> Box<dyn Scheduler> + Send + Sync>;

/// A policy that is defined outside this crate.
///
/// The rows of a scenario depend on the policy's name, its version, and the [`PolicySetting`]s that
/// it declares to read.
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
    create: Constructor,
    reads: Vec<PolicySetting>,
    command: Option<Vec<String>>,
}

impl CustomPolicy {
    /// Creates a policy. Change `version` whenever the policy decides differently: rows of another
    /// version are computed again. `make` receives the number of nodes, the options and the settings
    /// of a site. It may use only the settings that the policy declares to
    /// [read](CustomPolicy::reading).
    pub fn new(
        name: impl Into<String>,
        version: impl Into<String>,
        make: impl Fn(u32, &PolicyOptions, Option<&Arc<SiteSettings>>) -> Box<dyn Scheduler>
        + Send
        + Sync
        + 'static,
    ) -> CustomPolicy {
        CustomPolicy {
            name: name.into(),
            version: version.into(),
            description: String::new(),
            create: Box::new(make),
            reads: Vec::new(),
            command: None,
        }
    }
    /// Sets the one-line description.
    #[must_use]
    pub fn described(self, description: impl Into<String>) -> CustomPolicy {
        CustomPolicy { description: description.into(), ..self }
    }
    /// Sets the settings that the policy declares to read. They become part of the identity of its
    /// rows; the policy receives all settings in any case.
    #[must_use]
    pub fn reading(self, settings: impl Into<Vec<PolicySetting>>) -> CustomPolicy {
        CustomPolicy { reads: settings.into(), ..self }
    }
    /// Marks the policy as one that runs an external command, which is part of its name. `files` are
    /// the files that the command line contains.
    #[must_use]
    pub fn running_command(self, files: Vec<String>) -> CustomPolicy {
        CustomPolicy { command: Some(files), ..self }
    }

    /// Returns the name of the policy.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Returns the version of the policy's behaviour.
    pub fn version(&self) -> &str {
        &self.version
    }
    /// Returns the one-line description; may be empty.
    pub fn description(&self) -> &str {
        &self.description
    }
    /// Returns the files in the external command, or `None` if the policy runs no command.
    pub fn files_of_command(&self) -> Option<&[String]> {
        self.command.as_deref()
    }
    pub(crate) fn scheduler(
        &self,
        nodes: u32,
        options: &PolicyOptions,
        site: Option<&Arc<SiteSettings>>,
    ) -> Box<dyn Scheduler> {
        (self.create)(nodes, options, site)
    }
    pub(crate) fn reads(&self, setting: PolicySetting) -> bool {
        self.reads.contains(&setting)
    }
}

/// Policies are equal if their names and versions are.
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
