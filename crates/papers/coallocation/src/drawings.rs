//! Table 2 and figure 2 as figures.

use crate::pairs::{COUNTS, Data};
use crate::published::{CASES, TABLE_2};
use crate::tables::{SERIES, series_ms};
use dfrsim_lab::{Axis, Chart, Drawing, Series, mean};

/// Draws table 2 with the published values, and figure 2 if searches were timed.
pub(crate) fn drawings(data: &Data<'_>) -> Vec<Drawing> {
    [table_2(data), figure_2(data)].into_iter().flatten().collect()
}

fn table_2(data: &Data<'_>) -> Option<Drawing> {
    let grids = data.pairs(None);
    // The published percentages must cover the same sizes.
    let sizes = &data.fields.sizes;
    let of_sizes: Option<Vec<[f64; 6]>> =
        sizes.iter().map(|size| TABLE_2.find::<1, 6>([&size.to_string()])).collect();
    let of_sizes = of_sizes.filter(|counts| !counts.is_empty())?;
    let published: [f64; 6] = std::array::from_fn(|place| {
        100.0 * of_sizes.iter().map(|counts| counts[place]).sum::<f64>() / (CASES * sizes.len()) as f64
    });
    let percent = |place: usize| {
        let of_grid = grids.iter().filter(|pairs| !pairs.is_empty()).map(|pairs| {
            100.0 * pairs.iter().filter(|pair| pair.counts()[place]).count() as f64 / pairs.len() as f64
        });
        mean(&of_grid.collect::<Vec<_>>())
    };
    let line = |(place, name): (usize, &str)| (name.replace('_', " "), percent(place), published[place]);
    grids.iter().any(|pairs| !pairs.is_empty()).then(|| {
        let lines = COUNTS.into_iter().enumerate().map(line).collect();
        let chart = Chart::published_comparison(Axis::linear("test cases (%)"), "count", lines);
        Drawing::new("table-2", "Table 2: collective beside simple requests", chart)
            .with_remark("The use of the nodes in the published experiments is not known.")
    })
}

fn figure_2(data: &Data<'_>) -> Option<Drawing> {
    let sizes = &data.fields.sizes;
    let times: Vec<[Option<f64>; 5]> = sizes.iter().map(|&size| series_ms(data, size)).collect();
    let series = |(place, (name, ..)): (usize, (&str, &str, Option<bool>))| {
        let points = sizes.iter().zip(&times).filter_map(|(&size, times)| Some((size as f64, times[place]?)));
        Series::new(name.replace('_', " "), points.collect())
    };
    let series: Vec<Series> =
        SERIES.into_iter().enumerate().map(series).filter(|series| !series.points.is_empty()).collect();
    (!series.is_empty()).then(|| {
        let (x, y) = (Axis::linear("requested resources"), Axis::automatic("mean search time (ms)"));
        Drawing::new("figure-2", "Figure 2: search times", Chart::lines(x, y, "requests", series))
    })
}
