//! Distribution of the degradation over the instances.

use super::Drawn;
use super::groups::{Group, chosen};
use crate::figure::Figure;
use crate::legacy::sample::{self, Sample};

/// Draws a group with several instances.
pub(super) fn draw(group: &Group<'_>, drawn: &mut Drawn) {
    let (series, choice) = chosen(group.series(false));
    if series.iter().all(|series| series.runs.len() < 2) {
        drawn.left_out.push(format!("distribution of {}: there are not several instances", group.title()));
        return;
    }
    let remarks = group.remarks().into_iter().chain(choice).collect::<Vec<_>>();
    let samples: Vec<Sample> =
        series.iter().filter_map(|series| Sample::new(series.name.clone(), &series.degradations())).collect();
    let title = format!("Degradation over the instances: {}", group.title());
    let value = "degradation from bound";
    let (picture, csv) = sample::boxes(&title, &remarks, value, &samples);
    let stem = group.stem("degradation-distribution");
    drawn.add(Figure { stem, picture, csv, remarks: remarks.clone() });
    let (picture, csv) = sample::distributions(
        title,
        remarks.clone(),
        [value, "part of the instances with no more"],
        &samples,
    );
    drawn.add(Figure { stem: group.stem("degradation-ecdf"), picture, csv, remarks });
}
