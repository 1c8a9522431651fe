//! First section of the page: the ranking of the variants by their primary metric, with pairwise
//! comparisons.

use crate::names::words;
use dfrsim_lab::{Better, Estimate, Ranking, range, rounded};
use dfrsim_model::counted;
use dfrsim_plots::Scale;
use maud::{Markup, html};

/// Largest number of variants that are compared pairwise; the others are in a collapsed table below.
const MAX_VARIANTS: usize = 15;

/// Largest number of instance sets whose best variants are listed.
const MAX_SCOPES: usize = 200;

/// Formats one answer for each row type with a primary metric.
pub(crate) fn answers(rankings: &[Ranking]) -> Markup {
    html! { @for ranking in rankings { (answer(ranking)) } }
}

fn answer(ranking: &Ranking) -> Markup {
    let shown = ranking.variants.len().min(MAX_VARIANTS);
    html! {
        @if !ranking.row_type.name.is_empty() { h2 { (words(ranking.row_type.name)) } }
        p.sentence { (sentence(ranking)) }
        (table(ranking, 0, shown, true))
        p.note { (explanation(ranking)) }
        @if shown < ranking.variants.len() {
            details {
                summary { "The other " (ranking.variants.len() - shown) " variants" }
                (table(ranking, shown, ranking.variants.len(), false))
            }
        }
        (scopes(ranking))
    }
}

/// States the best variant, its lead, and whether the difference to the second is statistically
/// open.
fn sentence(ranking: &Ranking) -> Markup {
    let metric = ranking.metric.heading();
    let best = &ranking.variants[0];
    let instances = counted(best.measured, "instance");
    let [_, second, ..] = &ranking.variants[..] else {
        return html! { (mean(&metric)) ": " strong { (estimate(&best.mean)) } " over " (instances) "." };
    };
    if second.mean.value == best.mean.value {
        let equal = ranking.variants.iter().take_while(|one| one.mean.value == best.mean.value).count();
        let names = if equal == 2 { second.name.clone() } else { format!("{} others", equal - 1) };
        return html! {
            strong { (best.name) } " and " (names) " have the best " (mean(&metric)) ": "
            (estimate(&best.mean)) " over " (instances) "."
        };
    }
    let duel = ranking.compare_pair(0, 1);
    let interval = ranking.difference(0, 1).and_then(|difference| difference.interval);
    let is_open = interval.is_some_and(|(low, high)| low <= 0.0 && 0.0 <= high);
    html! {
        strong { (best.name) } " is best: " (mean(&metric)) " " (estimate(&best.mean)) " over " (instances)
        ". It beats " strong { (second.name) } ", the second, on " (duel.wins) " of "
        (counted(duel.instances(), "instance"))
        @if duel.ties > 0 { " (" (duel.ties) " equal)" }
        @if is_open { "; the 95 % interval of their difference contains 0" }
        "."
    }
}

/// Formats the name of the mean: `mean degradation`; a metric that is itself a mean keeps its name.
fn mean(metric: &str) -> String {
    if metric.starts_with("mean ") { metric.to_owned() } else { format!("mean {metric}") }
}

/// Formats a value with its interval: `1.93 (95 % interval 1.7 to 2.2)`.
fn estimate(estimate: &Estimate) -> String {
    let value = rounded(estimate.value);
    match estimate.interval {
        None => value,
        Some((low, high)) => format!("{value} (95 % interval {} to {})", rounded(low), rounded(high)),
    }
}

/// Explains the table.
fn explanation(ranking: &Ranking) -> Markup {
    let better = if ranking.metric.better() == Some(Better::More) { "larger" } else { "smaller" };
    let partial = ranking.variants.iter().filter(|one| one.measured < ranking.variants[0].measured).count();
    html! {
        (mean(&ranking.metric.name_in_words())) ", " (better) " is better, with 95 % confidence intervals over instances."
        @if ranking.variants.len() > 1 {
            " On the right: on which share of the instances the variant of the row is better than that of the column."
        }
        @if partial > 0 {
            " Variants without a value on some instances (" (partial) ") come last: means over other instances do not compare."
        }
    }
}

