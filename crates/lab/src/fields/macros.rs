//! Macro that declares fields.

/// Declares a table of a scenario: a structure that implements [`Fields`](crate::fields::Fields).
///
/// Each field has a type, a [codec](crate::fields::Codec) that reads and writes it, and optionally a
/// default:
///
/// ```text
/// /// Documentation: of the Rust field, and of the scenario's.
/// pub NAME as "name in TOML": TYPE = CODEC, default EXPRESSION;
/// ```
///
/// Without `as`, the name in TOML is that of the field. A field without default is required, unless
/// its codec defines the meaning of an absent field, as [`optional`](crate::fields::optional),
/// [`table()`](crate::fields::table()), [`tables`](crate::fields::tables) and
/// [`map`](crate::fields::map) do. Three optional clauses may follow the structure: `renamed`
/// refuses old names of fields with a message that gives the new ones, `removed` refuses fields that
/// no longer exist, and `check` is a check of several fields together.
///
/// ```
/// use dfrsim_lab::fields;
/// use dfrsim_lab::fields::{
///     Environment, Scenario, ScenarioSource, choice, count, flattened, name, number, one_or_many, optional, positive,
///     positive_fraction, seconds, table, distinct_tables,
/// };
/// use dfrsim_model::{SimSpan, Yield};
/// use std::num::NonZeroU32;
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// pub enum Overrun {
///     Extend,
///     Kill,
/// }
///
/// fields! {
///     /// The workloads.
///     #[derive(Clone, Debug, PartialEq)]
///     pub struct Example {
///         /// What all simulations have in common.
///         pub simulation: Simulation = table();
///         /// The workloads.
///         pub workloads: Vec<Workload> = distinct_tables("name", "a workload", |it: &Workload| &it.name).at_least_one();
///     }
///     renamed { "sites" => "workloads" }
///     removed { "check" => "results are always checked" }
/// }
///
/// fields! {
///     /// What all simulations have in common.
///     #[derive(Clone, Debug, PartialEq)]
///     pub struct Simulation {
///         /// Rescheduling penalties.
///         pub penalties as "penalty": Vec<SimSpan> = one_or_many(seconds(..)), default vec![SimSpan::from_secs(300)];
///         /// What happens to a job at the end of its estimate.
///         pub overrun: Overrun = choice([("extend", Overrun::Extend), ("kill", Overrun::Kill)]), default Overrun::Extend;
///         /// The least yield.
///         pub floor: Yield = positive_fraction("a yield"), default Yield::nearest(0.01);
///     }
/// }
///
/// fields! {
///     /// Jobs of one source.
///     #[derive(Clone, Debug, PartialEq)]
///     pub struct Workload {
///         /// Its name in rows and tables.
///         pub name: String = name("a workload");
///         /// The nodes that it runs on.
///         pub nodes: NonZeroU32 = count("a number of nodes", 1, u32::MAX);
///         /// The load that it is scaled to.
///         pub load: Option<f64> = optional(positive("a load"));
///         /// Where the jobs come from.
///         pub source: Source = flattened();
///     }
///     check |workload, at| {
///         if workload.nodes.get() == 1 && workload.load.is_some() {
///             at.fault("load", "one node has no load");
///         }
///     }
/// }
///
/// // An enumeration: exactly one of the keys is there.
/// fields! {
///     /// Where jobs come from.
///     #[derive(Clone, Debug, PartialEq)]
///     pub enum Source {
///         /// The model of Lublin and Feitelson.
///         Lublin(Lublin) as "lublin" = table();
///         /// This many equal jobs.
///         Equal(u32) as "equal" = count("a number of jobs", 1, 1_000_000);
///     }
/// }
///
/// fields! {
///     /// Traces of the model.
///     #[derive(Clone, Debug, PartialEq)]
///     pub struct Lublin {
///         /// The number of traces.
///         pub traces: u32 = count("a number of traces", 1, 1_000), default 100;
///         /// The part of jobs that are large.
///         pub large: f64 = number("a part of all jobs", 0.0..=1.0), default 0.5;
///     }
/// }
///
/// let environment = Environment::new();
/// let source = |text| ScenarioSource { text, name: "a.toml", folder: None, overrides: &[], environment: &environment };
/// let text = r#"
///     study = "example"
///     simulation = { penalty = [0, 300], overrun = "kill" }
///     [[workloads]]
///     name = "a"
///     nodes = 16
///     lublin = { traces = 3 }
/// "#;
/// let scenario = Scenario::<Example>::read(&source(text), "example").unwrap();
/// assert_eq!(scenario.simulation.penalties, [SimSpan::ZERO, SimSpan::from_secs(300)]);
/// assert_eq!(scenario.workloads[0].source, Source::Lublin(Lublin { traces: 3, large: 0.5 }));
/// let resolved = scenario.to_toml("example");
/// assert_eq!(Scenario::read(&source(&resolved), "example").unwrap(), scenario);
///
/// let errors = Scenario::<Example>::read(&source("study = \"example\"\ncheck = true\nsites = []"), "example");
/// assert_eq!(errors.unwrap_err().to_string(), r#"a.toml:2:1: the field `check` was removed: results are always checked
///   2 | check = true
///     | ^^^^^
/// a.toml:3:1: `sites` is now called `workloads`
///   3 | sites = []
///     | ^^^^^"#);
///
/// let errors = Scenario::<Example>::read(&source("study = \"example\"\nsimulation = { penlty = 1, floor = 2 }"), "example");
/// assert_eq!(errors.unwrap_err().to_string(), r#"a.toml: expected at least one `workloads` table
/// a.toml:2:16: unknown field `penlty`; did you mean `penalty`?
///   2 | simulation = { penlty = 1, floor = 2 }
///     |                ^^^^^^
/// a.toml:2:36: expected a yield above 0, at most 1, found 2
///   2 | simulation = { penlty = 1, floor = 2 }
///     |                                    ^"#);
/// ```
#[macro_export]
macro_rules! fields {
    (
        $(#[$($meta:tt)+])*
        $vis:vis struct $type:ident {
            $(
                $(#[$($field_meta:tt)+])*
                $field_vis:vis $field:ident $(as $key:literal)? : $field_type:ty =
                    $codec:expr $(, default $default:expr)?;
            )*
        }
        $(renamed { $($old:literal => $new:literal),+ $(,)? })?
        $(removed { $($gone:literal => $why:literal),+ $(,)? })?
        $(check |$value:ident, $at:ident| $check:block)?
    ) => {
        $(#[$($meta)+])*
        $vis struct $type {
            $($(#[$($field_meta)+])* $field_vis $field: $field_type,)*
        }

        const _: () = {
            // Each codec and default has a function of its own, so that its closures are compiled
            // once for all uses.
            struct FieldCodecs;

            impl FieldCodecs {
                $(fn $field() -> ($crate::fields::Codec<$field_type>, Option<fn() -> $field_type>) {
                    ($codec, $crate::__fields!(@default $field_type; $($default)?))
                })*
            }

            impl $crate::fields::Fields for $type {
                fn read(
                    table: &$crate::fields::TableAt<'_>,
                    reader: &mut $crate::fields::Reader<'_>,
                ) -> Option<Self> {
                    $($(table.refused($old, Some($new), concat!("`", $old, "` is now called `", $new, "`"), reader);)+)?
                    $($(table.refused($gone, None, concat!("the field `", $gone, "` was removed: ", $why), reader);)+)?
                    $(
                        let (codec, default) = FieldCodecs::$field();
                        let $field =
                            codec.read_field($crate::__fields!(@key $field $($key)?), default, table, reader);
                    )*
                    let read = Self { $($field: $field?,)* };
                    $({
                        let $value = &read;
                        let $at = &mut $crate::fields::Check::new(table, reader);
                        $check
                    })?
                    Some(read)
                }
                fn write(&self) -> $crate::fields::Table {
                    let mut table = $crate::fields::Table::new();
                    $(
                        let (codec, _) = FieldCodecs::$field();
                        codec.write_field($crate::__fields!(@key $field $($key)?), &self.$field, &mut table);
                    )*
                    table
                }
                fn docs() -> Vec<$crate::fields::FieldDoc> {
                    [$({
                        let (codec, default) = FieldCodecs::$field();
                        let doc = $crate::__fields!(@doc $([$($field_meta)+])*);
                        codec.document($crate::__fields!(@key $field $($key)?), &doc, default)
                    },)*]
                    .concat()
                }
                fn doc() -> String {
                    $crate::__fields!(@doc $([$($meta)+])*)
                }
            }
        };
    };
    (
        $(#[$($meta:tt)+])*
        $vis:vis enum $type:ident {
            $(
                $(#[$($variant_meta:tt)+])*
                $variant:ident($variant_type:ty) as $key:literal = $codec:expr;
            )+
        }
    ) => {
        $(#[$($meta)+])*
        $vis enum $type {
            $($(#[$($variant_meta)+])* $variant($variant_type),)+
        }

        const _: () = {
            struct VariantCodecs;

            impl VariantCodecs {
                $(#[allow(non_snake_case)]
                fn $variant() -> $crate::fields::Codec<$variant_type> {
                    $codec
                })+
            }

            impl $crate::fields::Fields for $type {
                fn read(
                    table: &$crate::fields::TableAt<'_>,
                    reader: &mut $crate::fields::Reader<'_>,
                ) -> Option<Self> {
                    let key = $crate::fields::only_one(&[$($key),+], table, reader)?;
                    $(if key == $key {
                        return VariantCodecs::$variant().read_field($key, None, table, reader).map(Self::$variant);
                    })+
                    None
                }
                fn write(&self) -> $crate::fields::Table {
                    let mut table = $crate::fields::Table::new();
                    match self {
                        $(Self::$variant(value) => VariantCodecs::$variant().write_field($key, value, &mut table),)+
                    }
                    table
                }
                fn docs() -> Vec<$crate::fields::FieldDoc> {
                    let fields = [$(VariantCodecs::$variant().document(
                        $key,
                        &$crate::__fields!(@doc $([$($variant_meta)+])*),
                        None,
                    ),)+]
                    .concat();
                    $crate::fields::alternatives(fields)
                }
                fn doc() -> String {
                    $crate::__fields!(@doc $([$($meta)+])*)
                }
            }
        };
    };
}

/// Helper rules of [`fields!`](crate::fields!).
#[doc(hidden)]
#[macro_export]
macro_rules! __fields {
    (@key $field:ident $key:literal) => { $key };
    (@key $field:ident) => { stringify!($field) };
    (@default $type:ty; $default:expr) => {{
        fn default() -> $type {
            $default
        }
        Some(default as fn() -> $type)
    }};
    (@default $type:ty;) => { None };
    (@doc $([$($meta:tt)+])*) => { $crate::fields::doc_text(&[$($crate::__fields!(@line $($meta)+)),*]) };
    (@line doc = $line:expr) => { Some($line) };
    (@line $($other:tt)+) => { None };
}
