//! The answer, with which the page opens: the variants by their primary metric, and which one beats which.

use crate::names::{counted, words};
use dfrsim_lab::{Better, Estimate, Ranking, decimals};
use maud::{Markup, html};

/// The most variants that are compared with each other; the others are folded up below.
const SHOWN: usize = 15;

/// The most sets of instances whose best variants are listed.
const MAX_SCOPES: usize = 200;

/// One section for all types of rows with a primary metric.
pub(crate) fn section(rankings: &[Ranking]) -> Markup {
    html! {
        @if !rankings.is_empty() {
            section.answer id="answer" aria-label="Answer" {
                @for ranking in rankings { (answer(ranking)) }
            }
        }
    }
}

fn answer(ranking: &Ranking) -> Markup {
    let shown = ranking.variants.len().min(SHOWN);
    html! {
        @if !ranking.row_type.name.is_empty() { h2 { (words(ranking.row_type.name)) } }
        p.sentence { (sentence(ranking)) }
        (table(ranking, 0, shown, true))
        p.note { (note(ranking)) }
        @if shown < ranking.variants.len() {
            details {
                summary { "The other " (ranking.variants.len() - shown) " variants" }
                (table(ranking, shown, ranking.variants.len(), false))
            }
        }
        (scopes(ranking))
    }
}

/// Which variant is best, by how much, and whether that may be chance.
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
    let duel = ranking.duel(0, 1);
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

/// `mean degradation`; a mean yield stays one.
fn mean(metric: &str) -> String {
    if metric.starts_with("mean ") { metric.to_owned() } else { format!("mean {metric}") }
}

/// `1.93 (95 % interval 1.7 to 2.2)`
fn estimate(estimate: &Estimate) -> String {
    let value = number(estimate.value);
    match estimate.interval {
        None => value,
        Some((low, high)) => format!("{value} (95 % interval {} to {})", number(low), number(high)),
    }
}

/// How the table is to be read.
fn note(ranking: &Ranking) -> Markup {
    let better = if ranking.metric.better() == Some(Better::More) { "larger" } else { "smaller" };
    let partial = ranking.variants.iter().filter(|one| one.measured < ranking.variants[0].measured).count();
    html! {
        (mean(&ranking.metric.words())) ", " (better) " is better, with 95 % confidence intervals over instances."
        @if ranking.variants.len() > 1 {
            " On the right: on which share of the instances the variant of the row is better than that of the column."
        }
        @if partial > 0 {
            " Variants without a value on some instances (" (partial) ") come last: means over other instances do not compare."
        }
    }
}

/// Variants from one place to another, with intervals on a common axis.
fn table(ranking: &Ranking, from: usize, to: usize, has_duels: bool) -> Markup {
    let variants = &ranking.variants[from..to];
    let axis = Axis::new(variants.iter().map(|one| &one.mean));
    let rivals = if has_duels && to > 1 { from..to } else { from..from };
    let is_partial = variants.iter().any(|one| one.measured < ranking.instances);
    html! {
        div.scroll.ranking tabindex="0" role="region" aria-label={ "Variants by " (ranking.metric.words()) } {
            table {
                thead { tr {
                    th scope="col" { span.unseen { "Place" } }
                    th scope="col" { (heading(ranking)) }
                    th.axis scope="col" aria-hidden="true" {
                        @for (place, text) in axis.ticks() { span style={ "left:" (percent(place)) } { (text) } }
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
                    td.number { (number(variant.mean.value)) }
                    td.number { @if let Some((low, high)) = variant.mean.interval {
                        (number(low)) " to " (number(high))
                    } }
                    @if is_partial { td.number { (variant.measured) } }
                    @for rival in rivals.clone() { (duel(ranking, place, rival)) }
                } } }
            }
        }
    }
}

fn heading(ranking: &Ranking) -> String {
    let names: Vec<String> = ranking.columns.iter().map(|column| column.words()).collect();
    if names.is_empty() { "variant".to_owned() } else { names.join(", ") }
}

fn dot(mean: &Estimate, axis: &Axis) -> Markup {
    let at = axis.place(mean.value);
    html! {
        @for (place, _) in axis.ticks() { i.tick style={ "left:" (percent(place)) } {} }
        @if let Some((low, high)) = mean.interval {
            @let (low, high) = (axis.place(low), axis.place(high));
            i.whisker style={ "left:" (percent(low)) ";width:" (percent(high - low)) } {}
        }
        i.dot style={ "left:" (percent(at)) } {}
    }
}

