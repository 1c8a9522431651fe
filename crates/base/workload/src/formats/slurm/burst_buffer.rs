//! Burst-buffer space that jobs request.

use super::columns::{Column, ListingRow};
use super::submission::{SubmitLine, SubmitOption};
use crate::formats::slurm_conf::{LICENCE, burst_buffer_name, space};

/// Bytes in a megabyte, in which requests are counted.
const MEGABYTE: u64 = 1 << 20;

/// Returns the burst-buffer space of a job in megabytes, rounded up, by the name of the resource: that of
/// `AllocTRES` or `ReqTRES` (`bb/datawarp=200G`), else of `--bb`. A pool is named by `--bb` alone.
pub(super) fn burst_buffers(
    row: &ListingRow<'_>,
    submission: &SubmitLine<'_>,
    nodes: u32,
) -> Vec<(String, u32)> {
    let request = submission.value(SubmitOption::BURST_BUFFER).and_then(|text| request(text, nodes));
    let pool = request.as_ref().and_then(|(pool, _)| pool.clone());
    let of_tres = [Column::AllocTres, Column::ReqTres].map(|column| tres(row.get(column)));
    let amount =
        of_tres.into_iter().find(|it| *it > 0).or(request.map(|(_, bytes)| bytes.div_ceil(MEGABYTE)));
    let amount = amount.and_then(|amount| u32::try_from(amount).ok()).filter(|amount| *amount > 0);
    amount
        .map(|amount| (format!("{LICENCE}{}", burst_buffer_name(pool.as_deref())), amount))
        .into_iter()
        .collect()
}

/// Returns whether the space that `--bb` requests is known.
pub(super) fn is_known(text: &str) -> bool {
    request(text, 1).is_some()
}

/// Sums the burst buffers of a TRES list in megabytes, rounded up.
fn tres(list: &str) -> u64 {
    let amounts = list.split(',').filter_map(|part| {
        let (_, amount) = part.strip_prefix("bb/")?.split_once('=')?;
        // Amounts are in megabytes, with suffixes for powers of 1024.
        let is_plain = amount.bytes().all(|byte| byte.is_ascii_digit());
        let text = if is_plain { format!("{amount}M") } else { amount.to_owned() };
        Some(space(&text)?.div_ceil(MEGABYTE))
    });
    amounts.fold(0, u64::saturating_add)
}

/// Parses the value of `--bb` into the pool, if it names one, and the space in bytes; `None` if it names
/// no space: `capacity=1G access=striped type=scratch`, `#DW jobdw capacity=1GB pool=wlm_pool`,
/// `swap=4GB`, which is for each node.
fn request(text: &str, nodes: u32) -> Option<(Option<String>, u64)> {
    let (mut pool, mut bytes) = (None, 0_u64);
    for (key, value) in text.split([' ', ';']).filter_map(|word| word.split_once('=')) {
        match key.to_ascii_lowercase().as_str() {
            "pool" => pool = Some(value.to_owned()),
            "capacity" => bytes = bytes.saturating_add(space(value)?),
            "swap" => bytes = bytes.saturating_add(space(value)?.saturating_mul(nodes.into())),
            _ => {}
        }
    }
    (bytes > 0).then_some((pool, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::slurm::columns::Columns;

    #[test]
    fn space_is_that_of_the_accounting_or_of_the_submission() {
        let columns = Columns::parse("JobID|State|Submit|Start|End|ReqTRES|AllocTRES|SubmitLine").unwrap();
        for (req, alloc, line, expected) in [
            ("bb/datawarp=2800G,billing=1,cpu=1", "billing=1,cpu=1", "", "~burst_buffer 2867200"),
            ("bb/datawarp=20624M,cpu=1", "bb/datawarp=41248M,cpu=1", "", "~burst_buffer 41248"),
            ("bb/cray=100,cpu=1", "", "", "~burst_buffer 100"),
            (
                "cpu=1,node=1",
                "",
                "sbatch --bb=capacity=100G access=striped type=scratch -N2 a.sh",
                "~burst_buffer 102400",
            ),
            ("", "", "srun --bb #BB_LUA pool=pool1 capacity=1K a.out", "~burst_buffer-pool1 1"),
            ("bb/lua=3G", "", "srun --bb=pool=fast capacity=1G a.out", "~burst_buffer-fast 3072"),
            (
                "",
                "",
                "sbatch --bb=#DW jobdw capacity=1GB access_mode=striped;#DW swap=4GiB -n1 x",
                "~burst_buffer 13242",
            ),
            ("", "", "sbatch --bbf=bb.txt a.sh", ""),
            ("", "", "sbatch --bb=type=cache a.sh", ""),
            ("bb/datawarp=0,cpu=1", "", "", ""),
        ] {
            let line = format!("7|COMPLETED|1|1|2|{req}|{alloc}|{line}");
            let row = columns.row(&line).unwrap();
            let submission = SubmitLine::of_line(row.get(Column::SubmitLine));
            let found = burst_buffers(&row, &submission, 3);
            let found: Vec<String> = found.iter().map(|(name, count)| format!("{name} {count}")).collect();
            assert_eq!(found.join(" "), expected, "{line}");
        }
    }
}
