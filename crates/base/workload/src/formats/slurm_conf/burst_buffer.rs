//! Burst buffers of a site: their space from the output of `scontrol show burst`, and `burst_buffer.conf`
//! (<https://slurm.schedmd.com/burst_buffer.html>).

use super::lines::{ConfLine, Location, parse_lines};
use super::names::identifier;
use super::{ConfError, ConfErrors, GroupEntry, LICENCE, Note, unknown};
use std::path::{Path, PathBuf};

/// Name of the resource of the whole cluster.
const NAME: &str = "burst_buffer";

/// Bytes in a megabyte, in which space is counted.
const MEGABYTE: u64 = 1 << 20;

/// Answer of `scontrol show burst` without burst buffers.
const NONE: &str = "No burst buffer information available";

/// Keys of `burst_buffer.conf`, in lower case; some are of versions before 16.05 alone.
const KEYS: [&str; 27] = [
    "allowusers",
    "altpool",
    "createbuffer",
    "defaultpool",
    "denyusers",
    "destroybuffer",
    "directive",
    "flags",
    "getsysstate",
    "getsysstatus",
    "granularity",
    "gres",
    "jobsizelimit",
    "othertimeout",
    "pollinterval",
    "prioboostalloc",
    "prioboostuse",
    "privatedata",
    "stageintimeout",
    "stageouttimeout",
    "startstagein",
    "startstageout",
    "stopstagein",
    "stopstageout",
    "usersizelimit",
    "validatetimeout",
    "poolname",
];

/// Returns the name of the resource of a pool; that of requests without a pool has none.
pub(in super::super) fn burst_buffer_name(pool: Option<&str>) -> String {
    pool.map_or_else(|| NAME.to_owned(), |pool| format!("{NAME}-{}", identifier(pool)))
}

/// Parses an amount of space into bytes, as Slurm does: `200GiB`, `5G` and `1K` are with powers of 1024,
/// `5GB` with those of 1000.
pub(in super::super) fn space(text: &str) -> Option<u64> {
    let at = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let unit = unit.to_ascii_lowercase();
    let mut letters = unit.chars();
    let power = match letters.next() {
        None => 0,
        Some(letter) => 1 + "kmgtp".find(letter)?,
    };
    let base: f64 = match letters.as_str() {
        "" | "ib" => 1024.0,
        "b" => 1000.0,
        _ => return None,
    };
    let bytes = digits.parse::<f64>().ok()? * base.powi(power as i32);
    (0.0..=1e18).contains(&bytes).then(|| bytes.ceil() as u64)
}

/// Burst buffers of a site.
#[derive(Clone, Debug, Default)]
pub(super) struct BurstBuffers {
    pools: Vec<Pool>,
    /// True if the space of pools is known.
    is_listed: bool,
    /// Bytes of the smallest buffer by `burst_buffer.conf`, for pools that are listed without them.
    granularity: u64,
    /// Settings of `burst_buffer.conf` that are not simulated.
    pub(super) ignored: Vec<String>,
}

/// Space of a pool that jobs request, in megabytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BurstBufferSpace {
    /// Name of the resource of the whole cluster.
    pub name: String,
    /// Space of all buffers.
    pub amount: u64,
    /// Number to whose multiples requests are rounded up; at least one.
    pub granularity: u64,
}

/// Space that jobs share.
#[derive(Clone, Debug)]
struct Pool {
    /// Name; `None` if the pool has none.
    name: Option<String>,
    is_default: bool,
    /// Bytes of all buffers and of the smallest one.
    total: u64,
    granularity: u64,
    /// Bytes of persistent buffers.
    persistent: u64,
}

/// Reads outputs of `scontrol show burst`, and files `burst_buffer.conf`.
///
/// # Errors
///
/// A file that cannot be read, or all invalid lines.
pub(super) fn read(files: &[PathBuf]) -> Result<BurstBuffers, ConfErrors> {
    let (mut all, mut errors) = (BurstBuffers::default(), Vec::new());
    for path in files {
        errors.extend(all.add(path).err().into_iter().flatten());
    }
    ConfErrors::or(errors, all)
}

