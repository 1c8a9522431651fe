// Times and lives in words.

const DAY = 86400;
const two = (number) => String(number).padStart(2, "0");

// A moment, in seconds from the begin of the log: `12 d 03:04:05`.
function moment(seconds, digits = 0) {
  const sign = seconds < 0 ? "-" : "";
  const scale = 10 ** digits;
  const all = Math.round(Math.abs(seconds) * scale) / scale;
  const whole = Math.floor(all);
  const [days, hours, minutes] = [Math.floor(whole / DAY), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
  const rest = digits > 0 ? (all - whole).toFixed(digits).slice(1) : "";
  return `${sign}${days > 0 ? `${days} d ` : ""}${two(hours)}:${two(minutes)}:${two(whole % 60)}${rest}`;
}

// A span in its two largest units: `2 d 4 h`.
function span(seconds) {
  if (seconds < 60) return `${Number(seconds.toPrecision(4))} s`;
  const units = /** @type {[string, number][]} */ ([["d", DAY], ["h", 3600], ["min", 60], ["s", 1]]);
  const first = units.findIndex(([, size]) => seconds >= size);
  // Rounded to the smaller unit before it is split, so that no 24 h are left over.
  const [name, size] = units[first];
  const [small, least] = units[Math.min(first + 1, 3)];
  const rounded = Math.round(seconds / least) * least;
  const rest = Math.round((rounded % size) / least);
  return `${Math.floor(rounded / size)} ${name}${rest > 0 && small !== name ? ` ${rest} ${small}` : ""}`;
}

const number = (value) => (value >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4))));
const counted = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
const ENDS = { 0: "in the system at the end", [CHANGE.reject]: "rejected", [CHANGE.kill]: "killed", [CHANGE.lose]: "lost: its node went down", [CHANGE.complete]: "completed" };

// How moments are written: a plan is short, and other output has its seconds.
const momentsOf = ({ plan }) => (plan ? (seconds, digits = 0) => `${Number(seconds.toFixed(digits))} s` : moment);

const nameOf = ({ head, job }, one) => (head.plan ? head.plan.names[one] : String(job.id[one]));

// The nodes of a stay: `nodes 3-7, 12`.
function nodesOf({ head, run, stay }, one) {
  const parts = [];
  let [nodes, tasks] = [0, 0];
  for (let at = stay.runs[one]; at < stay.runs[one + 1]; at++) {
    const [first, last] = [run.first[at], run.first[at] + run.nodes[at] - 1];
    parts.push(first === last ? `${first}` : `${first}-${last}`);
    nodes += run.nodes[at];
    tasks += run.nodes[at] * run.tasks[at];
  }
  const shown = parts.length > 6 ? [...parts.slice(0, 5), `... (${nodes} in all)`] : parts;
  return { nodes, tasks, text: `${head.lane}${nodes === 1 ? "" : "s"} ${shown.join(", ")}` };
}

// The cluster of a stay in a grid.
function clusterOf({ head, run, stay }, one) {
  let core = run.first[stay.runs[one]];
  return head.clusters.findIndex(([, lanes]) => (core -= lanes) < 0);
}

// The first nodes of a stay that went down when it ended: `node 3 went down`.
function downOf({ head, run, stay, down }, one) {
  const lanes = [];
  for (let at = placeOf(down.from, stay.to[one]); down.from[at] === stay.to[one]; at++) {
    for (let each = stay.runs[one]; each < stay.runs[one + 1]; each++) {
      const first = Math.max(down.first[at], run.first[each]);
      const end = Math.min(down.first[at] + down.nodes[at], run.first[each] + run.nodes[each]);
      for (let lane = first; lane < end; lane++) lanes.push(lane);
    }
  }
  if (lanes.length === 0) return `a ${head.lane} went down`;
  const more = lanes.length > 3 ? ` and ${lanes.length - 3} more` : "";
  return `${head.lane}${lanes.length === 1 ? "" : "s"} ${lanes.slice(0, 3).join(", ")}${more} went down`;
}

