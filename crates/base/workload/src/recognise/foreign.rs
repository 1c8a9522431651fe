//! Files that no reader of logs takes.

/// A kind of file that is no log, with the way to use it.
#[derive(Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Description with its article.
    pub what: &'static str,
    /// The command or program that takes such a file.
    pub advice: &'static str,
}

macro_rules! foreign {
    ($($name:ident: $what:literal, $advice:literal;)+) => {
        $(pub(super) static $name: Foreign = Foreign { what: $what, advice: $advice };)+
    };
}

foreign! {
    EMPTY: "an empty file", "write the log into it, or give another file";
    BINARY: "a binary file of an unknown kind", "write the jobs as text, for example as comma-separated values";
    UTF_16: "a text in UTF-16", "convert it with `iconv -f UTF-16 -t UTF-8`";
    ZIP: "a zip archive", "unpack it with `unzip`, and give the log that is in it";
    BZIP2: "a file compressed with bzip2", "unpack it with `bunzip2`, or compress it with gzip instead";
    XZ: "a file compressed with xz", "unpack it with `unxz`, or compress it with gzip instead";
    ZSTD: "a file compressed with zstd", "unpack it with `unzstd`, or compress it with gzip instead";
    LZ4: "a file compressed with lz4", "unpack it with `unlz4`, or compress it with gzip instead";
    COMPRESS: "a file compressed with `compress`", "unpack it with `uncompress`, or compress it with gzip instead";
    SEVEN_ZIP: "a 7z archive", "unpack it with `7z x`, and give the log that is in it";
    RAR: "a rar archive", "unpack it with `unrar x`, and give the log that is in it";
    GZIP: "a gzip file inside another one", "unpack it once with `gunzip`";
    TAR: "a tar archive", "unpack it with `tar -xf`, and give the log that is in it";
    HDF5: "an HDF5 file", "write its table of jobs as comma-separated values, and give `--columns MAP`";
    PARQUET: "a Parquet table", "write it as comma-separated values, for example with `pandas.read_parquet(FILE).to_csv('jobs.csv')`, and give `--columns MAP`";
    ORC: "an ORC table", "write it as comma-separated values, and give `--columns MAP`";
    AVRO: "an Avro file", "write it as comma-separated values, and give `--columns MAP`";
    ARROW: "an Arrow (Feather) file", "write it as comma-separated values, and give `--columns MAP`";
    NUMPY: "a NumPy array", "write it as comma-separated values, and give `--columns MAP`";
    PICKLE: "a Python pickle", "write its table of jobs as comma-separated values, and give `--columns MAP`";
    SQLITE: "an SQLite database", "write its table of jobs with `sqlite3 -csv -header FILE 'select * from TABLE'`, and give `--columns MAP`";
    SPREADSHEET: "a spreadsheet", "save it as comma-separated values, and give `--columns MAP`";
    PDF: "a PDF document", "give the log itself";
    PICTURE: "a picture", "give the log itself";
    PROGRAM: "a program", "give the log itself";
    HTML: "an HTML page", "the download was probably answered by a login or error page: download the log itself";
    SIMGRID: "a SimGrid platform", "give it with `--platform`";
    LIBVIRT: "a libvirt description", "give it to `dfrsim solve`";
    XML: "an XML file", "give a log of jobs";
    NOTEBOOK: "a Jupyter notebook", "give the log that it reads";
    SCRIPT: "a script", "give the log itself";
    SLURM_CONF: "a slurm.conf", "give it with `--slurm-conf`, together with a listing of sacct: `dfrsim site --slurm-conf FILE --sacct LISTING`";
    SACCTMGR_DUMP: "a file of `sacctmgr dump`", "give the output of `sacctmgr --parsable2 show assoc` with `--sacctmgr`";
    SACCTMGR_ASSOC: "associations of sacctmgr", "give them with `--sacctmgr`, together with a listing of sacct";
    SACCTMGR_QOS: "qualities of service of sacctmgr", "give them with `--qos`, together with a listing of sacct";
    BURST_BUFFER: "an output of `scontrol show burst`, or a burst_buffer.conf", "give it with `--burst-buffer`, together with a listing of sacct";
    LICENCES: "an output of `scontrol show licenses`", "give it with `--licenses`, together with a listing of sacct";
    SACCTMGR_OTHER: "an output of sacctmgr, sshare or sreport", "give the output of `sacct --parsable2` as the log";
    SINFO: "an output of sinfo or of `scontrol show node`", "give slurm.conf with `--slurm-conf`";
    SCONTROL_JOBS: "an output of `scontrol show job`", "Slurm drops ended jobs from it after minutes: give the output of `sacct --parsable2`";
    SQUEUE: "an output of squeue", "it has only jobs that have not ended: give the output of `sacct --parsable2`";
    QSTAT: "an output of qstat", "it has only jobs that have not ended: give the accounting files of the server";
    BJOBS: "an output of bjobs or bhist", "it has no year of the times, or no times: give the file lsb.acct with `--columns lsb-acct`";
    ACCASIM: "a dispatching plan of AccaSim", "give `--columns accasim`";
    LSB_ACCT: "LSF accounting (lsb.acct)", "give `--columns lsb-acct`";
    SGE: "accounting of Grid Engine", "give `--columns sge`";
    JOBCOMP: "a file of Slurm's jobcomp/filetxt", "give `--columns jobcomp`";
    PHILLY: "the Philly trace (a list of jobs with attempts)", "give `--columns philly`";
    ELASTISIM: "a workload of ElastiSim", "its jobs have phases and no run time, so it cannot be read";
    WFCOMMONS: "a workflow of WfCommons", "workflows are not logs of jobs";
    BORG: "a Google cluster trace", "its tables have one line for each event: join them into one line for each job, and give `--columns MAP`";
    SCENARIO: "a scenario", "run it with `dfrsim run`";
    PLATFORM: "a platform", "give it with `--platform`";
    MAP: "a map of columns", "give it with `--columns`, together with the table";
    TOML: "a TOML file", "give a log of jobs";
    EVENTS: "an events file of dfrsim", "check it with `dfrsim audit`, draw it with `dfrsim draw`";
    JOBS_OUT: "a table of simulated jobs, written by dfrsim or Batsim", "give the log that was simulated";
    ROWS: "a table of results of dfrsim", "see `dfrsim results`";
    INTENSITY: "a series of carbon intensities or prices", "give it with `--intensity`, together with a log and a platform with power";
    STATE: "a state of a cluster", "give it to `dfrsim solve`";
    JSON: "a JSON document without a list of jobs", "give a log of jobs";
}

/// Returns whether a map may describe such a file as a table of jobs.
pub(super) fn may_be_table(foreign: &'static Foreign) -> bool {
    [
        &ACCASIM,
        &LSB_ACCT,
        &SGE,
        &JOBCOMP,
        &PHILLY,
        &ELASTISIM,
        &BORG,
        &JSON,
        &SCONTROL_JOBS,
        &SQUEUE,
        &ROWS,
        &JOBS_OUT,
        &INTENSITY,
    ]
    .contains(&foreign)
}

/// Returns whether some command of this program takes such a file.
pub(super) fn is_input(foreign: &'static Foreign) -> bool {
    [
        &SLURM_CONF,
        &SACCTMGR_DUMP,
        &SACCTMGR_ASSOC,
        &SACCTMGR_QOS,
        &BURST_BUFFER,
        &LICENCES,
        &SIMGRID,
        &SCENARIO,
        &PLATFORM,
        &MAP,
        &EVENTS,
        &ROWS,
        &INTENSITY,
        &STATE,
    ]
    .contains(&foreign)
}
