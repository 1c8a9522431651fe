//! Policies by name: the known ones, and those that users add, one by one or as families.

use crate::batch::BatchPolicy;
use crate::custom::CustomPolicy;
use crate::policy::{Policy, PolicyInfo, catalogue, known_names, unknown};
use dfrsim_model::batch::PolicyError;

/// Policies of which the name says more than which one it is: a prefix, a colon, and what the family makes of the rest.
#[derive(Clone, Debug)]
pub struct PolicyFamily {
    /// The prefix, without the colon.
    pub prefix: &'static str,
    /// The form of the names, as `pipe:COMMAND`.
    pub form: &'static str,
    /// A description of such a policy, in one line.
    pub description: &'static str,
    /// The policy of a whole name; otherwise why there is none.
    pub make: fn(&str) -> Result<CustomPolicy, String>,
}

/// The policies of a program: those of this crate, and custom ones.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    custom: Vec<&'static CustomPolicy>,
    families: Vec<PolicyFamily>,
}

impl Policies {
    /// Those of this crate.
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
        assert!(self.parse(name).is_err(), "duplicate policy `{name}`");
        self.custom.push(Box::leak(Box::new(policy)));
        self
    }
    /// With the policies of a family. They are not part of the [catalogue](Policies::catalogue).
    ///
    /// # Panics
    /// If there is a family of this prefix.
    #[must_use]
    pub fn with_family(mut self, family: PolicyFamily) -> Policies {
        let prefix = family.prefix;
        assert!(self.families.iter().all(|other| other.prefix != prefix), "duplicate family `{prefix}`");
        self.families.push(family);
        self
    }
    /// The policy of a name. One of a family is kept until the program ends.
    ///
    /// # Errors
    /// No policy has it.
    pub fn parse(&self, name: &str) -> Result<Policy, PolicyError> {
        let custom = || self.custom.iter().map(|custom| custom.name().to_owned());
        if let Some(custom) = self.custom.iter().find(|custom| custom.name() == name) {
            return Ok(Policy::Custom(custom));
        }
        if let Some((prefix, _)) = name.split_once(':')
            && let Some(family) = self.families.iter().find(|family| family.prefix == prefix)
        {
            let custom = match (family.make)(name) {
                _ if name.contains(char::is_control) => Err("a name has no control characters".to_owned()),
                made => made,
            };
            let fault = |reason| PolicyError::Family { name: name.to_owned(), reason };
            return Ok(Policy::Custom(Box::leak(Box::new(custom.map_err(fault)?))));
        }
        BatchPolicy::check_formulas(name)?;
        let known = || known_names().chain(custom()).chain(self.families.iter().map(|it| it.form.to_owned()));
        Ok(Policy::named(name).ok_or_else(|| unknown(name, known()))?)
    }
    /// The families of policies.
    pub fn families(&self) -> &[PolicyFamily] {
        &self.families
    }
    /// All of them: the [`catalogue`], then the custom ones.
    pub fn catalogue(&self) -> Vec<PolicyInfo> {
        let custom = self.custom.iter().map(|&custom| PolicyInfo::new(Policy::Custom(custom)));
        catalogue().into_iter().chain(custom).collect()
    }
}
