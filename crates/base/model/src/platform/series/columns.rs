//! Recognition of the columns of files of carbon intensities and prices, by their names.

use super::calendar::Zone;

/// Grams of carbon dioxide for a kilowatt-hour in a pound for a megawatt-hour.
const POUND_PER_MWH: f64 = 0.453_592_37;

/// Column of values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ValueColumn {
    pub(super) place: usize,
    /// Factor that converts values to grams or money for a kilowatt-hour.
    pub(super) factor: f64,
    /// Unit in the file, for messages.
    pub(super) unit: String,
    /// True if the name of the column has no unit.
    pub(super) is_assumed: bool,
}

/// Columns of a file, by their places.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Columns {
    /// Names, with the units of a line below them.
    pub(super) names: Vec<String>,
    pub(super) time: usize,
    /// Column of times of day, if that of times has only dates.
    pub(super) hour: Option<usize>,
    /// Zone of times without an offset; `None` if no column says it.
    pub(super) zone: Option<Zone>,
    pub(super) carbon: Option<ValueColumn>,
    pub(super) price: Option<ValueColumn>,
    /// Column of a bidding zone or country, of which a file may have several.
    pub(super) area: Option<usize>,
    /// Column of auctions, of which a file may have several.
    pub(super) sequence: Option<usize>,
}

/// Names of columns of times in lower case, without what is in parentheses; those that come first are
/// preferred.
const TIMES: [&str; 22] = [
    "datetime",
    "mtu",
    "point_time",
    "utc_timestamp",
    "timestamp_utc",
    "datetime_utc",
    "utc time",
    "utc_time",
    "timestamp",
    "date_time",
    "date",
    "datum",
    "datum von",
    "start date",
    "from",
    "period_start",
    "start",
    "start time",
    "start_time",
    "time",
    "hour",
    "hourutc",
];

/// Returns a name in lower case with plain digits.
fn plain(name: &str) -> String {
    name.trim_start_matches('\u{feff}').trim().to_lowercase().replace('₂', "2")
}

/// Splits the name of a column from what is in parentheses or brackets at its end.
fn with_parentheses(name: &str) -> (String, Option<String>) {
    let name = plain(name);
    let inner = name.strip_suffix([')', ']']).and_then(|rest| rest.rsplit_once(['(', '[']));
    match inner {
        Some((before, inner)) => (before.trim().to_owned(), Some(inner.to_owned())),
        None => (name, None),
    }
}

/// Returns the place in the list of preferred names of a column of times; `None` if it is none.
fn rank_of_time(name: &str) -> Option<usize> {
    let (name, _) = with_parentheses(name);
    TIMES.iter().position(|known| *known == name)
}

/// Returns the rank, factor and unit of a column of carbon intensities.
fn carbon(name: &str) -> Option<(u32, f64, &'static str, bool)> {
    let name = plain(name);
    let has = |word: &str| name.contains(word);
    let is_other = [
        "%",
        "percent",
        "free",
        "renewable",
        "index",
        "estimat",
        "method",
        "source",
        "allowance",
        "price",
        "zertifikat",
    ];
    if is_other.into_iter().any(has) {
        return None;
    }
    let is_carbon = ["carbon", "co2", "intensity", "emission", "moer", "g_per_kwh"].into_iter().any(has);
    if !is_carbon && !name.split(['_', ' ']).any(|word| word == "ci") {
        return None;
    }
    let rank = match () {
        () if has("forecast") => 4,
        () if has("life cycle") || has("lifecycle") || has("lca") => 3,
        () if has("direct") || has("actual") => 0,
        () if has("moer") => 2,
        () => 1,
    };
    let (per_kwh, per_mwh) = (has("kwh"), has("mwh"));
    let (factor, unit, is_assumed) = match () {
        () if has("lb") && per_mwh => (POUND_PER_MWH, "lb/MWh", false),
        () if has("kg") && per_mwh => (1.0, "kg/MWh", false),
        () if has("kg") && per_kwh => (1_000.0, "kg/kWh", false),
        () if has("tco2") && per_mwh => (1_000.0, "t/MWh", false),
        () if per_kwh => (1.0, "g/kWh", false),
        () if has("moer") => (POUND_PER_MWH, "lb/MWh", true),
        () if per_mwh => return None,
        () => (1.0, "g/kWh", true),
    };
    Some((rank, factor, unit, is_assumed))
}