impl BurstBuffers {
    fn add(&mut self, path: &Path) -> Result<(), ConfErrors> {
        let file = path.display().to_string();
        let whole = Location { file: file.as_str().into(), ..Location::default() };
        let text = dfrsim_model::read_text_file(path).map_err(|error| whole.error(error.to_string()))?;
        if text.trim_start().starts_with(NONE) {
            self.is_listed = true;
            return Ok(());
        }
        let lines = parse_lines(&text, &file);
        if lines.first().is_some_and(|line| line.is_of("LicenseName")) {
            let reason = "this is the output of `scontrol show licenses`; give it with `--licenses`";
            return Err(whole.error(reason).into());
        }
        let is_listing = lines.iter().any(|line| line.pairs.iter().any(|(name, _)| name == "TotalSpace"));
        if !is_listing {
            return self.add_conf(&lines, &whole);
        }
        let mut errors = Vec::new();
        self.is_listed = true;
        for line in &lines {
            errors.extend(self.add_line(line).err());
        }
        ConfErrors::or(errors, ())
    }

    /// Adds the settings of a `burst_buffer.conf`.
    fn add_conf(&mut self, lines: &[ConfLine], whole: &Location) -> Result<(), ConfErrors> {
        if lines.is_empty() {
            let expected =
                "expected the output of `scontrol show burst`, or a burst_buffer.conf, found neither";
            return Err(whole.error(expected).into());
        }
        let mut errors = Vec::new();
        for ConfLine { at, pairs, .. } in lines {
            for (name, value) in pairs {
                let key = name.to_ascii_lowercase();
                if !KEYS.contains(&key.as_str()) {
                    let at = at.for_parameter(name.as_str());
                    errors.push(at.error(unknown("parameter", &key, &mut KEYS.into_iter())));
                    continue;
                }
                if key == "granularity" {
                    match space(value) {
                        Some(bytes) => self.granularity = bytes,
                        None => errors.push(
                            at.for_parameter(name).unexpected(value, "an amount of space such as 200GiB"),
                        ),
                    }
                    continue;
                }
                self.ignored.push(format!("burst_buffer.conf {name}"));
            }
        }
        ConfErrors::or(errors, ())
    }

    /// Adds a line of `scontrol show burst`, which may have a plugin with all of its pools.
    fn add_line(&mut self, line: &ConfLine) -> Result<(), ConfError> {
        let mut parts: Vec<&[(String, String)]> = Vec::new();
        let mut rest = &line.pairs[..];
        while !rest.is_empty() {
            let next = rest.iter().skip(1).position(|(name, _)| is_further(name));
            let (part, others) = rest.split_at(next.map_or(rest.len(), |at| at + 1));
            parts.push(part);
            rest = others;
        }
        parts.into_iter().try_for_each(|part| self.add_part(part, &line.at))
    }

    /// Adds a plugin, a further pool, or a buffer.
    fn add_part(&mut self, pairs: &[(String, String)], at: &Location) -> Result<(), ConfError> {
        let get = |key: &str| pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        let bytes = |key: &str| {
            let text = get(key).unwrap_or("0");
            let at = at.for_parameter(key);
            space(text).ok_or_else(|| at.unexpected(text, "an amount of space such as 200GiB"))
        };
        let (first, value) = pairs.first().map_or(("", ""), |(name, value)| (name.as_str(), value.as_str()));
        if get("TotalSpace").is_some() && (first == "Name" || is_further(first)) {
            let default = get("DefaultPool").filter(|name| *name != "(null)");
            let name = if is_further(first) { Some(value) } else { default };
            let (total, granularity) = (bytes("TotalSpace")?, bytes("Granularity")?);
            if total > 0 {
                let (name, is_default) = (name.map(str::to_owned), first == "Name");
                self.pools.push(Pool { name, is_default, total, granularity, persistent: 0 });
            }
        } else if first == "Name" && get("Size").is_some() {
            let (size, pool) = (bytes("Size")?, get("Pool"));
            let own = |it: &&mut Pool| it.name.as_deref() == pool || pool.is_none() && it.is_default;
            if let Some(pool) = self.pools.iter_mut().find(own) {
                pool.persistent = pool.persistent.saturating_add(size);
            }
        }
        Ok(())
    }

