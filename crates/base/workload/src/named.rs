//! Choices that users write by name: in scenarios, on the command line, in tables.

/// A name that is none of the choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {what} is called `{found}`; there are: {}", choices.join(", "))]
pub struct UnknownName {
    /// What was to be chosen.
    pub what: &'static str,
    /// What was given.
    pub found: String,
    /// The names of the choices.
    pub choices: Vec<&'static str>,
}

/// Defines an enumeration of which each variant has one name, for `Display`, `FromStr` and serde alike.
#[macro_export]
macro_rules! named {
    (
        $(#[$attribute:meta])*
        pub enum $type:ident as $what:literal {
            $($(#[$variant_attribute:meta])* $variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $type {
            $($(#[$variant_attribute])* #[serde(rename = $name)] $variant,)+
        }

        impl $type {
            /// Every choice.
            pub const ALL: &'static [$type] = &[$($type::$variant),+];

            /// The name of this choice.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().copied().find(|choice| choice.name() == name);
                found.ok_or_else(|| $crate::UnknownName {
                    what: $what,
                    found: name.to_owned(),
                    choices: Self::ALL.iter().map(|choice| choice.name()).collect(),
                })
            }
        }
    };
}
pub(crate) use named;

#[cfg(test)]
mod tests {
    use crate::prepare::StatusRule;

    #[test]
    fn names_parse_from_what_they_print() {
        for &rule in StatusRule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        let unknown = "Keep".parse::<StatusRule>().unwrap_err();
        assert_eq!(unknown.to_string(), "no rule is called `Keep`; there are: keep, drop, error");
    }
}
