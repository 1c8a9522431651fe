//! Registry of policies: the built-in ones, and those that users add one by one or as families.

use crate::custom::CustomPolicy;
use crate::policy::{Policy, PolicyInfo, catalogue, known_names, unknown_name};
use dfrsim_model::batch::PolicyError;

/// A family of policies, whose names consist of a prefix, a colon, and a rest that the family
/// interprets.
#[derive(Clone, Debug)]
pub struct PolicyFamily {
    /// The prefix, without the colon.
    pub prefix: &'static str,
    /// The form of the names, such as `pipe:COMMAND`.
    pub form: &'static str,
    /// A one-line description of the policies of the family.
    pub description: &'static str,
    /// Creates the policy for a full name, or returns the reason why the name is invalid.
    pub create: fn(&str) -> Result<CustomPolicy, String>,
}

/// The policies that a program knows: those of this crate, and custom ones.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    custom: Vec<&'static CustomPolicy>,
    families: Vec<PolicyFamily>,
}

impl Policies {
    /// Returns the policies of this crate.
    pub fn standard() -> Policies {
        Policies::default()
    }
    /// Adds a policy. It is leaked, that is, kept until the program ends, so that a [`Policy`]
    /// remains a plain value.
    ///
    /// # Panics
    ///
    /// If there is a policy of this name, or the name is empty or contains control characters.
    #[must_use]
    pub fn with(mut self, policy: CustomPolicy) -> Policies {
        let name = policy.name();
        assert!(
            !name.is_empty() && !name.contains(char::is_control),
            "`{name}` cannot name a policy: it is empty or contains control characters"
        );
        // `parse` would search all names for one that is similar.
        let is_known = matches!(Policy::read(name), Ok(Some(_))) || self.custom(name).is_some();
        assert!(!is_known, "duplicate policy `{name}`");
        self.custom.push(Box::leak(Box::new(policy)));
        self
    }
    fn custom(&self, name: &str) -> Option<&'static CustomPolicy> {
        self.custom.iter().copied().find(|custom| custom.name() == name)
    }
    /// Adds a family of policies. Its policies are not part of the [catalogue](Policies::catalogue).
    ///
    /// # Panics
    ///
    /// If there is a family of this prefix.
    #[must_use]
    pub fn with_family(mut self, family: PolicyFamily) -> Policies {
        let prefix = family.prefix;
        assert!(self.families.iter().all(|other| other.prefix != prefix), "duplicate family `{prefix}`");
        self.families.push(family);
        self
    }
    /// Parses the name of a policy. A policy of a family is kept until the program ends.
    ///
    /// # Errors
    ///
    /// No policy has this name, or the family rejects it.
    pub fn parse(&self, name: &str) -> Result<Policy, PolicyError> {
        let custom = || self.custom.iter().map(|custom| custom.name().to_owned());
        if let Some(custom) = self.custom(name) {
            return Ok(Policy::Custom(custom));
        }
        if let Some((prefix, _)) = name.split_once(':')
            && let Some(family) = self.families.iter().find(|family| family.prefix == prefix)
        {
            let custom = match (family.create)(name) {
                _ if name.contains(char::is_control) => {
                    Err("a policy name must not contain control characters".to_owned())
                }
                made => made,
            };
            let fault = |reason| PolicyError::Family { name: name.to_owned(), reason };
            return Ok(Policy::Custom(Box::leak(Box::new(custom.map_err(fault)?))));
        }
        let known = || known_names().chain(custom()).chain(self.families.iter().map(|it| it.form.to_owned()));
        Ok(Policy::read(name)?.ok_or_else(|| unknown_name(name, known()))?)
    }
    /// Returns the registered families.
    pub fn families(&self) -> &[PolicyFamily] {
        &self.families
    }
    /// Returns the [`catalogue`], followed by the custom policies.
    pub fn catalogue(&self) -> Vec<PolicyInfo> {
        let custom = self.custom.iter().map(|&custom| PolicyInfo::new(Policy::Custom(custom)));
        catalogue().into_iter().chain(custom).collect()
    }
}
