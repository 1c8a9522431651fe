// Paints a view of a schedule: nodes as lines of pixels, curves, axes.

// Hues of Tableau's palette, without its grey.
const HUES = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#ff9da7", "#9c755f", "#6a6fb3"];
const SHADES = 64;
// Where stays are so short that their hues would be noise, all have the same one; longer ones get theirs by and by.
const STRENGTHS = 8;
const strengthOf = (pixels) => Math.max(0, Math.min(STRENGTHS - 1, Math.floor(1.5 * pixels - 2)));

const rgb = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
/** @param {number[]} colour */
const packed = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

// The colours of a page that is light or dark.
class Theme {
  constructor(isDark) {
    this.isDark = isDark;
    this.ink = isDark ? "#e6e9ee" : "#1b1f24";
    this.faint = isDark ? "#9aa3b0" : "#5a6472";
    this.paper = isDark ? "#16191d" : "#ffffff";
    this.idle = isDark ? "#20252b" : "#f2f4f7";
    this.down = isDark ? "#73706c" : "#999999";
    this.line = isDark ? "#454c57" : "#c9ced6";
    this.curves = isDark ? { cpu: "#56b4e9", running: "#6fd39b", waiting: "#f0a35e", paused: "#d48fc4" } : { cpu: "#0072b2", running: "#0a7d4b", waiting: "#c25e00", paused: "#a0458c" };
    this.idlePixel = packed(rgb(this.idle));
    this.downPixel = packed(rgb(this.down));
    this.paperPixel = packed(rgb(this.paper));
    // For each strength and each hue, from idle to the hue itself.
    this.pixels = new Uint32Array(STRENGTHS * HUES.length * SHADES);
    const [idle, common] = [this.idle, isDark ? "#66788f" : "#8fa1b8"].map(rgb);
    const between = (a, b, part) => a.map((value, one) => Math.round(value + part * (b[one] - value)));
    for (let strength = 0; strength < STRENGTHS; strength++) {
      for (const [place, hue] of HUES.map(rgb).entries()) {
        const colour = between(common, hue, strength / (STRENGTHS - 1));
        const begin = (strength * HUES.length + place) * SHADES;
        for (let at = 0; at < SHADES; at++) this.pixels[begin + at] = packed(between(idle, colour, at / (SHADES - 1)));
      }
    }
  }
  pixel(strength, hue, shade) {
    return this.pixels[(strength * HUES.length + hue) * SHADES + shade];
  }
}

// Jobs that come one after the other have different hues.
const hueOf = (job) => (job * 3) % HUES.length;

// From this height of a node on there is a gap below it.
const GAP = 6;
// From this height on, the jobs that share a node are on top of each other; below it, only how much of the node is in use is
// seen.
const STACKED = 8;

// The lines of pixels of the nodes in a view, from above.
function strips(index, view, height) {
  const scale = height / view.lanes;
  const strips = [];
  if (scale < 1) {
    // Several nodes in a pixel.
    for (let y = 0; y < height; y++) {
      const first = Math.floor(view.lane + y / scale);
      const last = Math.min(index.lanes, Math.max(first + 1, Math.floor(view.lane + (y + 1) / scale)));
      if (first < last) strips.push({ top: y, bottom: y + 1, first, last, isStacked: false });
    }
    return strips;
  }
  for (let lane = Math.floor(view.lane); lane < Math.min(index.lanes, Math.ceil(view.lane + view.lanes)); lane++) {
    const top = Math.round((lane - view.lane) * scale);
    const bottom = Math.round((lane + 1 - view.lane) * scale) - (scale >= GAP ? 1 : 0);
    strips.push({ top, bottom, first: lane, last: lane + 1, isStacked: index.isShared && scale >= STACKED });
  }
  return strips;
}

// Paints the nodes of a view into an image.
class Painter {
  constructor(index, width, height) {
    this.index = index;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    // One for each row of a node.
    this.lines = [new Line(width)];
  }

  // Where a job is chosen, the others are pale.
  paint(view, theme, chosen) {
    const { image, index } = this;
    this.pixels.fill(theme.paperPixel);
    this.view = view;
    this.theme = theme;
    this.chosen = chosen;
    this.scale = image.width / view.span;
    this.level = index.bins.levelFor(this.scale);
    for (const strip of strips(index, view, image.height)) {
      if (strip.isStacked) this.paintStack(strip);
      else this.paintStrip(strip);
      this.paintDown(strip);
    }
  }

  // Where no job is and a node is down.
  paintDown({ top, bottom, first, last }) {
    const { index, pixels, theme, view, scale } = this;
    if (index.downs.size === 0) return;
    const { width, height } = this.image;
    const { from, to } = index.schedule.down;
    for (let lane = first; lane < last; lane++) {
      for (const place of index.downs.get(lane) ?? []) {
        const left = Math.max(0, Math.floor((from[place] - view.from) * scale));
        const right = Math.min(width, Math.ceil((to[place] - view.from) * scale));
        for (let y = Math.max(0, top); y < Math.min(height, bottom); y++) {
          for (let at = y * width + left; at < y * width + right; at++) if (pixels[at] === theme.idlePixel) pixels[at] = theme.downPixel;
        }
      }
    }
  }

  pixel(one, shade) {
    const { stay, head } = this.index.schedule;
    const [job, hue] = [stay.job[one], this.index.hueOf(one)];
    if (this.chosen !== null) return job === this.chosen ? this.theme.pixel(STRENGTHS - 1, hue, SHADES - 1) : this.theme.pixel(0, hue, shade >> 1);
    // The colour of an action has a meaning, however short the action.
    return this.theme.pixel(head.plan ? STRENGTHS - 1 : strengthOf((stay.to[one] - stay.from[one]) * this.scale), hue, shade);
  }

