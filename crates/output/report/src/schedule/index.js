// What makes drawing fast: the stays on each node in the order of time, summaries of them in bins of time, and sums over time.

// A node has as many rows as jobs are on it at once, at most. No two stays in a row overlap.
class Index {
  constructor(schedule) {
    this.schedule = schedule;
    const { head, stay, run, job, piece } = schedule;
    // In a plan an action has a row of its node to itself, so that it stays where it is while others end.
    this.hasFixedRows = Boolean(head.plan);
    this.lanes = head.clusters.reduce((sum, [, lanes]) => sum + lanes, 0);

    // First how many rows each node has, then the stays of each row.
    let entries = 0;
    const rows = new Uint16Array(this.lanes).fill(1);
    this.eachEntry((entry, one, lane, at) => {
      entries += 1;
      rows[lane] = Math.max(rows[lane], run.row[at] + 1);
    });
    this.rows = begins(rows);
    this.mostRows = rows.reduce((most, count) => Math.max(most, count), 1);
    this.isShared = this.mostRows > 1;
    const counts = new Uint32Array(this.rows[this.lanes]);
    this.eachEntry((entry, one, lane, at) => (counts[this.rows[lane] + run.row[at]] += 1));
    this.begins = begins(counts);
    this.stays = new Uint32Array(entries);
    // The part of a node's CPU that a stay would have with a yield of 1; whole nodes are busy, however much their jobs need.
    this.weights = new Float32Array(entries);
    const next = this.begins.slice(0, counts.length);
    this.cpus = Float32Array.from(head.cpus.flatMap(([nodes, cpu]) => Array(nodes).fill(cpu)));
    this.eachEntry((entry, one, lane, at) => {
      const place = next[this.rows[lane] + run.row[at]]++;
      this.stays[place] = one;
      this.weights[place] = this.isShared ? (job.need[stay.job[one]] * run.tasks[at]) / this.cpus[lane] : 1;
    });
    this.meanYields = Float32Array.from(stay.from, (_, one) => this.meanYield(one));
    this.bins = new Bins(this);
    // When each node is down: places in the list, where it ever is.
    this.downs = new Map();
    for (const [place, first] of schedule.down.first.entries()) {
      for (let lane = first; lane < first + schedule.down.nodes[place]; lane++) {
        if (!this.downs.has(lane)) this.downs.set(lane, []);
        this.downs.get(lane).push(place);
      }
    }
    this.sums = head.plan ? sumsOfActions(schedule) : sumsOverTime(schedule);
  }

  // The place of a stay's colour in the palette: in a plan, that of the kind of action.
  hueOf(one) {
    const { head, stay } = this.schedule;
    return (head.plan ? head.plan.actions[one].kind : hueOf(stay.job[one])) % HUES.length;
  }

  // Calls with the number of the entry, the stay, the node and the place of its run.
  eachEntry(each) {
    const { stay, run } = this.schedule;
    let entry = 0;
    for (let one = 0; one < stay.from.length; one++) {
      for (let at = stay.runs[one]; at < stay.runs[one + 1]; at++) {
        for (let node = 0; node < run.nodes[at]; node++) each(entry++, one, run.first[at] + node, at);
      }
    }
  }

  meanYield(one) {
    const { stay, piece } = this.schedule;
    const [first, last] = [stay.pieces[one], stay.pieces[one + 1] - 1];
    if (first === last) return piece.yield[first];
    let sum = 0;
    for (let at = first; at <= last; at++) {
      const end = at < last ? piece.from[at + 1] : stay.to[one];
      sum += piece.yield[at] * (end - piece.from[at]);
    }
    return sum / (stay.to[one] - stay.from[one]);
  }

  // The time around a moment in which a node is down.
  downAt(lane, time) {
    const { from, to } = this.schedule.down;
    const place = this.downs.get(lane)?.find((place) => from[place] <= time && time < to[place]);
    return place === undefined ? null : [from[place], to[place]];
  }

  yieldAt(one, time) {
    const { stay, piece } = this.schedule;
    let at = stay.pieces[one + 1] - 1;
    while (at > stay.pieces[one] && piece.from[at] > time) at--;
    return piece.yield[at];
  }

  // The jobs on a node at a moment, from below: which part of its CPU each has.
  stackAt(lane, time) {
    const stack = [];
    let low = 0;
    for (let row = this.rows[lane]; row < this.rows[lane + 1]; row++) {
      const entry = this.firstAfter(row, time);
      const one = this.stays[entry];
      if (entry >= this.begins[row + 1] || this.schedule.stay.from[one] > time) continue;
      if (this.hasFixedRows) {
        // From above.
        const [place, rows] = [this.rows[lane + 1] - 1 - row, this.rows[lane + 1] - this.rows[lane]];
        stack.push({ one, low: place / rows, high: (place + 1) / rows });
        continue;
      }
      const high = low + (this.isShared ? this.weights[entry] * this.yieldAt(one, time) : 1);
      stack.push({ one, low, high });
      low = high;
    }
    return stack;
  }

