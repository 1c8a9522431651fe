//! Parsing of values that users write as short texts, such as `factor:2` or `0-15 20`.

/// Error message: the expected form of a value, and the text that was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(pub String);

/// Implements `FromStr` for a type by a function that returns `None` for invalid text, and an error
/// message that may contain `{text}`.
///
/// ```
/// #[derive(Debug, PartialEq)]
/// struct Percentage(u8);
/// dfrsim_input::parses!(Percentage, "expected a percentage such as 5%, found `{text}`", |text| {
///     text.strip_suffix('%')?.parse().ok().map(Percentage)
/// });
/// assert_eq!("5%".parse(), Ok(Percentage(5)));
/// assert_eq!("5".parse::<Percentage>().unwrap_err().to_string(), "expected a percentage such as 5%, found `5`");
/// ```
#[macro_export]
macro_rules! parses {
    ($type:ty, $message:literal, $parse:expr) => {
        impl std::str::FromStr for $type {
            type Err = $crate::ParseError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let parse: fn(&str) -> Option<Self> = $parse;
                parse(text).ok_or_else(|| $crate::ParseError(format!($message, text = text)))
            }
        }
    };
}