  // One line of pixels for all rows of some nodes, as often as the strip is high.
  paintStrip({ top, bottom, first, last }) {
    const { index, pixels, theme, view, scale, level } = this;
    const { width, height } = this.image;
    const [from, to] = [Math.max(0, top), Math.min(height, bottom)];
    if (from >= to) return;
    const line = this.lines[0];
    line.clear();
    for (let lane = first; lane < last; lane++) {
      const [row, end] = [index.rows[lane], index.rows[lane + 1]];
      if (level && index.begins[end] - index.begins[row] > 4 * width) index.bins.addLane(line, lane, level, view.from, scale);
      else for (let at = row; at < end; at++) line.addRow(index, at, view.from, scale, !index.isShared);
    }
    const begin = from * width;
    const part = (SHADES - 1) / (last - first);
    // Neighbours are often the same.
    let [lastCover, lastStay, pixel] = [0, 0, theme.idlePixel];
    for (let x = 0; x < width; x++) {
      const cover = line.cover[x];
      if (cover !== lastCover || (cover > 0 && line.stay[x] !== lastStay)) {
        [lastCover, lastStay] = [cover, line.stay[x]];
        pixel = cover > 0 ? this.pixel(lastStay, Math.min(SHADES - 1, Math.ceil(cover * part - 1e-3))) : theme.idlePixel;
      }
      pixels[begin + x] = pixel;
    }
    for (let y = from + 1; y < to; y++) pixels.copyWithin(y * width, begin, begin + width);
  }

  // The jobs of a node on top of each other: their height is the CPU that they have, their shade the yield.
  paintStack({ top, bottom, first }) {
    const { index, pixels, theme, view, scale, lines } = this;
    const { width, height } = this.image;
    const rows = index.rows[first + 1] - index.rows[first];
    while (lines.length < rows) lines.push(new Line(width));
    for (let row = 0; row < rows; row++) {
      lines[row].clear();
      lines[row].addRow(index, index.rows[first] + row, view.from, scale, true);
    }
    if (index.hasFixedRows) {
      this.paintRows(top, bottom, rows);
      return;
    }
    for (let x = 0; x < width; x++) {
      let [sum, y] = [0, bottom];
      for (let row = 0; row < rows; row++) {
        const line = lines[row];
        if (line.cover[x] === 0) continue;
        sum += line.cover[x];
        const one = line.stay[x];
        const pixel = this.pixel(one, Math.floor((0.4 + 0.6 * index.meanYields[one]) * (SHADES - 1)));
        const above = Math.max(top, bottom - Math.round(sum * (bottom - top)));
        for (y--; y >= above; y--) if (y >= 0 && y < height) pixels[y * width + x] = pixel;
        y = above;
      }
      for (y--; y >= top; y--) if (y >= 0 && y < height) pixels[y * width + x] = theme.idlePixel;
    }
  }

  // The rows of a node below each other, with a gap between those that are high enough.
  paintRows(top, bottom, rows) {
    const { pixels, theme, lines } = this;
    const { width, height } = this.image;
    const edge = (row) => Math.round(top + (row / rows) * (bottom - top));
    for (let row = 0; row < rows; row++) {
      const { cover, stay } = lines[row];
      const gap = row + 1 < rows && edge(row + 1) - edge(row) >= 4 ? 1 : 0;
      for (let x = 0; x < width; x++) {
        const pixel = cover[x] > 0 ? this.pixel(stay[x], SHADES - 1) : theme.idlePixel;
        for (let y = Math.max(0, edge(row)); y < Math.min(height, edge(row + 1)); y++) {
          pixels[y * width + x] = y < edge(row + 1) - gap ? pixel : theme.idlePixel;
        }
      }
    }
  }
}

// Round steps of an axis of time, in seconds.
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200];
const DAY_STEPS = [1, 2, 5, 7, 14, 28, 50, 100, 200, 365, 730];

function timeStep(least) {
  if (least < 1) return roundStep(least);
  const known = [...TIME_STEPS, ...DAY_STEPS.map((days) => days * DAY)].find((step) => step >= least);
  return known ?? roundStep(least / DAY) * DAY;
}

// The least 1, 2 or 5 times a power of ten that is no less.
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * (1 - 1e-9));
}

// Moments of an axis with their labels: days alone where steps are days.
function timeTicks(from, to, most, isInSeconds) {
  const step = timeStep((to - from) / most);
  const digits = step < 1 ? Math.ceil(-Math.log10(step) - 1e-9) : 0;
  const ticks = [];
  for (let number = Math.ceil(from / step); number * step <= to; number++) {
    const at = number * step;
    if (isInSeconds) {
      ticks.push({ at, text: `${Number(at.toFixed(digits))} s` });
      continue;
    }
    const text = step % DAY === 0 ? `${at / DAY} d` : moment(at, digits);
    ticks.push({ at, text: step >= 60 && step % DAY !== 0 ? text.slice(0, -3) : text });
  }
  return ticks;
}

// Paints a curve of means, filled down to the axis or as a line.
function paintCurve(context, means, place, most, colour, isFilled) {
  const y = (value) => place.top + place.height * (1 - Math.min(1, value / most));
  const step = place.width / means.length;
  context.beginPath();
  context.moveTo(place.left, y(means[0]));
  for (let at = 0; at < means.length; at++) context.lineTo(place.left + (at + 0.5) * step, y(means[at]));
  context.lineTo(place.left + place.width, y(means[means.length - 1]));
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.stroke();
  if (isFilled) {
    context.lineTo(place.left + place.width, place.top + place.height);
    context.lineTo(place.left, place.top + place.height);
    context.globalAlpha = 0.2;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
  }
}
