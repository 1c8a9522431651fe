//! Choices that users write by name: in scenarios, on the command line, in tables.
//!
//! [`named!`](crate::named!) defines an enumeration with one name per variant. Every type that
//! parses from a name reports an unknown name as [`UnknownName`], with the nearest known name.
//!
//! ```
//! dfrsim_input::named! {
//!     /// A rule.
//!     #[derive(Default)]
//!     pub enum Rule as "rule" {
//!         /// The line is kept.
//!         #[default]
//!         Keep = "keep",
//!         /// The line is left out.
//!         Drop = "drop" | "discard",
//!     }
//! }
//! assert_eq!("discard".parse(), Ok(Rule::Drop));
//! assert_eq!(Rule::Drop.to_string(), "drop");
//! let unknown = "Keep".parse::<Rule>().unwrap_err();
//! assert_eq!(unknown.to_string(), "unknown rule `Keep`; did you mean `keep`?");
//! let unknown = "error".parse::<Rule>().unwrap_err();
//! assert_eq!(unknown.to_string(), "unknown rule `error`; expected keep or drop");
//! ```

use serde::de::{Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

#[doc(hidden)]
pub use serde;

/// Minimum similarity (Jaro-Winkler, from 0 to 1) of a suggested name.
const MIN_SIMILARITY: f64 = 0.75;

/// Maximum number of listed choices; the others are only counted.
const MAX_LISTED: usize = 16;

/// Maximum number of characters of an unknown name that are compared. The cost of a comparison is
/// the product of the lengths.
const MAX_COMPARED: usize = 64;

/// Error: a name is none of the choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{found}`{}", Hint(self))]
pub struct UnknownName {
    /// Kind of choice, such as `rule`.
    pub what: &'static str,
    /// Unknown name.
    pub found: String,
    /// Most similar choice, if one is similar enough.
    pub nearest: Option<String>,
    /// All choices if none is similar; otherwise empty.
    pub choices: Vec<String>,
}

impl UnknownName {
    /// Creates the error for an unknown name; `choices` are the known ones.
    pub fn new<S: AsRef<str>>(
        what: &'static str,
        found: &str,
        choices: impl IntoIterator<Item = S>,
    ) -> UnknownName {
        let choices: Vec<String> = choices.into_iter().map(|choice| choice.as_ref().to_owned()).collect();
        let nearest = nearest(found, choices.iter().map(String::as_str)).map(str::to_owned);
        let choices = if nearest.is_some() { Vec::new() } else { choices };
        UnknownName { what, found: found.to_owned(), nearest, choices }
    }
}

/// Hint after the message that a name is unknown.
struct Hint<'a>(&'a UnknownName);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0.nearest, self.0.choices.as_slice()) {
            (Some(nearest), _) => write!(f, "; did you mean `{nearest}`?"),
            (None, []) => Ok(()),
            (None, [only]) => write!(f, "; expected {only}"),
            (None, all) if all.len() > MAX_LISTED => {
                write!(
                    f,
                    "; expected {} or one of {} others",
                    all[..MAX_LISTED].join(", "),
                    all.len() - MAX_LISTED
                )
            }
            (None, [others @ .., last]) => write!(f, "; expected {} or {last}", others.join(", ")),
        }
    }
}

/// Finds the choice that is most similar to a name, ignoring case; `None` if none is similar enough.
///
/// ```
/// use dfrsim_input::named::nearest;
/// assert_eq!(nearest("EAZY", ["FCFS", "EASY"]), Some("EASY"));
/// assert_eq!(nearest("greedy", ["FCFS", "EASY"]), None);
/// ```
pub fn nearest<'a>(found: &str, choices: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: String = found.chars().take(MAX_COMPARED).map(|letter| letter.to_ascii_lowercase()).collect();
    let similarity = |choice: &str| strsim::jaro_winkler(&wanted, &choice.to_ascii_lowercase());
    let similar = choices.into_iter().map(|choice| (similarity(choice), choice));
    let similar = similar.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    similar.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, choice)| choice)
}

/// Reads a name with serde.
///
/// # Errors
///
/// Returns the errors of the deserializer, and [`UnknownName`] as a message.
#[doc(hidden)]
pub fn deserialize<'de, T: FromStr<Err = UnknownName>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct Name<T>(PhantomData<T>);

    impl<T: FromStr<Err = UnknownName>> Visitor<'_> for Name<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a name")
        }
        fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
            name.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Name(PhantomData))
}

/// Defines an enumeration with one name per variant, for `Display`, `FromStr` and serde alike.
/// Aliases of a variant (`Drop = "drop" | "discard"`) are read but never written.
#[macro_export]
macro_rules! named {
    (
        $(#[$attribute:meta])*
        $vis:vis enum $type:ident as $what:literal {
            $($(#[$variant_attribute:meta])* $variant:ident = $name:literal $(| $alias:literal)*,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $type {
            $($(#[$variant_attribute])* $variant,)+
        }

        impl $type {
            /// All choices in the order of their definition.
            $vis const ALL: &'static [$type] = &[$($type::$variant),+];

            /// Returns the name of this choice.
            #[must_use]
            $vis const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::named::UnknownName;

            fn from_str(name: &str) -> ::std::result::Result<Self, Self::Err> {
                match name {
                    $($name $(| $alias)* => Ok($type::$variant),)+
                    _ => Err($crate::named::UnknownName::new($what, name, [$($name),+])),
                }
            }
        }

        impl $crate::named::serde::Serialize for $type {
            fn serialize<S: $crate::named::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> $crate::named::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::named::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::named::deserialize(deserializer)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::named! {
        /// Somewhere to eat.
        enum Place as "place" {
            /// In.
            Kitchen = "kitchen",
            /// Out.
            Garden = "garden" | "yard",
        }
    }

    #[test]
    fn names_are_read_as_they_are_printed() {
        for &place in Place::ALL {
            assert_eq!(place.to_string().parse(), Ok(place));
            let json = serde_json::to_string(&place).unwrap();
            assert_eq!(json, format!("\"{place}\""));
            assert_eq!(serde_json::from_str::<Place>(&json).unwrap(), place);
        }
        assert_eq!("yard".parse(), Ok(Place::Garden));
        let error = serde_json::from_str::<Place>("\"kitschen\"").unwrap_err().to_string();
        assert_eq!(error, "unknown place `kitschen`; did you mean `kitchen`? at line 1 column 10");
        assert!(serde_json::from_str::<Place>("1").unwrap_err().to_string().contains("expected a name"));
    }

    #[test]
    fn choices_are_listed_and_a_similar_one_is_suggested() {
        let message = |found, choices: &[&str]| UnknownName::new("thing", found, choices).to_string();
        assert_eq!(message("x", &[]), "unknown thing `x`");
        assert_eq!(message("x", &["alpha"]), "unknown thing `x`; expected alpha");
        assert_eq!(
            message("x", &["alpha", "beta", "gamma"]),
            "unknown thing `x`; expected alpha, beta or gamma"
        );
        assert_eq!(
            message("GAMA", &["alpha", "beta", "gamma"]),
            "unknown thing `GAMA`; did you mean `gamma`?"
        );
        let many: Vec<String> = (100..120).map(|number| format!("name {number}")).collect();
        let unknown = UnknownName::new("thing", "x", &many).to_string();
        assert!(unknown.starts_with("unknown thing `x`; expected name 100, name 101, "), "{unknown}");
        assert!(unknown.ends_with(", name 115 or one of 4 others"), "{unknown}");
        let unknown = UnknownName::new("thing", "nam 107", &many);
        assert!(unknown.nearest.is_some() && unknown.choices.is_empty());
    }
}
