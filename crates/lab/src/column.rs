//! Columns of rows: names, kinds, units and roles. All commands work from the roles.

use crate::table::range;
use dfrsim_model::SimSpan;
use std::any::Any;

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8 text.
    Text,
    /// Non-negative integers.
    Integer,
    /// Floating-point numbers; durations are in seconds.
    Number,
    /// Booleans, written `true` or `false`.
    Boolean,
}

/// Role of a column in aggregation and comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Names a set of instances over which means are taken: a workload, a load, a number of nodes.
    Label,
    /// Distinguishes the instances of such a set: a week, a trace, a replication.
    Instance,
    /// Distinguishes the configurations that run on the same instance: a policy, a penalty, an
    /// algorithm.
    Variant,
    /// A measured value.
    Metric(Better),
    /// The metric that figures, rankings and comparisons show by default; at most one per row type.
    Primary(Better),
    /// A property of the instance or run that is neither better nor worse: a number of jobs, a
    /// bound.
    Fact,
}

impl Role {
    /// Returns the role's name in schemas and in the reference of columns.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Role::Label => "label",
            Role::Instance => "instance",
            Role::Variant => "variant",
            Role::Metric(_) => "metric",
            Role::Primary(_) => "primary",
            Role::Fact => "fact",
        }
    }
}

dfrsim_model::named! {
    /// Direction in which a metric improves.
    pub enum Better as "direction" {
        /// Smaller values are better.
        Less = "less",
        /// Larger values are better.
        More = "more",
    }
}

/// Description of one column of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Column name; unique within its row type.
    pub name: &'static str,
    /// Type of the values.
    pub kind: Kind,
    /// True if a successful run may have no value.
    pub is_optional: bool,
    /// Role in aggregation and comparison.
    pub role: Role,
    /// Unit of the values (`s`, `GB/s`, `share`); empty for plain numbers and texts.
    pub unit: &'static str,
    /// Meaning of the column in one sentence.
    pub doc: &'static str,
}

impl Column {
    /// Returns the direction in which the column improves; `None` for columns that are not metrics.
    pub const fn better(&self) -> Option<Better> {
        match self.role {
            Role::Metric(better) | Role::Primary(better) => Some(better),
            Role::Label | Role::Instance | Role::Variant | Role::Fact => None,
        }
    }
    /// Returns whether the column is a metric, including the primary one.
    pub const fn is_metric(&self) -> bool {
        self.better().is_some()
    }
    /// Returns whether the instance and the variant determine the column: a label, an instance or a
    /// variant column.
    pub const fn is_name(&self) -> bool {
        matches!(self.role, Role::Label | Role::Instance | Role::Variant)
    }
    /// Returns whether the column is the primary metric.
    pub const fn is_primary(&self) -> bool {
        matches!(self.role, Role::Primary(_))
    }
    /// Returns the worst of some values: the largest one, or the smallest one if larger values are
    /// better. `None` if there are no values.
    pub fn worst(&self, values: &[f64]) -> Option<f64> {
        let (least, most) = range(values.iter().copied())?;
        Some(if self.better() == Some(Better::More) { least } else { most })
    }
    /// Returns the name in words, without the unit: `penalty` for `penalty_s`.
    pub fn name_in_words(&self) -> String {
        let unit = match self.unit {
            "%" => "percent".to_owned(),
            unit => unit.to_lowercase().replace('/', "_per_"),
        };
        let name = self.name.strip_suffix(unit.as_str()).and_then(|name| name.strip_suffix('_'));
        name.filter(|_| !unit.is_empty()).unwrap_or(self.name).replace('_', " ")
    }
    /// Returns name and unit as shown in a table header or on an axis: `penalty (s)`.
    pub fn heading(&self) -> String {
        if self.unit.is_empty() {
            self.name_in_words()
        } else {
            format!("{} ({})", self.name_in_words(), self.unit)
        }
    }
    /// Returns the text before and after a value that is shown without a heading: empty for texts,
    /// name and unit for numbers.
    pub fn affixes(&self) -> (String, String) {
        match (self.kind, self.unit) {
            (Kind::Text, _) => (String::new(), String::new()),
            (_, "") => (self.name_in_words() + " ", String::new()),
            (_, unit) => (self.name_in_words() + " ", format!(" {unit}")),
        }
    }
    /// Formats a value that is shown without a heading: `EASY`, `penalty 300 s`.
    pub fn readable(&self, value: &str) -> String {
        let (before, after) = self.affixes();
        before + value + &after
    }
}