    /// Returns whether the space of some pool is known.
    pub(super) fn is_known(&self) -> bool {
        self.is_listed
    }

    /// Returns the resources that jobs request, with their amounts and the smallest buffers in megabytes,
    /// given the entries of jobs for resources of the whole cluster, and statements about them.
    pub(super) fn resources(&self, needed: &[GroupEntry<'_>]) -> (Vec<BurstBufferSpace>, Vec<Note>) {
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        let (mut unknown, mut rounded, mut added) = (0, 0, 0_u64);
        for all in needed.chunk_by(|a, b| a.0 == b.0) {
            let name = &all[0].0[LICENCE.len_utf8()..];
            if !is_name(name) {
                continue;
            }
            let is_it = |pool: &&Pool| {
                name == burst_buffer_name(pool.name.as_deref()) || pool.is_default && name == NAME
            };
            let Some(pool) = self.pools.iter().find(is_it) else {
                unknown += all.len();
                continue;
            };
            let listed = Some(pool.granularity).filter(|bytes| *bytes > 1);
            let granularity = listed.unwrap_or(self.granularity).div_ceil(MEGABYTE).max(1);
            for (.., count) in all.iter().filter(|(.., count)| u64::from(*count) % granularity != 0) {
                rounded += 1;
                added += granularity - u64::from(*count) % granularity;
            }
            if pool.is_default && name != NAME && needed.iter().any(|it| &it.0[LICENCE.len_utf8()..] == NAME)
            {
                notes.push(Note::changed(format!(
                    "jobs that name the pool {} of burst buffers, which share nothing with jobs that take it by default: {}",
                    pool.name.as_deref().unwrap_or_default(),
                    all.len()
                )));
            }
            let left = pool.total.saturating_sub(pool.persistent) / MEGABYTE;
            let persistent = match pool.persistent / MEGABYTE {
                0 => String::new(),
                persistent => format!(", without {persistent} MB of persistent buffers"),
            };
            notes.push(Note::noted(format!(
                "{name}: {left} MB of burst buffers{persistent}; jobs with requests: {}",
                all.len()
            )));
            found.push(BurstBufferSpace { name: name.to_owned(), amount: left, granularity });
        }
        if !found.is_empty() {
            notes.push(Note::changed(
                "jobs hold burst buffers while they run, and in Slurm also while files are staged in and out",
            ));
        }
        if rounded > 0 {
            notes.push(Note::noted(format!(
                "jobs whose burst buffers are rounded up to multiples of Granularity, as by Slurm: {rounded}, by {added} MB in all"
            )));
        }
        if unknown > 0 {
            let reason = match self.is_listed {
                true => "from a pool that `scontrol show burst` does not list",
                false => "whose space is unknown without `scontrol show burst` (--burst-buffer)",
            };
            notes.push(Note::changed(format!(
                "jobs with burst buffers {reason}, simulated without them: {unknown}"
            )));
        }
        (found, notes)
    }
}

/// Returns whether a key begins a pool other than the default one.
fn is_further(key: &str) -> bool {
    key.starts_with("PoolName[") || key.starts_with("AltPoolName[")
}

/// Returns whether a resource of the whole cluster is a burst buffer.
pub(super) fn is_name(name: &str) -> bool {
    name.strip_prefix(NAME).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn of(texts: &[&str]) -> Result<BurstBuffers, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = |(at, text): (usize, &&str)| {
            let path = folder.path().join(format!("{at}.txt"));
            fs::write(&path, text).unwrap();
            path
        };
        let files: Vec<PathBuf> = texts.iter().enumerate().map(path).collect();
        let name = folder.path().display().to_string();
        read(&files).map_err(|error| error.to_string().replace(&format!("{name}/"), ""))
    }