/// Builds the table of the variants `from..to`, with intervals on a common axis and, if wanted,
/// pairwise comparisons.
fn table(ranking: &Ranking, from: usize, to: usize, has_duels: bool) -> Markup {
    let variants = &ranking.variants[from..to];
    let axis = axis(variants.iter().map(|one| &one.mean));
    let rivals = if has_duels && to > 1 { from..to } else { from..from };
    let is_partial = variants.iter().any(|one| one.measured < ranking.instances);
    html! {
        div.scroll.ranking tabindex="0" role="region" aria-label={ "Variants by " (ranking.metric.name_in_words()) } {
            table {
                thead { tr {
                    th scope="col" { span.unseen { "Place" } }
                    th scope="col" { (heading(ranking)) }
                    th.axis scope="col" aria-hidden="true" {
                        @for (place, text) in ticks(&axis) { span style={ "left:" (percent(place)) } { (text) } }
                    }
                    th.number scope="col" { (mean(&ranking.metric.heading())) }
                    th.number scope="col" { "95 % interval" }
                    @if is_partial { th.number scope="col" { "n" } }
                    @for rival in rivals.clone() {
                        th.duel scope="col" title=(ranking.variants[rival].name) { (rival + 1) }
                    }
                } }
                tbody { @for (place, variant) in (from..to).zip(variants) { tr {
                    td.number { (place + 1) }
                    th scope="row" { (if variant.name.is_empty() { "all" } else { &variant.name }) }
                    td.plot aria-hidden="true" { (dot(&variant.mean, &axis)) }
                    td.number { (rounded(variant.mean.value)) }
                    td.number { @if let Some((low, high)) = variant.mean.interval {
                        (rounded(low)) " to " (rounded(high))
                    } }
                    @if is_partial { td.number { (variant.measured) } }
                    @for rival in rivals.clone() { (win_cell(ranking, place, rival)) }
                } } }
            }
        }
    }
}

fn heading(ranking: &Ranking) -> String {
    let names: Vec<String> = ranking.columns.iter().map(|column| column.name_in_words()).collect();
    if names.is_empty() { "variant".to_owned() } else { names.join(", ") }
}

fn dot(mean: &Estimate, axis: &Scale) -> Markup {
    let place = |value: f64| axis.position(value).clamp(0.0, 1.0);
    html! {
        @for (place, _) in ticks(axis) { i.tick style={ "left:" (percent(place)) } {} }
        @if let Some((low, high)) = mean.interval {
            @let (low, high) = (place(low), place(high));
            i.whisker style={ "left:" (percent(low)) ";width:" (percent(high - low)) } {}
        }
        i.dot style={ "left:" (percent(place(mean.value))) } {}
    }
}

/// Shows the percentage of instances on which one variant is better than another.
fn win_cell(ranking: &Ranking, one: usize, other: usize) -> Markup {
    let duel = ranking.compare_pair(one, other);
    let count = duel.instances();
    if one == other || count == 0 {
        return html! { td.duel {} };
    }
    let share = |wins: usize| wins as f64 / count as f64;
    let (wins, losses) = (share(duel.wins), share(duel.losses));
    let class = if wins > losses { "wins" } else { "loses" };
    // The colour is transparent if both win equally often, and full if one always wins.
    let strength = percent((wins - losses).abs());
    let title = format!(
        "{} is better than {} on {} of {}, equal on {}",
        ranking.variants[one].name,
        ranking.variants[other].name,
        duel.wins,
        counted(count, "instance"),
        duel.ties,
    );
    html! { td.duel.(class) style={ "--strength:" (strength) } title=(title) { (format!("{:.0}", 100.0 * wins)) } }
}