/// A type of the fields of rows. Every written value must read back as the same value; any other
/// text is refused.
pub trait Value: Default {
    /// Kind of the columns that hold such values.
    const KIND: Kind;
    /// True if a value may be missing.
    const IS_OPTIONAL: bool = false;
    /// Returns the value as CSV text.
    fn write(&self) -> String;
    /// Parses a value; `None` if the text is not valid.
    fn read(text: &str) -> Option<Self>;
    /// Returns the value as a number; `None` for texts, booleans and missing values.
    fn number(&self) -> Option<f64>;
}

macro_rules! plain_values {
    ($($type:ty: $kind:ident = |$value:pat_param| $number:expr,)+) => {
        $(impl Value for $type {
            const KIND: Kind = Kind::$kind;
            fn write(&self) -> String {
                self.to_string()
            }
            fn read(text: &str) -> Option<Self> {
                text.parse().ok()
            }
            fn number(&self) -> Option<f64> {
                let $value = self;
                $number
            }
        })+
    };
}
// The standard library prints the shortest decimals that read back as the same binary number;
// durations print as exact seconds.
plain_values!(
    u32: Integer = |count| Some((*count).into()),
    u64: Integer = |count| Some(*count as f64),
    usize: Integer = |count| Some(*count as f64),
    f64: Number = |number| Some(*number),
    String: Text = |_| None,
    SimSpan: Number = |span| Some(span.as_secs_f64()),
    bool: Boolean = |_| None,
);

/// `None` is written as an empty field.
impl<T: Value> Value for Option<T> {
    const KIND: Kind = T::KIND;
    const IS_OPTIONAL: bool = true;
    fn number(&self) -> Option<f64> {
        self.as_ref().and_then(Value::number)
    }
    fn write(&self) -> String {
        self.as_ref().map(Value::write).unwrap_or_default()
    }
    fn read(text: &str) -> Option<Self> {
        if text.is_empty() { Some(None) } else { T::read(text).map(Some) }
    }
}

/// One type of rows of a study, stored in its own file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowType {
    /// Name of the file: `rows/NAME.csv`. Empty for a study with a single row type, whose file is
    /// `rows.csv`.
    pub name: &'static str,
    /// The study's columns, without the key, status and message that precede them in the file.
    pub columns: &'static [Column],
}

impl RowType {
    /// Returns the name of a file derived from these rows: `NAME`, or `NAME-TYPE` if the study has
    /// several row types.
    pub(crate) fn file_name_for(&self, name: &str) -> String {
        if self.name.is_empty() { name.to_owned() } else { format!("{name}-{}", self.name) }
    }
}

/// A row of any study, as a trait object.
pub trait AnyRow: Any + Send + Sync {
    /// Returns the index of the row's type among the row types of its study.
    fn row_type(&self) -> usize;
    /// Returns the values as texts, in the order of the type's columns.
    fn write(&self) -> Vec<String>;
    /// Returns the number in the column with this index; `None` if the value is missing or not a
    /// number.
    fn number(&self, place: usize) -> Option<f64>;
    /// Sets the column with this index from a text; returns whether the text was valid.
    fn set(&mut self, place: usize, text: &str) -> bool;
    /// Returns the structure that [`columns!`](crate::columns) defines, for downcasting.
    fn columns(&self) -> &dyn Any;
    /// Returns a boxed clone.
    fn copy(&self) -> Box<dyn AnyRow>;
}

/// The rows of a study: a structure that [`columns!`](crate::columns) defines, whose fields are the
/// columns, or an enumeration of several such structures that [`row_types!`](crate::row_types)
/// defines.
pub trait Row: AnyRow + Clone {
    /// The row types, indexed by [`AnyRow::row_type`].
    const TYPES: &'static [RowType];
    /// Parses the output of [`AnyRow::write`]; `None` if a field is not a valid value of its column.
    fn read<'a>(row_type: usize, fields: impl Iterator<Item = &'a str>) -> Option<Self>;
    /// Returns the number in a column, by the column's name.
    fn value(&self, column: &str) -> Option<f64> {
        let columns = Self::TYPES[self.row_type()].columns;
        self.number(columns.iter().position(|each| each.name == column)?)
    }
    /// Returns names and values of the columns that have this role.
    fn with_role(&self, role: Role) -> Vec<(&'static str, String)> {
        let all = Self::TYPES[self.row_type()].columns.iter().zip(self.write());
        all.filter(|(column, _)| column.role == role).map(|(column, value)| (column.name, value)).collect()
    }
}