/// Returns the rank, factor and unit of a column of prices.
fn price(name: &str) -> Option<(u32, f64, String)> {
    let name = plain(name);
    let has = |word: &str| name.contains(word);
    let is_other = ["co2", "allowance", "emission", "intraday", "zertifikat", "volume", "tco2"];
    // A unit of several series of a chart names that of carbon dioxide, too.
    let is_mixed = has("mwh, ");
    if !is_mixed && is_other.into_iter().any(has) {
        return None;
    }
    let words =
        ["price", "day ahead", "day-ahead", "auction", "auktion", "preis", "€/mwh", "eur/mwh", "eur_mwh"];
    if !words.into_iter().any(has) {
        return None;
    }
    let of_day = ["day ahead", "day-ahead", "day_ahead"].into_iter().any(has);
    let currency = [
        ("€", "EUR"),
        ("eur", "EUR"),
        ("£", "GBP"),
        ("gbp", "GBP"),
        ("usd", "USD"),
        ("$", "USD"),
        ("chf", "CHF"),
        ("sek", "SEK"),
        ("dkk", "DKK"),
        ("nok", "NOK"),
        ("pln", "PLN"),
        ("aud", "AUD"),
    ];
    let currency = currency.into_iter().find(|(word, _)| has(word)).map_or("money", |(_, currency)| currency);
    let (factor, unit) = match () {
        () if has("mwh") => (0.001, format!("{currency}/MWh")),
        () if has("kwh") && (has("ct/") || has("cent")) => (0.01, format!("{currency} cents/kWh")),
        () if has("kwh") => (1.0, format!("{currency}/kWh")),
        () => return None,
    };
    Some((u32::from(!of_day), factor, unit))
}

/// Returns whether a line of names has a column of times.
pub(super) fn is_header(cells: &[String]) -> bool {
    cells.iter().any(|name| rank_of_time(name).is_some())
}