/// Lists the best variants on each set of instances with the same labels.
fn scopes(ranking: &Ranking) -> Markup {
    if ranking.scopes.is_empty() || ranking.variants.len() < 2 {
        return html! {};
    }
    let named = |place: usize| &ranking.variants[place].name;
    html! {
        details open[ranking.scopes.len() <= MAX_VARIANTS] {
            summary { "Best on each of " (ranking.scopes.len()) " sets of instances" }
            div.scroll tabindex="0" role="region" aria-label="Best variants by labels" {
                table {
                    thead { tr {
                        th scope="col" { "instances" }
                        th.number scope="col" { "n" }
                        th scope="col" { "best" }
                        th.number scope="col" { (mean(&ranking.metric.heading())) }
                        th scope="col" { "second" }
                        th.number scope="col" { (mean(&ranking.metric.heading())) }
                    } }
                    tbody { @for scope in ranking.scopes.iter().take(MAX_SCOPES) { tr {
                        th scope="row" { (scope.name) }
                        td.number { (scope.instances) }
                        @for place in 0..2 { @match scope.order.get(place) {
                            Some((variant, mean)) => {
                                td { (named(*variant)) }
                                td.number { (rounded(*mean)) }
                            }
                            None => { td {} td {} }
                        } }
                    } } }
                }
            }
            @if ranking.scopes.len() > MAX_SCOPES { p.note { "The first " (MAX_SCOPES) "." } }
        }
    }
}

fn percent(part: f64) -> String {
    format!("{:.2}%", 100.0 * part)
}

/// Width of a digit as a fraction of the smallest width of an axis, which page.css sets.
const DIGIT_WIDTH: f64 = 0.04;

/// Ratio of the largest to the smallest value above which an axis is logarithmic.
const LOGARITHMIC_RATIO: f64 = 20.0;

/// Chooses an axis that covers all values and their intervals.
fn axis<'a>(estimates: impl Iterator<Item = &'a Estimate>) -> Scale {
    let ends = estimates.flat_map(|one| {
        let (low, high) = one.interval.unwrap_or((one.value, one.value));
        [low.min(one.value), high.max(one.value)]
    });
    let (low, high) = range(ends).unwrap_or((0.0, 1.0));
    if low > 0.0 && high / low > LOGARITHMIC_RATIO {
        Scale::logarithmic(low, high)
    } else {
        Scale::linear(low, high, 3)
    }
}

/// Returns the labels, with their positions, that neither overlap nor are cut off at the ends of the
/// axis.
fn ticks(axis: &Scale) -> Vec<(f64, &str)> {
    let mut taken = 0.0;
    let has_room = |&(place, label): &(f64, &str)| {
        let half = 0.5 * DIGIT_WIDTH * label.chars().count() as f64;
        let has_room = place - half >= taken && place + half <= 1.0;
        if has_room {
            taken = place + half + DIGIT_WIDTH;
        }
        has_room
    };
    axis.labels().filter(has_room).collect()
}

#[cfg(test)]
mod tests {
    use super::{axis, ticks};
    use dfrsim_lab::Estimate;

    #[test]
    fn ticks_have_room_and_values_are_inside() {
        for (low, high, expected) in [
            (0.0, 1.0, &["0.5"][..]),
            (1.07, 1.32, &["1.1", "1.2", "1.3"]),
            (-30.0, 30.0, &["−20", "0", "20"]),
            (0.5, 900.0, &["1", "10", "100"]),
            (7.0, 7.0, &["7.0"]),
            (0.5, f64::INFINITY, &["100,000", "10¹⁵", "10²⁵"]),
        ] {
            let axis = axis([Estimate { value: low, interval: Some((low, high)) }].iter());
            assert_eq!(ticks(&axis).iter().map(|(_, label)| *label).collect::<Vec<_>>(), expected);
            assert!((0.0..=1.0).contains(&axis.position(low)));
        }
    }
}