// The place of the first of some rising numbers that is no less.
function placeOf(numbers, least) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle] >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}

// What is known of a job: a title, facts, and its events with their moments.
function lifeOf(schedule, one) {
  if (schedule.head.plan) return lifeOfVm(schedule, one);
  const { head, job, stay, piece, queued } = schedule;
  const unit = head.unit_us / 1e6;
  const stays = staysOf(schedule, one);
  const events = [];
  const add = (time, text) => events.push({ time, text });
  add(job.submit[one], "submitted");
  if (head.clusters.length > 1) {
    for (let at = 0; at < queued.job.length; at++) {
      if (queued.job[at] === one) add(queued.at[at], `queue of ${head.clusters[queued.cluster[at]][0]}`);
    }
  }
  const [start, migrate] = [CHANGE.start, CHANGE.migrate];
  let [least, most] = [Infinity, 0];
  let [moves, pauses, interruptions] = [0, 0, 0];
  for (const [place, each] of stays.entries()) {
    const begin = stay.begin[each];
    const isGrid = head.clusters.length > 1;
    const verb = begin === start || (isGrid && begin === migrate) ? (place > 0 ? "started again on" : "started on") : begin === migrate ? "moved to" : "resumed on";
    const first = stay.pieces[each];
    const where = isGrid ? `${head.clusters[clusterOf(schedule, each)][0]}, ${nodesOf(schedule, each).text}` : nodesOf(schedule, each).text;
    const share = piece.yield[first] < 1 ? `, yield ${number(piece.yield[first])}` : "";
    add(stay.from[each], `${verb} ${where}${share}`);
    moves += begin === migrate && place > 0 ? 1 : 0;
    for (let at = first; at < stay.pieces[each + 1]; at++) {
      [least, most] = [Math.min(least, piece.yield[at]), Math.max(most, piece.yield[at])];
      if (at > first) add(piece.from[at], `yield ${number(piece.yield[at])}`);
    }
    if (stay.end[each] === CHANGE.pause) {
      pauses += 1;
      add(stay.to[each], isGrid ? "lost, waits again" : "paused");
    } else if (stay.end[each] === CHANGE.interrupt) {
      interruptions += 1;
      add(stay.to[each], `interrupted: ${downOf(schedule, each)}; waits again`);
    }
  }
  if (job.fate[one] !== 0) add(job.end[one], ENDS[job.fate[one]]);
  events.sort((a, b) => a.time - b.time);

  const first = stays[0];
  const turnaround = job.end[one] - job.submit[one];
  const facts = [];
  if (stays.length > 0) {
    const { nodes, tasks } = nodesOf(schedule, first);
    facts.push(tasks === nodes ? counted(nodes, head.lane) : `${counted(tasks, "task")} on ${counted(nodes, head.lane)}`);
  }
  if (job.need[one] < 1) facts.push(`CPU need ${number(job.need[one])}`);
  facts.push(`run time ${span(job.run[one] * unit)}`);
  if (stays.length > 0) facts.push(`waited ${span((stay.from[first] - job.submit[one]) * unit)}`);
  if (least < 1) facts.push(least < most ? `yield ${number(least)} to ${number(most)}` : `yield ${number(least)}`);
  if (pauses > 0) facts.push(counted(pauses, "pause"));
  if (interruptions > 0) facts.push(counted(interruptions, "interruption"));
  if (moves > 0) facts.push(counted(moves, "move"));
  if (job.fate[one] === CHANGE.complete) {
    facts.push(`turnaround ${span(turnaround * unit)}`);
    facts.push(`stretch ${number(turnaround / job.run[one])}`);
    if (head.tau > job.run[one]) facts.push(`bounded stretch ${number(boundedStretch(schedule, one))}`);
  }
  return { title: `Job ${job.id[one]}`, facts, events };
}

function boundedStretch({ head, job }, one) {
  const turnaround = job.end[one] - job.submit[one];
  return Math.max(turnaround, head.tau) / Math.max(job.run[one], head.tau, 1e-9);
}