    /// The forms that the guide of Slurm shows, and one with a persistent buffer.
    const DATAWARP: &str = "\
Name=datawarp DefaultPool=wlm_pool Granularity=200GiB TotalSpace=5800GiB FreeSpace=4600GiB UsedSpace=1600GiB
  AltPoolName[0]=test_pool Granularity=16MiB TotalSpace=1TB FreeSpace=1TB UsedSpace=0
  Flags=EnablePersistent
  StageInTimeout=86400 StageOutTimeout=86400 ValidateTimeout=5 OtherTimeout=300
  GetSysState=/opt/dw_wlm_cli
  Allocated Buffers:
    JobID=169508 CreateTime=2021-08-11T10:18:46 Pool=wlm_pool Size=400GiB State=staged-in UserID=ben(1017)
    Name=alpha CreateTime=2021-08-11T10:18:46 Pool=wlm_pool Size=800GiB State=allocated UserID=ben(1017)
  Per User Buffer Use:
    UserID=ben(1017) Used=1200GiB
";
    const LUA: &str = "\
Name=lua DefaultPool=(null) Granularity=1 TotalSpace=0 FreeSpace=0 UsedSpace=0
  PoolName[0]=pool1 Granularity=1KiB TotalSpace=10000KiB FreeSpace=9750KiB UsedSpace=250KiB
  PoolName[1]=pool4 Granularity=1 TotalSpace=5GB FreeSpace=4GB UsedSpace=1GB
  Flags=DisablePersistent
";