impl Columns {
    /// Recognises columns by their names; `None` without one of times.
    pub(super) fn of(names: Vec<String>) -> Option<Columns> {
        let ranked = names.iter().enumerate().filter_map(|(at, name)| Some((rank_of_time(name)?, at)));
        let (_, time) = ranked.min()?;
        let named = |known: &[&str]| {
            let is_it = |name: &String| known.contains(&with_parentheses(name).0.as_str());
            (0..names.len()).find(|&at| at != time && is_it(&names[at]))
        };
        let carbons = names.iter().enumerate().filter_map(|(place, name)| {
            let (rank, factor, unit, is_assumed) = carbon(name).filter(|_| place != time)?;
            Some((rank, ValueColumn { place, factor, unit: unit.to_owned(), is_assumed }))
        });
        let prices = names.iter().enumerate().filter_map(|(place, name)| {
            let (rank, factor, unit) = price(name).filter(|_| place != time)?;
            Some((rank, ValueColumn { place, factor, unit, is_assumed: false }))
        });
        let best =
            |all: &mut dyn Iterator<Item = (u32, ValueColumn)>| all.min_by_key(|it| it.0).map(|it| it.1);
        let (mut of_carbon, of_price) = (best(&mut { carbons }), best(&mut { prices }));
        // WattTime names its column of marginal emissions `value`.
        if of_carbon.is_none() && of_price.is_none() && plain(&names[time]) == "point_time" {
            let value = named(&["value"]).map(|place| ValueColumn {
                place,
                factor: POUND_PER_MWH,
                unit: "lb/MWh".to_owned(),
                is_assumed: true,
            });
            of_carbon = value;
        }
        let (own, inner) = with_parentheses(&names[time]);
        let zone = inner.and_then(|zone| Zone::parse(&zone));
        let zone = match own.as_str() {
            _ if zone.is_some() => zone,
            "datum von" => Some(Zone::Cet),
            "utc_timestamp" | "timestamp_utc" | "datetime_utc" | "utc time" | "utc_time" | "hourutc" => {
                Some(Zone::Fixed(0))
            }
            _ => None,
        };
        Some(Columns {
            hour: named(&["hour", "time", "start time", "start_time"]),
            area: named(&[
                "zone id",
                "zone_id",
                "zone_name",
                "zone name",
                "area",
                "bidding zone",
                "pricearea",
                "region",
            ]),
            sequence: named(&["sequence"]),
            carbon: of_carbon,
            price: of_price,
            time,
            zone,
            names,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the places and units of the columns that are used.
    fn of(header: &str) -> String {
        let names = header.split(';').map(str::to_owned).collect();
        let Some(columns) = Columns::of(names) else { return "none".to_owned() };
        let value = |it: Option<ValueColumn>| {
            it.map_or_else(
                || "-".to_owned(),
                |it| format!("{} {}{}", it.place, it.unit, if it.is_assumed { "?" } else { "" }),
            )
        };
        format!("{} {:?} {} | {}", columns.time, columns.zone, value(columns.carbon), value(columns.price))
    }

    #[test]
    fn columns_of_all_sources_are_recognised() {
        for (header, expected) in [
            (
                "Datetime (UTC);Country;Zone Name;Zone Id;Carbon Intensity gCO₂eq/kWh (direct);Carbon Intensity gCO₂eq/kWh (LCA);Low Carbon Percentage;Renewable Percentage;Data Source;Data Estimated",
                "0 Some(Fixed(0)) 4 g/kWh | -",
            ),
            (
                "Datetime (UTC);Country;Zone id;Carbon intensity gCO₂eq/kWh (Life cycle);Carbon intensity gCO₂eq/kWh (direct);Carbon-free energy percentage (CFE%)",
                "0 Some(Fixed(0)) 4 g/kWh | -",
            ),
            (
                "Datetime (UTC);Actual Carbon Intensity (gCO2/kWh);Forecast Carbon Intensity (gCO2/kWh);Index",
                "0 Some(Fixed(0)) 1 g/kWh | -",
            ),
            (
                "MTU (CET/CEST);Area;Sequence;Day-ahead Price (EUR/MWh);Intraday Period (CET/CEST);Intraday Price (EUR/MWh)",
                "0 Some(Cet) - | 3 EUR/MWh",
            ),
            ("MTU (UTC);Day-ahead Price [GBP/MWh]", "0 Some(Fixed(0)) - | 1 GBP/MWh"),
            ("Date (GMT+1);Day Ahead Auction (DE-LU) Price (EUR/MWh)", "0 Some(Fixed(3600)) - | 1 EUR/MWh"),
            (
                "Date (GMT+1);CO2 Emission Allowances, Auction DE Price (EUR/MWh, EUR/tCO2);Day Ahead Auction (DE-LU) Price (EUR/MWh, EUR/tCO2)",
                "0 Some(Fixed(3600)) - | 2 EUR/MWh",
            ),
            ("timestamp;MOER;MOER version", "0 None 1 lb/MWh? | -"),
            ("point_time;value;version", "0 None 1 lb/MWh? | -"),
            (
                "datetime;created_at;timestamp;zone_name;carbon_intensity_avg;power_origin_percent_fossil_avg",
                "0 None 4 g/kWh? | -",
            ),
            ("Time;Carbon Intensity", "0 None 1 g/kWh? | -"),
            ("date;hour;day;ci", "0 None 3 g/kWh? | -"),
            // Those of simulators of data centres, and of forecasts of intensities.
            ("timestamp;WND;SUN;NG;OTH;avg_CI", "0 None 5 g/kWh? | -"),
            (
                "UTC time;region_code;carbon_intensity_lifecycle;carbon_intensity_direct",
                "0 Some(Fixed(0)) 3 g/kWh? | -",
            ),
            ("timestamp;city;circuit", "0 None - | -"),
            ("datetime;price_eur_mwh;kg_co2_per_kwh", "0 None 2 kg/kWh | 1 EUR/MWh"),
            (
                "Datum von;Datum bis;Deutschland/Luxemburg [€/MWh] Originalauflösungen",
                "0 Some(Cet) - | 2 EUR/MWh",
            ),
            ("datetime;price;load", "0 None - | -"),
            ("zone;value", "none"),
        ] {
            assert_eq!(of(header), expected, "{header}");
        }
    }
}