/// Parses the output of [`AnyRow::write`] for the row type with this index; `None` if it is not
/// valid.
pub(crate) type ReadRow = fn(usize, &[&str]) -> Option<Box<dyn AnyRow>>;

/// Parses a row of the study's type `R`.
pub(crate) fn read_row<R: Row>(row_type: usize, fields: &[&str]) -> Option<Box<dyn AnyRow>> {
    Some(Box::new(R::read(row_type, fields.iter().copied())?))
}

/// Defines a structure of columns. Each field begins with its role: `label`, `instance`, `variant`,
/// `fact`, `metric(less)`, `metric(more)`, `primary(less)` or `primary(more)`. A unit may follow:
/// `metric(less, "s")`, `fact("nodes")`, `variant("s")`. The documentation of the field is that of
/// the column.
///
/// With `of |name: Type|` after the name of the structure, the macro also defines a function `of`
/// that creates a row from a measured value: columns with `= expression` are computed from it, the
/// others have their defaults.
///
/// ```
/// use dfrsim_lab::{AnyRow as _, Role, Row as _, columns};
///
/// columns! {
///     /// A simulation.
///     pub struct Simulation {
///         /// The workload.
///         label pub workload: String,
///         /// The policy.
///         variant pub policy: String,
///         /// The mean wait.
///         primary(less, "s") pub mean_wait_s: f64,
///     }
/// }
/// let columns = Simulation::TYPES[0].columns;
/// assert_eq!((columns[2].unit, columns[0].role), ("s", Role::Label));
/// let row = Simulation { workload: "w".into(), policy: "EASY".into(), mean_wait_s: 1.5 };
/// assert_eq!(row.write(), ["w", "EASY", "1.5"]);
/// assert_eq!(row.with_role(Role::Variant), [("policy", "EASY".to_owned())]);
/// ```
#[macro_export]
macro_rules! columns {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $type:ident of |$of:tt: $from:ty| {
            $(
                $(#[doc = $doc:literal])+
                $role:ident $(($($argument:tt),+))? pub $field:ident: $value:ty $(= $measured:expr)?,
            )+
        }
    ) => {
        $crate::columns! {
            $(#[$attribute])*
            $visibility struct $type {
                $($(#[doc = $doc])+ $role $(($($argument),+))? pub $field: $value,)+
            }
        }
        impl $type {
            pub(crate) fn of($of: $from) -> Self {
                $type { $($($field: $measured,)?)+ ..$type::default() }
            }
        }
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $type:ident {
            $(
                $(#[doc = $doc:literal])+
                $role:ident $(($($argument:tt),+))? pub $field:ident: $value:ty,
            )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $visibility struct $type {
            $($(#[doc = $doc])+ pub $field: $value,)+
        }

        impl $crate::AnyRow for $type {
            fn row_type(&self) -> usize {
                0
            }
            fn write(&self) -> Vec<String> {
                vec![$($crate::Value::write(&self.$field)),+]
            }
            fn number(&self, place: usize) -> Option<f64> {
                let numbers: &[fn(&Self) -> Option<f64>] =
                    &[$(|row| $crate::Value::number(&row.$field)),+];
                numbers.get(place).and_then(|number| number(self))
            }
            fn set(&mut self, place: usize, text: &str) -> bool {
                let setters: &[fn(&mut Self, &str) -> bool] =
                    &[$(|row, text| $crate::Value::read(text).map(|value| row.$field = value).is_some()),+];
                setters[place](self, text)
            }
            fn columns(&self) -> &dyn std::any::Any {
                self
            }
            fn copy(&self) -> Box<dyn $crate::AnyRow> {
                Box::new(self.clone())
            }
        }

        impl $crate::Row for $type {
            const TYPES: &'static [$crate::RowType] = &[$crate::RowType {
                name: "",
                columns: &[$($crate::Column {
                    name: stringify!($field),
                    kind: <$value as $crate::Value>::KIND,
                    is_optional: <$value as $crate::Value>::IS_OPTIONAL,
                    role: $crate::columns!(@role $role $(($($argument),+))?),
                    unit: $crate::columns!(@unit $($($argument),+)?),
                    doc: concat!($($doc),+).trim_ascii(),
                }),+],
            }];

            fn read<'a>(_: usize, mut fields: impl Iterator<Item = &'a str>) -> Option<Self> {
                Some($type { $($field: $crate::Value::read(fields.next()?)?),+ })
            }
        }
    };
    (@role label $($rest:tt)*) => { $crate::Role::Label };
    (@role instance $($rest:tt)*) => { $crate::Role::Instance };
    (@role variant $($rest:tt)*) => { $crate::Role::Variant };
    (@role fact $($rest:tt)*) => { $crate::Role::Fact };
    (@role metric(less $($rest:tt)*)) => { $crate::Role::Metric($crate::Better::Less) };
    (@role metric(more $($rest:tt)*)) => { $crate::Role::Metric($crate::Better::More) };
    (@role primary(less $($rest:tt)*)) => { $crate::Role::Primary($crate::Better::Less) };
    (@role primary(more $($rest:tt)*)) => { $crate::Role::Primary($crate::Better::More) };
    (@unit) => { "" };
    (@unit $better:ident) => { "" };
    (@unit $better:ident, $unit:literal) => { $unit };
    (@unit $unit:literal) => { $unit };
}

/// Defines the rows of a study that has several row types. Each variant holds a structure of
/// [`columns!`](crate::columns) and has the name of its file.
///
/// ```
/// use dfrsim_lab::{AnyRow as _, Row as _, columns, row_types};
///
/// columns! {
///     /// A case.
///     pub struct Case {
///         /// The size.
///         label pub size: usize,
///     }
/// }
/// columns! {
///     /// A stream.
///     pub struct Stream {
///         /// The mean wait.
///         primary(less, "s") pub mean_wait_s: f64,
///     }
/// }
/// row_types! {
///     /// A row.
///     pub enum Row {
///         Case(Case) = "case",
///         Stream(Stream) = "stream",
///     }
/// }
/// assert_eq!(Row::TYPES[1].name, "stream");
/// assert_eq!(Row::Stream(Stream { mean_wait_s: 2.0 }).row_type(), 1);
/// ```
#[macro_export]
macro_rules! row_types {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $type:ident {
            $($(#[$variant_attribute:meta])* $variant:ident($row:ty) = $name:literal,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        $visibility enum $type {
            $(#[doc = concat!("A row of `rows/", $name, ".csv`.")] $(#[$variant_attribute])* $variant($row),)+
        }

        impl $crate::AnyRow for $type {
            fn row_type(&self) -> usize {
                let name = match self { $($type::$variant(_) => $name,)+ };
                let place = <Self as $crate::Row>::TYPES.iter().position(|each| each.name == name);
                place.expect("each variant is a type")
            }
            fn write(&self) -> Vec<String> {
                match self { $($type::$variant(row) => $crate::AnyRow::write(row),)+ }
            }
            fn number(&self, place: usize) -> Option<f64> {
                match self { $($type::$variant(row) => $crate::AnyRow::number(row, place),)+ }
            }
            fn set(&mut self, place: usize, text: &str) -> bool {
                match self { $($type::$variant(row) => $crate::AnyRow::set(row, place, text),)+ }
            }
            fn columns(&self) -> &dyn std::any::Any {
                match self { $($type::$variant(row) => row,)+ }
            }
            fn copy(&self) -> Box<dyn $crate::AnyRow> {
                Box::new(self.clone())
            }
        }

        impl $crate::Row for $type {
            const TYPES: &'static [$crate::RowType] = &[$($crate::RowType {
                name: $name,
                columns: <$row as $crate::Row>::TYPES[0].columns,
            }),+];

            fn read<'a>(row_type: usize, fields: impl Iterator<Item = &'a str>) -> Option<Self> {
                match Self::TYPES[row_type].name {
                    $($name => <$row as $crate::Row>::read(0, fields).map($type::$variant),)+
                    name => unreachable!("unknown row type {name}"),
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::{Better, Column, Kind, Role};

    #[test]
    fn names_lose_their_units_and_values_get_them() {
        let column = |name, kind, unit| Column {
            name,
            kind,
            is_optional: false,
            role: Role::Primary(Better::Less),
            unit,
            doc: "",
        };
        for (name, unit, heading, value) in [
            ("penalty_s", "s", "penalty (s)", "penalty 2 s"),
            ("mean_migration_gb_per_s", "GB/s", "mean migration (GB/s)", "mean migration 2 GB/s"),
            ("gap_percent", "%", "gap (%)", "gap 2 %"),
            ("paused_memory", "nodes", "paused memory (nodes)", "paused memory 2 nodes"),
            ("tail_s", "", "tail s", "tail s 2"),
        ] {
            let column = column(name, Kind::Number, unit);
            assert_eq!((column.heading().as_str(), column.readable("2").as_str()), (heading, value));
        }
        assert_eq!(column("policy", Kind::Text, "").readable("EASY"), "EASY");
    }
}