    fn resources(all: &BurstBuffers, needed: &[GroupEntry<'_>]) -> (Vec<String>, Vec<String>) {
        let (found, notes) = all.resources(needed);
        let found = found.iter().map(|it| format!("{}={}/{}", it.name, it.amount, it.granularity)).collect();
        (found, notes.iter().map(Note::to_string).collect())
    }

    #[test]
    fn pools_have_the_space_that_is_not_persistent() {
        let all = of(&[DATAWARP]).unwrap();
        // `scontrol --oneliner` prints all pools on a line.
        let one = of(&[&DATAWARP.replace("\n  AltPool", " AltPool")]).unwrap();
        assert_eq!(
            resources(&all, &[("~burst_buffer-test_pool", 1, 16)]),
            resources(&one, &[("~burst_buffer-test_pool", 1, 16)])
        );
        let (found, notes) = resources(
            &all,
            &[
                ("~burst_buffer", 1, 204_800),
                ("~burst_buffer", 2, 1_000),
                ("~burst_buffer-test_pool", 3, 16),
                ("~matlab", 4, 1),
            ],
        );
        assert_eq!(found, ["burst_buffer=5120000/204800", "burst_buffer-test_pool=953674/16"]);
        assert_eq!(
            notes[0],
            "burst_buffer: 5120000 MB of burst buffers, without 819200 MB of persistent buffers; jobs with requests: 2"
        );
        assert!(
            notes.contains(
                &"jobs whose burst buffers are rounded up to multiples of Granularity, as by Slurm: 1, by 203800 MB in all"
                    .to_owned()
            ),
            "{notes:?}"
        );
        let (found, notes) = resources(&all, &[("~burst_buffer", 1, 1), ("~burst_buffer-wlm_pool", 2, 1)]);
        assert_eq!(found, ["burst_buffer=5120000/204800", "burst_buffer-wlm_pool=5120000/204800"]);
        assert!(notes.iter().any(|note| note.starts_with("jobs that name the pool wlm_pool")), "{notes:?}");
    }

    #[test]
    fn what_is_not_known_is_told() {
        let (found, notes) =
            resources(&of(&[LUA]).unwrap(), &[("~burst_buffer", 1, 5), ("~burst_buffer-pool4", 2, 1)]);
        assert_eq!(found, ["burst_buffer-pool4=4768/1"]);
        // A pool that is listed without granularity has that of burst_buffer.conf.
        let (rounded, of_rounded) = resources(
            &of(&[LUA, "Granularity=1GiB\n"]).unwrap(),
            &[("~burst_buffer-pool4", 2, 1), ("~burst_buffer-pool4", 3, 2048)],
        );
        assert_eq!(rounded, ["burst_buffer-pool4=4768/1024"]);
        assert!(
            of_rounded.iter().any(|note| note.ends_with("as by Slurm: 1, by 1023 MB in all")),
            "{of_rounded:?}"
        );
        let wrong = of(&["Granularity=much\n"]).unwrap_err();
        assert!(wrong.contains("line 1: Granularity: expected an amount of space such as 200GiB"), "{wrong}");
        assert!(notes.contains(&"jobs with burst buffers from a pool that `scontrol show burst` does not list, simulated without them: 1".to_owned()), "{notes:?}");
        let conf = of(&[
            "Directive=BB_EXAMPLE\nAllowUsers=ben,ann # two\nStageInTimeout=30\nFlags=EnablePersistent\n",
        ])
        .unwrap();
        assert_eq!(conf.ignored.len(), 4);
        let (found, notes) = resources(&conf, &[("~burst_buffer", 1, 5)]);
        assert!(
            found.is_empty() && notes[0].contains("whose space is unknown without `scontrol show burst`"),
            "{notes:?}"
        );
        assert!(resources(&conf, &[("~matlab", 1, 5)]).1.is_empty());
        for (text, found) in [
            (
                "",
                "0.txt: expected the output of `scontrol show burst`, or a burst_buffer.conf, found neither",
            ),
            (
                "Directiv=x\n",
                "0.txt: line 1: Directiv: unknown parameter `directiv`; did you mean `directive`?",
            ),
            ("Flags=x Othertimout=1\n", "line 1: Othertimout: unknown parameter `othertimout`; did you mean"),
            (
                "LicenseName=cae@db\n    Total=9 Used=2 Free=7 Reserved=0 Remote=yes\n",
                "0.txt: this is the output of `scontrol show licenses`",
            ),
            (
                "Name=x DefaultPool=p Granularity=1 TotalSpace=much\n",
                "line 1: TotalSpace: expected an amount of space such as 200GiB, found `much`",
            ),
        ] {
            let error = of(&[text]).unwrap_err();
            assert!(error.contains(found), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }

    /// Versions of the first Cray systems have no free space, other limits, and lines that begin with tabs.
    #[test]
    fn listings_of_old_versions_are_read() {
        let no_space = "\tName=cray DefaultPool=wlm_pool Granularity=100000M TotalSpace=2000000M UsedSpace=0\n  \tFlags=PrivateData\n";
        let early = "Name=cray Granularity=10G TotalSpace=40G UsedSpace=0\n  JobSizeLimit=20G UserSizeLimit=20G\n  Gres[0] Name=nodes AvailCount=8 UsedCount=0\n  PrioBoostAlloc=0 PrioBoostUse=0\n";
        for (text, expected) in
            [(no_space, "burst_buffer=2000000/100000"), (early, "burst_buffer=40960/10240")]
        {
            let (found, _) = resources(&of(&[text]).unwrap(), &[("~burst_buffer", 1, 1)]);
            assert_eq!(found, [expected], "{text}");
        }
        let conf = of(&["Gres=nodes:8\nJobSizeLimit=20G\nUserSizeLimit=20G\nPrioBoostAlloc=1\n"]).unwrap();
        assert_eq!(conf.ignored.len(), 4);
        let none = of(&["No burst buffer information available\n"]).unwrap();
        let (found, notes) = resources(&none, &[("~burst_buffer", 1, 1)]);
        assert!(found.is_empty() && notes[0].contains("does not list"), "{notes:?}");
    }

    #[test]
    fn space_has_the_units_of_slurm() {
        for (text, bytes) in [
            ("200GiB", Some(200 << 30)),
            ("5GB", Some(5_000_000_000)),
            ("1k", Some(1_024)),
            ("1.5TiB", Some(3 << 39)),
            ("10", Some(10)),
            ("0", Some(0)),
            ("", None),
            ("5X", None),
            ("5GiX", None),
            ("-5G", None),
        ] {
            assert_eq!(space(text), bytes, "{text}");
        }
    }
}
