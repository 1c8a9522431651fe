//! Declarations of settings: name, type, default, values, documentation, and the parameter of Slurm
//! that sets it, all in one place.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Table of settings, declared by `settings!`.
pub trait Settings: Clone + Default + 'static {
    /// Calls the visitor for each setting, in declaration order.
    fn visit(visitor: &mut impl SettingVisitor<Self>);
}

/// Operation on each setting of a table, independent of the setting's type.
pub trait SettingVisitor<S> {
    /// Visits one setting.
    fn setting<T: SettingType>(&mut self, setting: &Setting<S, T>);
}

/// Type of a setting's value, which can be cloned, compared, serialised and deserialised.
pub trait SettingType: Clone + PartialEq + Serialize + DeserializeOwned + 'static {}

impl<T: Clone + PartialEq + Serialize + DeserializeOwned + 'static> SettingType for T {}

/// Declaration of a setting of type `T` in the table `S`.
#[derive(Debug)]
pub struct Setting<S, T> {
    /// Name in JSON and TOML.
    pub name: &'static str,
    /// Lines of the doc comment; `None` for each other attribute.
    pub doc: &'static [Option<&'static str>],
    /// Valid values.
    pub values: Values,
    /// Default value.
    pub default: fn() -> T,
    /// Parameter of Slurm that sets it, if it is set by one parameter alone.
    pub slurm: Option<SlurmParameter>,
    /// Accessor of the value.
    pub get: fn(&S) -> &T,
    /// Mutable accessor of the value.
    pub get_mut: fn(&mut S) -> &mut T,
}

/// Valid values of a setting.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// Integers in a range.
    Integers {
        /// Description of a value, such as "a number of jobs".
        what: &'static str,
        /// Smallest value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// `true` or `false`.
    Flag,
    /// Names of an enumeration, returned by this function.
    Names(fn() -> Vec<&'static str>),
    /// Amounts of resources, at most [`LARGEST_AMOUNT`] each.
    Amounts,
    /// Any value of the type (a name, a list or a table), with this description.
    Any(&'static str),
}

const SECONDS: &str = "a number of seconds";

/// Longest time in the settings, in seconds.
pub const LONGEST_SETTING_S: u64 = 16_000_000_000;

/// Largest amount of a limit or of a billing weight.
pub const LARGEST_AMOUNT: u64 = 1_000_000_000_000;

/// Returns the range of times of at least `least` seconds.
pub(super) const fn seconds(least: u64) -> Values {
    Values::Integers { what: SECONDS, least, most: LONGEST_SETTING_S }
}

/// Returns the range of integers from `least` to `most`.
pub(super) const fn count(what: &'static str, least: u32, most: u32) -> Values {
    Values::Integers { what, least: least as u64, most: most as u64 }
}

/// Returns the range of integers of at least 1.
pub(super) const fn positive(what: &'static str) -> Values {
    count(what, 1, u32::MAX)
}

impl Values {
    /// Checks a value. Returns the rest of the path of the invalid part, and the reason; `None` if
    /// the value is valid.
    pub(super) fn fault(self, value: &impl Serialize) -> Option<(String, String)> {
        match self {
            Values::Integers { what, least, most } => {
                let number = serde_json::to_value(value).ok()?.as_u64()?;
                (!(least..=most).contains(&number)).then(|| (String::new(), expected(what, least, most)))
            }
            Values::Amounts => {
                let is_large = |amount: &serde_json::Value| amount.as_u64() > Some(LARGEST_AMOUNT);
                let amounts = serde_json::to_value(value).ok()?;
                let (name, _) = amounts.as_object()?.iter().find(|(_, amount)| is_large(amount))?;
                Some((format!(".{name}"), format!("expected at most {LARGEST_AMOUNT}")))
            }
            Values::Flag | Values::Names(_) | Values::Any(_) => None,
        }
    }
}

fn expected(what: &str, least: u64, most: u64) -> String {
    match (what, most) {
        (SECONDS, _) => format!("expected {least} to {most} seconds"),
        (_, most) if most == u64::from(u32::MAX) => format!("expected at least {least}"),
        _ => format!("expected {least} to {most}"),
    }
}

/// Parameter of Slurm that sets a setting.
#[derive(Clone, Copy, Debug)]
pub struct SlurmParameter {
    /// Names of the parameter; options of `SchedulerParameters` are written
    /// `SchedulerParameters=bf_interval`.
    pub names: &'static [&'static str],
    /// Form of its values.
    pub form: SlurmForm,
}

/// Form of the values of a parameter of Slurm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlurmForm {
    /// A number.
    Number,
    /// A number; 0 means 1.
    AtLeastOne,
    /// A number; 0 means that there is no limit.
    Limit,
    /// A number of minutes.
    Minutes,
    /// A time such as `7-0` or `1:30:00`, in minutes if it is a number.
    Time,
    /// `YES` or `NO`.
    Switch,
}

/// Declares a table of settings: a structure with serde, JSON schema and defaults, that implements
/// [`Settings`].
///
/// ```text
/// /// Documentation.
/// pub NAME: TYPE = DEFAULT, VALUES;
/// /// Documentation.
/// pub NAME: TYPE = DEFAULT, VALUES, slurm FORM ["NAME OF THE PARAMETER"];
/// ```
macro_rules! settings {
    (
        $(#[$meta:meta])*
        pub struct $table:ident $(<$($param:ident),+>)? {
            $(
                $(#[$($attribute:tt)+])*
                pub $name:ident: $type:ty = $default:expr, $values:expr $(, slurm $form:ident $parameters:expr)?;
            )*
        }
    ) => {
        #[derive(Clone, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        $(#[$meta])*
        pub struct $table $(<$($param),+>)? {
            $($(#[$($attribute)+])* pub $name: $type,)*
        }

        impl $(<$($param),+>)? Default for $table $(<$($param),+>)? {
            /// Returns the declared defaults.
            fn default() -> Self {
                $table { $($name: $default,)* }
            }
        }

        impl $(<$($param: $crate::site::SettingType),+>)? $crate::site::Settings for $table $(<$($param),+>)? {
            fn visit(visitor: &mut impl $crate::site::SettingVisitor<Self>) {
                $(visitor.setting(&$crate::site::Setting::<Self, $type> {
                    name: stringify!($name),
                    doc: &[$($crate::site::declare::doc_line!($($attribute)+)),*],
                    values: $values,
                    default: || $default,
                    slurm: $crate::site::declare::slurm!($($form $parameters)?),
                    get: |table| &table.$name,
                    get_mut: |table| &mut table.$name,
                });)*
            }
        }
    };
}

macro_rules! doc_line {
    (doc = $line:expr) => {
        Some($line)
    };
    ($($other:tt)+) => {
        None
    };
}

macro_rules! slurm {
    () => {
        None
    };
    ($form:ident $names:expr) => {
        Some($crate::site::SlurmParameter { names: &$names, form: $crate::site::SlurmForm::$form })
    };
}

/// Returns the names of an enumeration of `named!` as the valid values.
macro_rules! names {
    ($type:ident) => {
        $crate::site::Values::Names(|| $type::ALL.iter().map(|choice| choice.name()).collect())
    };
}

pub(super) use {doc_line, names, settings, slurm};
