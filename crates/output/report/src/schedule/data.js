// The columns of a schedule; columns.rs writes them. Times are in the unit of the head.

const CHANGE = { submit: 1, start: 2, pause: 3, resume: 4, migrate: 5, yield: 6, reject: 7, kill: 8, complete: 9, interrupt: 10, lose: 11 };
const WHOLE_SHARE = 943718400;
const WHOLE_YIELD = 1 << 20;

async function inflate(text) {
  const letters = atob(text.trim());
  const packed = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place++) packed[place] = letters.charCodeAt(place);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Numbers {
  constructor(bytes) {
    this.bytes = bytes;
    this.place = 0;
  }
  next() {
    let byte = this.bytes[this.place++];
    let number = byte & 127;
    // Products instead of shifts: numbers have up to 53 bits.
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = this.bytes[this.place++];
      number += (byte & 127) * scale;
    }
    return number;
  }
  plain(target) {
    for (let place = 0; place < target.length; place++) target[place] = this.next();
    return target;
  }
  differences(target) {
    let last = 0;
    for (let place = 0; place < target.length; place++) {
      const number = this.next();
      last += number % 2 === 0 ? number / 2 : -(number + 1) / 2;
      target[place] = last;
    }
    return target;
  }
}

// Where the items of each one begin, from how many each has.
function begins(counts) {
  const begin = new Uint32Array(counts.length + 1);
  for (let place = 0; place < counts.length; place++) begin[place + 1] = begin[place] + counts[place];
  return begin;
}

async function readSchedule(head, text) {
  const numbers = new Numbers(await inflate(text));
  const { jobs, stays, pieces, runs, queued, downs } = head;
  const times = (count) => new Float64Array(count);
  const schedule = { head };
  const job = (schedule.job = {
    id: numbers.differences(times(jobs)),
    submit: numbers.differences(times(jobs)),
    end: numbers.plain(times(jobs)),
    run: numbers.plain(times(jobs)),
    need: numbers.plain(new Float32Array(jobs)).map((units) => units / WHOLE_SHARE),
    fate: numbers.plain(new Uint8Array(jobs)),
    // Where the stays of each job begin; see below.
    stays: new Uint32Array(0),
  });
  for (let place = 0; place < jobs; place++) job.end[place] += job.submit[place];
  const stay = (schedule.stay = {
    job: numbers.differences(new Uint32Array(stays)),
    from: numbers.differences(times(stays)),
    to: numbers.plain(times(stays)),
    begin: numbers.plain(new Uint8Array(stays)),
    end: numbers.plain(new Uint8Array(stays)),
    pieces: begins(numbers.plain(new Uint32Array(stays))),
    runs: begins(numbers.plain(new Uint32Array(stays))),
  });
  for (let place = 0; place < stays; place++) stay.to[place] += stay.from[place];
  const piece = (schedule.piece = {
    from: numbers.plain(times(pieces)),
    yield: numbers.plain(new Float32Array(pieces)).map((units) => units / WHOLE_YIELD),
  });
  for (let place = 0; place < stays; place++) {
    for (let one = stay.pieces[place]; one < stay.pieces[place + 1]; one++) piece.from[one] += stay.from[place];
  }
  schedule.run = {
    first: numbers.differences(new Uint32Array(runs)),
    nodes: numbers.plain(new Uint32Array(runs)),
    tasks: numbers.plain(new Uint32Array(runs)),
    row: numbers.plain(new Uint16Array(runs)),
  };
  schedule.queued = {
    job: numbers.differences(new Uint32Array(queued)),
    at: numbers.differences(times(queued)),
    cluster: numbers.plain(new Uint32Array(queued)),
  };
  const down = (schedule.down = {
    first: numbers.differences(new Uint32Array(downs)),
    nodes: numbers.plain(new Uint32Array(downs)),
    from: numbers.differences(times(downs)),
    to: numbers.plain(times(downs)),
  });
  for (let place = 0; place < downs; place++) down.to[place] += down.from[place];
  // The stays of each job, in their order.
  const counts = new Uint32Array(jobs);
  for (const of of stay.job) counts[of] += 1;
  job.stays = begins(counts);
  schedule.staysByJob = new Uint32Array(stays);
  const next = job.stays.slice(0, jobs);
  for (let place = 0; place < stays; place++) schedule.staysByJob[next[stay.job[place]]++] = place;
  return schedule;
}

// The stays of a job.
const staysOf = ({ job, staysByJob }, one) => staysByJob.subarray(job.stays[one], job.stays[one + 1]);
