//! Values that users write as short texts, such as `factor:2` or `0-15 20`.

/// Says what was expected of a text that is no value of a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(pub String);

/// Makes a type parse from a text by a function that has `None` where the text is no value of it, and by the message that says so,
/// with `{text}` for the text.
///
/// ```
/// #[derive(Debug, PartialEq)]
/// struct Percentage(u8);
/// crate::parses!(Percentage, "expected a percentage such as 5%, found `{text}`", |text| {
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