/// On which share of the instances one variant is better than another.
fn duel(ranking: &Ranking, one: usize, other: usize) -> Markup {
    let duel = ranking.duel(one, other);
    let count = duel.instances();
    if one == other || count == 0 {
        return html! { td.duel {} };
    }
    let share = |wins: usize| wins as f64 / count as f64;
    let (wins, losses) = (share(duel.wins), share(duel.losses));
    let class = if wins > losses { "wins" } else { "loses" };
    // From no colour where both are as often better to the full one.
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

/// The best variants on each set of instances with the same labels.
fn scopes(ranking: &Ranking) -> Markup {
    if ranking.scopes.is_empty() || ranking.variants.len() < 2 {
        return html! {};
    }
    let named = |place: usize| &ranking.variants[place].name;
    html! {
        details open[ranking.scopes.len() <= SHOWN] {
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
                                td.number { (number(*mean)) }
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

fn number(value: f64) -> String {
    format!("{value:.*}", decimals(value.abs()))
}

fn percent(part: f64) -> String {
    format!("{:.2}%", 100.0 * part)
}

/// The width of a digit as a part of the least width of an axis, which page.css has.
const LETTER: f64 = 0.04;

/// Without the long decimals that sums of steps have.
fn label(value: f64) -> String {
    let short = value as f32;
    match short.abs() {
        size if size < 1e6 => short.to_string(),
        size if size.is_finite() => format!("{short:e}"),
        _ => format!("{value:.0e}"),
    }
}

/// From values to places between 0 and 1; by logarithms where values differ much.
struct Axis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
}

/// From this ratio of the largest to the least value on, an axis is logarithmic.
const LOGARITHMIC: f64 = 20.0;

/// No value is farther out on an axis: with room beside it there is still a number.
const MOST: f64 = 1e300;

impl Axis {
    fn new<'a>(estimates: impl Iterator<Item = &'a Estimate>) -> Axis {
        let ends = estimates.flat_map(|one| {
            let (low, high) = one.interval.unwrap_or((one.value, one.value));
            [low.min(one.value), high.max(one.value)]
        });
        let ends = ends.map(|end| end.clamp(-MOST, MOST));
        let (low, high) =
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
        let is_logarithmic = low > 0.0 && high / low > LOGARITHMIC;
        let mut axis = Axis { low, high, is_logarithmic };
        // Some room at both ends, so that no dot is cut.
        let (low, high) = (axis.scaled(low), axis.scaled(high));
        let room = if high > low { 0.04 * (high - low) } else { 0.5 * low.abs().max(1.0) };
        (axis.low, axis.high) = (axis.unscaled(low - room), axis.unscaled(high + room));
        axis
    }
    fn scaled(&self, value: f64) -> f64 {
        if self.is_logarithmic { value.ln() } else { value }
    }
    fn unscaled(&self, value: f64) -> f64 {
        if self.is_logarithmic { value.exp().clamp(f64::MIN_POSITIVE, f64::MAX) } else { value }
    }
    fn place(&self, value: f64) -> f64 {
        let [low, high, value] = [self.low, self.high, value].map(|one| self.scaled(one));
        (value - low) / (high - low)
    }
    /// Round values with their places: at most six, with room for their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        let values = if self.is_logarithmic { self.powers() } else { self.multiples() };
        let ticks = values.into_iter().map(|value| (self.place(value), label(value)));
        // Labels at the very ends would be cut.
        ticks.filter(|(place, _)| (0.03..=0.97).contains(place)).collect()
    }
    fn multiples(&self) -> Vec<f64> {
        let least = (self.high - self.low) / 5.0;
        let power = 10_f64.powf(least.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = step.into_iter().find(|step| *step >= least).unwrap_or(10.0 * power);
        let multiples = |step: f64| -> Vec<f64> {
            let first = (self.low / step).ceil() as i64;
            let last = (self.high / step).floor() as i64;
            (first..=last).map(|number| number as f64 * step).collect()
        };
        let values = multiples(step);
        if self.has_room(&values) { values } else { multiples(2.0 * step) }
    }
    /// Whether labels do not touch each other.
    fn has_room(&self, values: &[f64]) -> bool {
        let half = |value: f64| 0.5 * LETTER * label(value).len() as f64;
        values
            .windows(2)
            .all(|pair| self.place(pair[1]) - self.place(pair[0]) > half(pair[0]) + half(pair[1]) + LETTER)
    }
    fn powers(&self) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().floor() as i32);
        let is_inside = |value: &f64| self.low <= *value && *value <= self.high;
        for factors in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]] {
            let all = (first..=last)
                .flat_map(|exponent| factors.iter().map(move |factor| factor * 10_f64.powi(exponent)));
            let values: Vec<f64> = all.filter(is_inside).collect();
            if values.len() <= 5 && self.has_room(&values) {
                return values;
            }
        }
        let step = (last - first) as usize / 5 + 1;
        (first..=last).step_by(step).map(|exponent| 10_f64.powi(exponent)).filter(is_inside).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Axis;
    use dfrsim_lab::Estimate;

    fn axis(low: f64, high: f64) -> Axis {
        let estimate = Estimate { value: low.midpoint(high), interval: Some((low, high)) };
        Axis::new([&estimate].into_iter())
    }
    fn ticks(low: f64, high: f64) -> Vec<String> {
        let axis = axis(low, high);
        for (place, text) in axis.ticks() {
            assert!((0.0..=1.0).contains(&place), "{text} is at {place}");
        }
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0.0, 1.0), ["0", "0.5", "1"]);
        assert_eq!(ticks(1.07, 1.32), ["1.1", "1.2", "1.3"]);
        assert_eq!(ticks(-30.0, 30.0), ["-20", "0", "20"]);
        assert_eq!(ticks(1.0, 30.0), ["1", "2", "5", "10", "20"]);
        assert_eq!(ticks(0.5, 900.0), ["1", "10", "100"]);
        // There would be no room for 1000 beside 3000.
        assert_eq!(ticks(40.0, 9000.0), ["100", "1000"]);
        assert_eq!(ticks(70.0, 20_000.0), ["100", "1000", "10000"]);
        assert_eq!(ticks(3.0, 5e13), ["1000", "1e7", "1e11"]);
        assert_eq!(ticks(0.5, f64::INFINITY), ["1e52", "1e117", "1e182", "1e247"]);
    }

    #[test]
    fn one_value_is_in_the_middle_and_ends_are_inside() {
        assert!((axis(7.0, 7.0).place(7.0) - 0.5).abs() < 1e-12);
        assert!(axis(0.0, 0.0).place(0.0) == 0.5);
        for (low, high) in [(1.0, 2.0), (1.0, 1e6)] {
            let axis = axis(low, high);
            assert!(0.0 < axis.place(low) && axis.place(low) < axis.place(high) && axis.place(high) < 1.0);
        }
    }
}