  // The place of the first entry of a row that ends after a moment.
  firstAfter(row, time) {
    const { to } = this.schedule.stay;
    let [low, high] = [this.begins[row], this.begins[row + 1]];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (to[this.stays[middle]] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

// A line of pixels, or of bins: how much of each is covered, and by which stay most.
class Line {
  constructor(width) {
    this.width = width;
    this.cover = new Float32Array(width);
    this.most = new Float32Array(width);
    this.stay = new Uint32Array(width);
  }
  clear() {
    this.cover.fill(0);
    this.most.fill(0);
  }
  add(from, to, weight, stay) {
    const [begin, end] = [Math.max(from, 0), Math.min(to, this.width)];
    if (begin >= end) return;
    const [first, last] = [Math.floor(begin), Math.floor(end)];
    if (first === last) {
      this.part(first, end - begin, weight, stay);
      return;
    }
    this.part(first, first + 1 - begin, weight, stay);
    for (let at = first + 1; at < last; at++) this.part(at, 1, weight, stay);
    if (last < this.width) this.part(last, end - last, weight, stay);
  }
  part(at, length, weight, stay) {
    this.cover[at] += length * weight;
    if (length > this.most[at]) {
      this.most[at] = length;
      this.stay[at] = stay;
    }
  }
  // Adds a row: `from` is the moment at the left end, `scale` how much of the line a unit of time is. In detail, each yield of a
  // stay counts by itself, otherwise their mean.
  addRow(index, row, from, scale, isDetailed) {
    const { stay, piece } = index.schedule;
    const end = from + this.width / scale;
    const last = index.begins[row + 1];
    for (let entry = index.firstAfter(row, from); entry < last; entry++) {
      const one = index.stays[entry];
      if (stay.from[one] >= end) break;
      if (!isDetailed) {
        const weight = index.isShared ? index.weights[entry] * index.meanYields[one] : 1;
        this.add((stay.from[one] - from) * scale, (stay.to[one] - from) * scale, weight, one);
        continue;
      }
      const stop = stay.pieces[one + 1];
      for (let at = stay.pieces[one]; at < stop; at++) {
        const to = at + 1 < stop ? piece.from[at + 1] : stay.to[one];
        const weight = index.isShared ? index.weights[entry] * piece.yield[at] : shade(piece.yield[at]);
        this.add((piece.from[at] - from) * scale, (to - from) * scale, weight, one);
      }
    }
  }
}

// Even a job with a small yield can be seen.
const shade = (part) => 0.25 + 0.75 * part;

// For each node, coverage and main stay in bins of time, and again in bins of twice the length, and so on.
const MOST_BINS = 1 << 14;
const MOST_BINS_OF_ALL = 1 << 22;

class Bins {
  constructor(index) {
    const { from, to } = index.schedule.head;
    let count = MOST_BINS;
    while (count > 2 && count * index.lanes > MOST_BINS_OF_ALL) count /= 2;
    this.from = from;
    this.levels = [];
    const level = (bins) => ({
      bins,
      scale: bins / (to - from),
      cover: new Uint8Array(bins * index.lanes),
      stay: new Uint32Array(bins * index.lanes),
    });
    const finest = level(count);
    const line = new Line(count);
    for (let lane = 0; lane < index.lanes; lane++) {
      line.clear();
      for (let row = index.rows[lane]; row < index.rows[lane + 1]; row++) line.addRow(index, row, from, finest.scale, false);
      for (let bin = 0; bin < count; bin++) {
        // What is covered at all is not rounded away.
        finest.cover[lane * count + bin] = Math.min(255, Math.ceil(line.cover[bin] * 255 - 1e-3));
        finest.stay[lane * count + bin] = line.stay[bin];
      }
    }
    this.levels.push(finest);
    while (count > 64) {
      const fine = this.levels[this.levels.length - 1];
      const coarse = level((count /= 2));
      // Lanes have even numbers of bins, so pairs never belong to two of them.
      for (let bin = 0; bin < coarse.cover.length; bin++) {
        const [a, b] = [fine.cover[2 * bin], fine.cover[2 * bin + 1]];
        coarse.cover[bin] = (a + b + 1) >> 1;
        coarse.stay[bin] = fine.stay[a >= b ? 2 * bin : 2 * bin + 1];
      }
      this.levels.push(coarse);
    }
  }
  // The coarsest level whose bins are no longer than a pixel; none if all are longer.
  levelFor(scale) {
    return this.levels.findLast((level) => level.scale >= scale);
  }
  addLane(line, lane, level, from, scale) {
    const step = scale / level.scale;
    const left = (from - this.from) * level.scale;
    const first = Math.max(0, Math.floor(left));
    const last = Math.min(level.bins, Math.ceil(left + line.width / step));
    for (let bin = first; bin < last; bin++) {
      const cover = level.cover[lane * level.bins + bin];
      if (cover > 0) line.add((bin - left) * step, (bin + 1 - left) * step, cover / 255, level.stay[lane * level.bins + bin]);
    }
  }
}

// A number that changes over time, with its integral, so that its mean over any span takes two searches.
class Steps {
  constructor(times, changes, order) {
    const count = order.length;
    this.times = new Float64Array(count);
    this.values = new Float64Array(count);
    this.sums = new Float64Array(count);
    let size = 0;
    let value = 0;
    for (const one of order) {
      value += changes[one];
      if (size > 0 && this.times[size - 1] === times[one]) {
        this.values[size - 1] = value;
        continue;
      }
      this.times[size] = times[one];
      this.values[size] = value;
      if (size > 0) this.sums[size] = this.sums[size - 1] + this.values[size - 1] * (times[one] - this.times[size - 1]);
      size++;
    }
    this.size = size;
  }
  // The place of the last step at or before a moment, from a place on; -1 before the first.
  placeAt(time) {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  at(time) {
    const place = this.placeAt(time);
    return place < 0 ? 0 : this.values[place];
  }
  integral(time) {
    const place = this.placeAt(time);
    return place < 0 ? 0 : this.sums[place] + this.values[place] * (time - this.times[place]);
  }
  // The mean over each of some spans of equal length.
  means(from, span, count) {
    const means = new Float64Array(count);
    let before = this.integral(from);
    for (let place = 0; place < count; place++) {
      const after = this.integral(from + span * (place + 1));
      means[place] = Math.max(0, (after - before) / span);
      before = after;
    }
    return means;
  }
}

// The places of times in their order; equal ones keep theirs. Buckets of equal spans are sorted one by one, which is many times
// faster than sorting everything with a comparison.
function orderOf(times) {
  let [least, most] = [Infinity, -Infinity];
  for (const time of times) {
    least = Math.min(least, time);
    most = Math.max(most, time);
  }
  const buckets = 1 << 16;
  const scale = most > least ? (buckets - 1) / (most - least) : 0;
  const bucketOf = (place) => Math.floor((times[place] - least) * scale);
  const counts = new Uint32Array(buckets);
  for (let place = 0; place < times.length; place++) counts[bucketOf(place)] += 1;
  const begin = begins(counts);
  const next = begin.slice(0, buckets);
  const order = new Uint32Array(times.length);
  for (let place = 0; place < times.length; place++) order[next[bucketOf(place)]++] = place;
  for (let bucket = 0; bucket < buckets; bucket++) {
    if (counts[bucket] > 1) order.subarray(begin[bucket], begin[bucket + 1]).sort((a, b) => times[a] - times[b] || a - b);
  }
  return order;
}

// CPU in use as a part of all nodes, and how many jobs run, wait and are paused.
function sumsOverTime(schedule) {
  const { head, job, stay, piece, run } = schedule;
  const all = head.cpus.reduce((sum, [nodes, cpu]) => sum + nodes * cpu, 0);
  const [atCpu, cpu] = [[], []];
  for (let one = 0; one < stay.from.length; one++) {
    let tasks = 0;
    for (let at = stay.runs[one]; at < stay.runs[one + 1]; at++) tasks += run.nodes[at] * run.tasks[at];
    const need = (tasks * job.need[stay.job[one]]) / all;
    let before = 0;
    for (let at = stay.pieces[one]; at < stay.pieces[one + 1]; at++) {
      atCpu.push(piece.from[at]);
      cpu.push(need * piece.yield[at] - before);
      before = need * piece.yield[at];
    }
    atCpu.push(stay.to[one]);
    cpu.push(-before);
  }
  const times = [];
  const changes = { running: [], waiting: [], paused: [] };
  const change = (time, running, waiting, paused) => {
    times.push(time);
    changes.running.push(running);
    changes.waiting.push(waiting);
    changes.paused.push(paused);
  };
  for (let one = 0; one < job.id.length; one++) {
    const own = staysOf(schedule, one);
    // Of a job that goes on when the shown time begins, earlier stays are not there.
    let isPaused = own.length > 0 && stay.begin[own[0]] === CHANGE.resume;
    let [isRunning, isWaiting] = [false, own.length === 0];
    change(job.submit[one], 0, isPaused ? 0 : 1, isPaused ? 1 : 0);
    for (const [place, each] of own.entries()) {
      if (!isRunning) change(stay.from[each], 1, isPaused ? 0 : -1, isPaused ? -1 : 0);
      isRunning = place + 1 < own.length && stay.from[own[place + 1]] === stay.to[each];
      isPaused = !isRunning && stay.end[each] === CHANGE.pause;
      // An interrupted job waits as it did before its start.
      isWaiting = !isRunning && stay.end[each] === CHANGE.interrupt;
      if (!isRunning) change(stay.to[each], -1, isWaiting ? 1 : 0, isPaused ? 1 : 0);
    }
    if (isWaiting && job.fate[one] !== 0) change(job.end[one], 0, -1, 0);
    if (isPaused && job.fate[one] !== 0) change(job.end[one], 0, 0, -1);
  }
  const order = orderOf(times);
  return {
    cpu: new Steps(atCpu, cpu, orderOf(atCpu)),
    running: new Steps(times, changes.running, order),
    waiting: new Steps(times, changes.waiting, order),
    paused: new Steps(times, changes.paused, order),
  };
}
