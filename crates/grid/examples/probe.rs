use dfrsim_cluster::EstimateModel;
use dfrsim_grid::month::*;
use dfrsim_grid::*;
use dfrsim_model::*;
use dfrsim_workload::{cut::Selection, prepare, traces};
use std::num::NonZeroU32;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let local = match a[1].as_str() {
        "FCFS" => LocalPolicy::Fcfs,
        "CBF" => LocalPolicy::Cbf,
        _ => LocalPolicy::Easy,
    };
    let het = a[2] == "het";
    let which = a[3].as_str();
    let months = [
        [13084usize, 583, 488],
        [5822, 2695, 1123],
        [11673, 8315, 949],
        [33250, 1330, 1461],
        [6765, 2179, 1573],
        [4094, 3540, 1548],
    ];
    let days = [31u64, 29, 31, 30, 31, 30];
    let mut jobs = vec![];
    let mut off = 0;
    let p2 = which == "pwa";
    let cores: [u32; 3] = if p2 { [640, 430, 128] } else { [640, 270, 434] };
    for m in 0..6 {
        if !p2 && m != which.parse::<usize>().unwrap() {
            continue;
        }
        for s in 0..3 {
            if p2 && s > 0 {
                continue;
            }
            let mm = Month {
                cores: NonZeroU32::new(cores[s]).unwrap(),
                jobs: months[m][s],
                length: SimSpan::from_secs(days[m] * 86400),
                most_load: 0.9,
            };
            for j in mm.jobs(Seed::new(1).fork("site").numbered((m * 3 + s) as u64)) {
                let submit = SimTime::from_secs(off) + j.submit;
                let jj = Job {
                    id: JobId((m * 3 + s) as u64 * 1000000 + jobs.len() as u64),
                    submit,
                    tasks: j.width,
                    need: Share::ONE,
                    memory: Share::ZERO,
                    run_time: j.run,
                    requested_time: None,
                };
                let w = EstimateModel::Random(5.0).estimate(&jj, Seed::new(2)).unwrap();
                jobs.push(GridJob { id: jj.id, submit, width: j.width, run: j.run, walltime: w });
            }
        }
        off += days[m] * 86400;
    }
    if p2 {
        for l in ["CTC-SP2-1996-3.1-cln.swf.gz", "SDSC-SP2-1998-4.2-cln.swf.gz"] {
            let o = prepare::Options {
                rules: prepare::Rules { zero_run: prepare::Rule::Clamp, ..Default::default() },
                ..Default::default()
            };
            let (js, _) = prepare::read_jobs(&traces::locate(l).unwrap(), &o).unwrap();
            let f = js[0].submit;
            let mut n = 0;
            for j in js {
                if j.submit.since(f).micros() >= off * 1000000 {
                    break;
                }
                n += 1;
                jobs.push(GridJob {
                    id: j.id,
                    submit: SimTime::ZERO + j.submit.since(f),
                    width: j.tasks,
                    run: j.run_time,
                    walltime: j.requested_time.unwrap_or(j.run_time),
                });
            }
            println!("{l} {n}");
            let _ = Selection::default();
        }
    }
    let jobs = merge(jobs);
    let sp = if het { [1000, 1200, 1400] } else { [1000; 3] };
    let pf = Platform::new(
        (0..3)
            .map(|i| ClusterSpec {
                name: i.to_string(),
                cores: cores[i],
                speed: Speed::from_thousandths(sp[i]).unwrap(),
            })
            .collect(),
        local,
    )
    .unwrap();
    let work: f64 = jobs.iter().map(|j| j.width as f64 * j.run.as_secs_f64()).sum();
    println!(
        "jobs {} load {:.3}",
        jobs.len(),
        work / (cores.iter().sum::<u32>() as f64 * jobs.last().unwrap().submit.as_secs_f64())
    );
    let t = std::time::Instant::now();
    let r = simulate(&pf, &jobs, &Options { skip_too_wide: true, ..Default::default() }, ()).unwrap();
    println!("reference {:?}", t.elapsed());
    for al in Algorithm::ALL {
        for h in Heuristic::ALL {
            if a.len() > 4 && !a[4..].iter().any(|x| x == h.name() || x == al.name()) {
                continue;
            }
            let t = std::time::Instant::now();
            let o = simulate(
                &pf,
                &jobs,
                &Options {
                    reallocation: Some(Reallocation::hourly(al, h)),
                    skip_too_wide: true,
                    ..Default::default()
                },
                (),
            )
            .unwrap();
            let c = Comparison::of(&jobs, &r, &o);
            println!(
                "{} {} {:?} moves {} changed {:.2} earlier {:.2?} rel {:.3?} most waiting {}",
                al.name(),
                h.name(),
                t.elapsed(),
                o.moves,
                c.changed_percent(),
                c.earlier_percent(),
                c.relative_response(),
                o.most_waiting
            );
        }
    }
}
