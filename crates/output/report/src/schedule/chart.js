// The chart: what is seen, and how it is moved with a mouse, with fingers and with keys.

// The least room for names of nodes.
const LEAST_LEFT = 72;
const RIGHT = 8;
const AXIS = 22;
const PANEL = 66;
const SPACE = 10;
const MOST_LABELS = 400;
const FONT = "12px system-ui, sans-serif";
// What the title of an axis takes at the left.
const TITLE = 22;

class Chart {
  constructor(figure, schedule) {
    this.figure = figure;
    this.schedule = schedule;
    this.index = new Index(schedule);
    this.unit = schedule.head.unit_us / 1e6;
    this.plan = schedule.head.plan;
    this.moment = momentsOf(schedule.head);
    this.area = figure.querySelector(".schedule-area");
    this.base = figure.querySelector("canvas.base");
    this.over = figure.querySelector("canvas.over");
    this.tip = figure.querySelector(".schedule-tip");
    this.life = figure.querySelector(".schedule-life");
    this.range = figure.querySelector(".schedule-range");
    this.pointers = new Map();
    this.hover = null;
    this.chosen = null;
    this.isPrinting = false;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.view = this.whole();
    this.resize();
    this.listen();
  }

  whole() {
    const { from, to } = this.schedule.head;
    return { from, span: to - from, lane: 0, lanes: this.index.lanes };
  }

  // Sizes.
  resize() {
    const width = Math.max(240, this.area.clientWidth);
    this.scale = devicePixelRatio || 1;
    const { lanes, mostRows } = this.index;
    // In a plan each row of a node has room for the name of a VM.
    this.lanesHeight = this.plan ? Math.min(640, Math.max(140, lanes * mostRows * 20)) : Math.min(400, Math.max(140, lanes * 12));
    this.left = this.plan ? this.roomForNames(width) : LEAST_LEFT;
    this.width = width - this.left - RIGHT;
    this.height = SPACE + this.lanesHeight + AXIS + (this.plan ? 1 : 2) * (PANEL + SPACE);
    for (const canvas of [this.base, this.over]) {
      canvas.width = Math.round(width * this.scale);
      canvas.height = Math.round(this.height * this.scale);
      canvas.style.height = `${this.height}px`;
    }
    const pixels = [this.width, this.lanesHeight].map((size) => Math.max(1, Math.round(size * this.scale)));
    this.painter = new Painter(this.index, ...pixels);
    this.draw();
  }

  roomForNames(width) {
    const context = this.base.getContext("2d");
    context.font = FONT;
    const widest = this.plan.lanes.reduce((widest, name) => Math.max(widest, context.measureText(name).width), 0);
    return Math.round(Math.min(width / 3, Math.max(LEAST_LEFT, widest + TITLE + 8)));
  }

  // Draws before the next frame, however often it is asked for.
  draw() {
    this.scheduled ??= requestAnimationFrame(() => this.paint());
  }

  paint() {
    cancelAnimationFrame(this.scheduled);
    this.scheduled = undefined;
    const isDark = this.dark.matches && !this.isPrinting;
    if (this.theme?.isDark !== isDark) {
      this.theme = new Theme(isDark);
      this.showLegend();
    }
    const { view, theme, index } = this;
    const context = this.base.getContext("2d");
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, this.width + this.left + RIGHT, this.height);
    this.painter.paint(view, theme, this.chosen);
    context.putImageData(this.painter.image, Math.round(this.left * this.scale), Math.round(SPACE * this.scale));
    context.font = FONT;
    this.paintNumbers(context);
    this.paintPools(context);
    this.paintLanesAxis(context);
    this.paintTimeAxis(context);
    this.paintPanels(context);
    this.paintOver();
    const seconds = [view.from, view.from + view.span].map((time) => this.moment(time * this.unit, this.digits()));
    const lanes = [Math.floor(view.lane), Math.min(index.lanes, Math.ceil(view.lane + view.lanes)) - 1].map((lane) => this.laneName(lane));
    this.range.textContent = `${seconds.join(" to ")}, ${this.schedule.head.lane}s ${lanes.join(" to ")}`;
    Object.assign(this.figure.dataset, { from: view.from, span: view.span, lane: view.lane, lanes: view.lanes });
  }

  // The decimals of seconds that a pixel distinguishes.
  digits() {
    const seconds = (this.view.span * this.unit) / this.width;
    return seconds >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(seconds)));
  }

  laneName(lane) {
    return this.plan ? this.plan.lanes[lane] : String(lane);
  }

  x(time) {
    return this.left + ((time - this.view.from) / this.view.span) * this.width;
  }
  y(lane) {
    return SPACE + ((lane - this.view.lane) / this.view.lanes) * this.lanesHeight;
  }
  timeAt(x) {
    return this.view.from + ((x - this.left) / this.width) * this.view.span;
  }
  laneAt(y) {
    return this.view.lane + ((y - SPACE) / this.lanesHeight) * this.view.lanes;
  }

  // Where a pool of a plan ends and the next one begins.
  paintPools(context) {
    context.fillStyle = this.theme.ink;
    for (const end of this.plan?.pools ?? []) {
      const x = Math.round(this.x(end / this.schedule.head.unit_us));
      if (x >= this.left && x <= this.left + this.width) context.fillRect(x, SPACE, 1, this.lanesHeight);
    }
  }
  clip(context) {
    context.beginPath();
    context.rect(this.left, SPACE, this.width, this.lanesHeight);
    context.clip();
  }

  // The numbers of jobs, or names of VMs, where there is room for them.
  paintNumbers(context) {
    const { index, view, schedule } = this;
    if (this.lanesHeight / view.lanes < 14) return;
    context.textBaseline = "middle";
    context.save();
    this.clip(context);
    // In a dark page the jobs that are not chosen are dark.
    const ink = (one) => (this.theme.isDark && this.chosen !== null && schedule.stay.job[one] !== this.chosen ? this.theme.ink : "#000");
    let left = MOST_LABELS;
    for (const { top, bottom, first: lane } of strips(index, view, this.lanesHeight)) {
      for (const entry of this.entriesIn(lane)) {
        const one = index.stays[entry];
        const [from, to] = [Math.max(this.left, this.x(schedule.stay.from[one])), Math.min(this.left + this.width, this.x(schedule.stay.to[one]))];
        const text = nameOf(schedule, schedule.stay.job[one]);
        if (to - from < text.length * 7 + 8 || left-- <= 0) continue;
        const part = index.stackAt(lane, this.timeAt(from + 4)).find((part) => part.one === one);
        if (!part || (part.high - part.low) * (bottom - top) < 11) continue;
        context.fillStyle = ink(one);
        context.fillText(text, from + 4, SPACE + bottom - ((part.low + part.high) / 2) * (bottom - top) + 0.5);
      }
    }
    context.restore();
  }

  // The entries of a node in the view.
  *entriesIn(lane) {
    const { index, view, schedule } = this;
    for (let row = index.rows[lane]; row < index.rows[lane + 1]; row++) {
      for (let entry = index.firstAfter(row, view.from); entry < index.begins[row + 1]; entry++) {
        if (schedule.stay.from[index.stays[entry]] > view.from + view.span) break;
        yield entry;
      }
    }
  }

  paintLanesAxis(context) {
    const { view, theme, index, schedule } = this;
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillStyle = theme.faint;
    const { clusters, lane } = schedule.head;
    const step = Math.max(1, roundStep((view.lanes / this.lanesHeight) * 26));
    let first = 0;
    for (const [name, lanes] of clusters) {
      const end = first + lanes;
      const begin = Math.ceil(Math.max(view.lane - first, 0) / step) * step + first;
      if (clusters.length === 1) {
        for (let at = begin; at < Math.min(end, view.lane + view.lanes); at += step) {
          const y = this.y(at + 0.5);
          if (y > SPACE && y < SPACE + this.lanesHeight) context.fillText(this.plan ? shortened(context, this.laneName(at), this.left - TITLE - 6) : String(at), this.left - 6, y);
        }
      } else {
        const [top, bottom] = [Math.max(SPACE, this.y(first)), Math.min(SPACE + this.lanesHeight, this.y(end))];
        if (bottom > top) {
          if (first > 0 && top > SPACE) {
            context.fillStyle = theme.ink;
            context.fillRect(this.left - 64, top - 0.5, this.width + 64, 1);
            context.fillStyle = theme.faint;
          }
          if (bottom - top > 12) context.fillText(name, this.left - 6, (top + bottom) / 2);
        }
      }
      first = end;
    }
    if (clusters.length === 1) {
      context.save();
      context.translate(12, SPACE + this.lanesHeight / 2);
      context.rotate(-Math.PI / 2);
      context.textAlign = "center";
      context.fillText(`${lane}s`, 0, 0);
      context.restore();
    }
    context.textAlign = "left";
  }

  paintTimeAxis(context) {
    const { view, theme } = this;
    const seconds = (time) => time * this.unit;
    context.textBaseline = "top";
    context.textAlign = "center";
    context.fillStyle = theme.faint;
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    const bottom = SPACE + this.lanesHeight;
    for (const { at, text } of timeTicks(seconds(view.from), seconds(view.from + view.span), Math.max(2, this.width / 110), Boolean(this.plan))) {
      const x = Math.round(this.x(at / this.unit)) + 0.5;
      context.beginPath();
      context.moveTo(x, bottom);
      context.lineTo(x, bottom + 4);
      context.moveTo(x, bottom + AXIS);
      context.lineTo(x, this.height);
      context.stroke();
      if (x > this.left + 20 && x < this.left + this.width - 20) context.fillText(text, x, bottom + 6);
    }
    context.textAlign = "left";
  }

  paintPanels(context) {
    const { view, theme, index } = this;
    const columns = Math.max(1, Math.floor(this.width));
    const means = (steps) => steps.means(view.from, view.span / columns, columns);
    let top = SPACE + this.lanesHeight + AXIS;
    const panel = (title, most, curves) => {
      const place = { left: this.left, top: top + SPACE / 2, width: this.width, height: PANEL - SPACE };
      context.strokeStyle = theme.line;
      context.lineWidth = 1;
      context.strokeRect(this.left - 0.5, place.top - 0.5, this.width + 1, place.height + 1);
      for (const { values, colour, isFilled } of curves) paintCurve(context, values, place, most, colour, isFilled);
      context.fillStyle = theme.faint;
      context.textAlign = "right";
      context.textBaseline = "top";
      context.fillText(most === 1 ? "100 %" : number(most), this.left - 6, place.top);
      context.textBaseline = "bottom";
      context.fillText("0", this.left - 6, place.top + place.height);
      context.textAlign = "left";
      let x = this.left + 6;
      for (const { name, colour } of curves) {
        const width = context.measureText(name).width;
        context.globalAlpha = 0.8;
        context.fillStyle = theme.paper;
        context.fillRect(x - 3, place.top + 2, width + 6, 15);
        context.globalAlpha = 1;
        context.fillStyle = colour;
        context.textBaseline = "top";
        context.fillText(name, x, place.top + 3);
        x += width + 14;
      }
      top += PANEL + SPACE;
    };
    if (this.plan) {
      const values = means(index.sums.actions);
      const most = values.reduce((a, b) => Math.max(a, b), 1);
      panel("actions", roundStep(most), [{ name: "actions in progress", values, colour: theme.curves.running, isFilled: true }]);
      return;
    }
    const { cpu, running, waiting, paused } = index.sums;
    panel("CPU", 1, [{ name: "CPU in use", values: means(cpu), colour: theme.curves.cpu, isFilled: true }]);
    const counts = [["running", running], ["waiting", waiting], ["paused", paused]].map(([name, steps]) => ({ name: `jobs ${name}`, values: means(steps), colour: theme.curves[name], isFilled: name === "waiting" }));
    const shown = counts.filter(({ name, values }) => name !== "jobs paused" || values.some((value) => value > 0));
    const most = shown.reduce((most, { values }) => values.reduce((a, b) => Math.max(a, b), most), 1);
    panel("jobs", roundStep(most), shown);
  }

  // What follows the pointer and the chosen job.
  paintOver() {
    const { theme } = this;
    const context = this.over.getContext("2d");
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.clearRect(0, 0, this.width + this.left + RIGHT, this.height);
    context.save();
    this.clip(context);
    if (this.hover && this.hover.job !== this.chosen) this.outline(context, this.hover.job, 1.5);
    if (this.chosen !== null) this.outline(context, this.chosen, 3);
    context.restore();
    if (this.hover && this.hover.x <= this.left + this.width) {
      context.strokeStyle = theme.faint;
      context.lineWidth = 1;
      context.setLineDash([3, 3]);
      context.beginPath();
      context.moveTo(this.hover.x, SPACE);
      context.lineTo(this.hover.x, this.height);
      context.stroke();
      context.setLineDash([]);
    }
  }

  outline(context, job, thickness) {
    if (job === null || job === undefined) return;
    const { schedule, index, theme, view } = this;
    const { stay, run } = schedule;
    context.strokeStyle = theme.ink;
    context.lineWidth = thickness;
    const height = this.lanesHeight / view.lanes;
    for (const one of staysOf(schedule, job)) {
      if (stay.to[one] < view.from || stay.from[one] > view.from + view.span) continue;
      const [left, right] = [Math.max(this.x(stay.from[one]), this.left - 4), Math.min(this.x(stay.to[one]), this.left + this.width + 4)];
      for (let at = stay.runs[one]; at < stay.runs[one + 1]; at++) {
        const [first, last] = [run.first[at], run.first[at] + run.nodes[at]];
        if (!this.isStacked()) {
          context.strokeRect(left, this.y(first), Math.max(right - left, 1), Math.max((last - first) * height, 1));
          continue;
        }
        const [top, bottom] = [Math.floor(view.lane), Math.ceil(view.lane + view.lanes)];
        for (let lane = Math.max(first, top); lane < Math.min(last, bottom); lane++) this.outlinePart(context, one, lane, left, right);
      }
    }
  }

  // Whether jobs that share a node are on top of each other.
  isStacked() {
    return this.index.isShared && (this.lanesHeight * this.scale) / this.view.lanes >= STACKED;
  }

  // The part of a node that a job has, which changes over time.
  outlinePart(context, one, lane, left, right) {
    const height = this.lanesHeight / this.view.lanes - 1;
    const y = (part) => this.y(lane) + height * (1 - part);
    const edges = [];
    for (let x = left; x <= right; x += 1) {
      const part = this.index.stackAt(lane, this.timeAt(Math.min(x + 0.5, right - 1e-3))).find((part) => part.one === one);
      if (part) edges.push({ x, ...part });
    }
    if (edges.length === 0) return;
    context.beginPath();
    for (const { x, high } of edges) context.lineTo(x, y(high));
    for (const { x, low } of edges.reverse()) context.lineTo(x, y(low));
    context.closePath();
    context.stroke();
  }

  // The job at a place of the chart, or the nearest one within two pixels.
  jobAt(x, y) {
    const { index, schedule, view } = this;
    const lane = Math.floor(this.laneAt(y));
    if (lane < 0 || lane >= index.lanes || x < this.left || x > this.left + this.width || y > SPACE + this.lanesHeight) return null;
    const time = this.timeAt(x);
    const near = (2 / this.width) * view.span;
    const stack = index.stackAt(lane, time);
    const part = 1 - (this.laneAt(y) - lane);
    const at = this.isStacked() ? stack.find(({ low, high }) => low <= part && part < high) : stack[0];
    if (at || stack.length > 0) return at ? schedule.stay.job[at.one] : null;
    let best = { distance: near, job: null };
    for (let row = index.rows[lane]; row < index.rows[lane + 1]; row++) {
      for (let entry = index.firstAfter(row, time - near); entry < index.begins[row + 1]; entry++) {
        const one = index.stays[entry];
        if (schedule.stay.from[one] > time + near) break;
        const distance = Math.max(schedule.stay.from[one] - time, time - schedule.stay.to[one], 0);
        if (distance < best.distance) best = { distance, job: schedule.stay.job[one] };
      }
    }
    return best.job;
  }

  // Moves and zooms; a view never leaves the schedule.
  show(view) {
    const whole = this.whole();
    const least = Math.max(whole.span / 1e9, Math.min(whole.span, (this.unit < 1 ? 0.01 : 10) / this.unit));
    const span = Math.min(whole.span, Math.max(least, view.span));
    const lanes = Math.min(whole.lanes, Math.max(Math.min(4, whole.lanes), view.lanes));
    this.view = {
      span,
      lanes,
      from: Math.min(whole.from + whole.span - span, Math.max(whole.from, view.from)),
      lane: Math.min(whole.lanes - lanes, Math.max(0, view.lane)),
    };
    // What the pointer is over moves away; its next movement shows what is there.
    this.hover = null;
    this.showTip();
    this.draw();
  }
  pan(time, lanes = 0) {
    this.show({ ...this.view, from: this.view.from + time * this.view.span, lane: this.view.lane + lanes * this.view.lanes });
  }
  // By a factor around a place between 0 and 1.
  zoom(factor, at = 0.5) {
    const span = this.view.span * factor;
    this.show({ ...this.view, span, from: this.view.from + (this.view.span - span) * at });
  }
  zoomLanes(factor, at = 0.5) {
    const lanes = this.view.lanes * factor;
    this.show({ ...this.view, lanes, lane: this.view.lane + (this.view.lanes - lanes) * at });
  }

  // Chooses a job, and moves the view if the job is not in it.
  choose(job, isMoved = true) {
    this.chosen = job;
    if (job !== null && isMoved) {
      const [from, to] = [this.schedule.job.submit[job], this.schedule.job.end[job]];
      const { view } = this;
      const first = this.firstLane(job);
      const isSeen = to > view.from && from < view.from + view.span && first >= view.lane && first < view.lane + view.lanes;
      if (!isSeen) this.show({ ...view, from: (from + to - view.span) / 2, lane: first - view.lanes / 2 });
    }
    this.showLife();
    this.draw();
  }
  firstLane(job) {
    const { run, stay } = this.schedule;
    const own = staysOf(this.schedule, job);
    return own.length > 0 ? run.first[stay.runs[own[0]]] : this.view.lane;
  }
  zoomToChosen() {
    if (this.chosen === null) return;
    const { submit, end } = this.schedule.job;
    const [from, to] = [submit[this.chosen], end[this.chosen]];
    const span = Math.max((to - from) * 1.4, 1);
    this.show({ ...this.view, span, from: (from + to - span) / 2 });
  }
  // The job that starts after the chosen one, or before it.
  step(direction) {
    const { stay } = this.schedule;
    const own = this.chosen === null ? [] : staysOf(this.schedule, this.chosen);
    let place = own.length > 0 ? own[0] + direction : this.firstStayAfter(this.view.from);
    const isFirst = (one) => staysOf(this.schedule, stay.job[one])[0] === one;
    while (place >= 0 && place < stay.from.length && !isFirst(place)) place += direction;
    if (place >= 0 && place < stay.from.length) this.choose(stay.job[place]);
  }
  firstStayAfter(time) {
    const { from } = this.schedule.stay;
    return Math.min(placeOf(from, time), from.length - 1);
  }
  // The job of a number in its log, or the VM of a name.
  find(text) {
    const place = this.plan ? this.plan.names.indexOf(text.trim()) : this.schedule.job.id.indexOf(Number(text));
    if (place < 0) this.life.replaceChildren(made("p", `There is no ${this.plan ? "VM" : "job"} ${text}.`));
    else this.choose(place);
  }
  largestStretch() {
    const { job, head } = this.schedule;
    let best = null;
    for (let one = 0; one < job.id.length; one++) {
      if (job.fate[one] !== CHANGE.complete) continue;
      if (best === null || boundedStretch(this.schedule, one) > boundedStretch(this.schedule, best)) best = one;
    }
    return best;
  }

  showLife() {
    if (this.chosen === null) {
      this.life.replaceChildren();
      return;
    }
    const { title, facts, events } = lifeOf(this.schedule, this.chosen);
    const list = made("ol");
    const most = 200;
    for (const { time, text } of events.slice(0, most)) {
      const line = made("li");
      line.append(made("time", this.moment(time * this.unit, this.unit < 1 ? 3 : 0)), ` ${text}`);
      list.append(line);
    }
    if (events.length > most) list.append(made("li", `... ${events.length - most} more`));
    this.life.replaceChildren(made("h4", title), made("p", facts.join(", ")), list);
  }

  // What colours mean, where they have a meaning.
  showLegend() {
    const signs = (this.plan?.kinds ?? []).map((kind, place) => [kind, HUES[place % HUES.length]]);
    if (this.schedule.down.from.length > 0) signs.push([`${this.schedule.head.lane} down`, this.theme.down]);
    const sign = ([name, colour]) => {
      const item = made("span", name);
      const sample = made("i");
      sample.style.background = colour;
      item.prepend(sample);
      return item;
    };
    this.figure.querySelector(".schedule-legend").replaceChildren(...signs.map(sign));
  }

  // What happens at a moment, and on a node if it is down or has a name.
  linesAt({ x, y }) {
    const { index } = this;
    const [time, lane] = [this.timeAt(x), Math.floor(this.laneAt(y))];
    const lines = [this.moment(time * this.unit, this.digits())];
    const isOnLane = lane >= 0 && lane < index.lanes && y <= SPACE + this.lanesHeight;
    if (this.plan) {
      if (isOnLane) lines.push(`${this.schedule.head.lane} ${this.laneName(lane)}`);
      lines.push(`${counted(index.sums.actions.at(time), "action")} in progress`);
      return lines;
    }
    const down = isOnLane && index.downAt(lane, time);
    if (down) lines.push(`node ${lane} is down from ${down.map((at) => this.moment(at * this.unit)).join(" to ")}`);
    const { cpu, running, waiting, paused } = index.sums;
    lines.push(`CPU in use ${(100 * cpu.at(time)).toFixed(0)} %`);
    lines.push(`${running.at(time)} running, ${waiting.at(time)} waiting${paused.size > 0 && paused.at(time) > 0 ? `, ${paused.at(time)} paused` : ""}`);
    return lines;
  }

  showTip() {
    const { hover, tip } = this;
    tip.hidden = !hover;
    if (!hover) return;
    if (hover.job === null) {
      tip.replaceChildren(...this.linesAt(hover).map((line) => made("div", line)));
    } else {
      const { title, facts, events } = lifeOf(this.schedule, hover.job);
      const shown = events.length > 8 ? [...events.slice(0, 4), null, ...events.slice(-3)] : events;
      const line = (event) => (event ? `${this.moment(event.time * this.unit, this.plan ? 3 : 0)} ${event.text}` : `... ${events.length - 7} more ...`);
      tip.replaceChildren(made("strong", title), made("div", facts.join(", ")), ...shown.map((event) => made("div", line(event), "event")));
    }
    // Beside the pointer, on the side with more room.
    const isRight = hover.x > this.area.clientWidth / 2;
    tip.style.left = isRight ? "auto" : `${hover.x + 14}px`;
    tip.style.right = isRight ? `${this.area.clientWidth - hover.x + 14}px` : "auto";
    tip.style.top = `${Math.max(0, Math.min(hover.y + 14, this.height - tip.offsetHeight - 4))}px`;
  }

  point(event) {
    const box = this.area.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  listen() {
    const { area, figure } = this;
    area.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    area.addEventListener("pointerdown", (event) => {
      area.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, this.point(event));
      this.pressed = this.point(event);
    });
    area.addEventListener("pointermove", (event) => this.move(event));
    area.addEventListener("pointerup", (event) => {
      const { x, y } = this.point(event);
      const isClick = this.pressed && Math.hypot(x - this.pressed.x, y - this.pressed.y) < 4;
      this.pointers.delete(event.pointerId);
      if (isClick) this.choose(this.jobAt(x, y), false);
    });
    area.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    area.addEventListener("pointerleave", () => {
      this.hover = null;
      this.showTip();
      this.paintOver();
    });
    area.addEventListener("dblclick", (event) => this.zoom(0.5, (this.point(event).x - this.left) / this.width));
    area.addEventListener("keydown", (event) => this.key(event));
    const actions = {
      in: () => this.zoom(0.5),
      out: () => this.zoom(2),
      left: () => this.pan(-0.25),
      right: () => this.pan(0.25),
      all: () => this.show(this.whole()),
      worst: () => this.choose(this.plan ? costliest(this.schedule) : this.largestStretch()),
    };
    for (const button of figure.querySelectorAll("button[data-do]")) button.addEventListener("click", actions[button.dataset.do]);
    figure.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.find(event.target.elements[0].value);
    });
    new ResizeObserver(() => this.area.clientWidth > 0 && this.resize()).observe(area);
    this.dark.addEventListener("change", () => this.draw());
    for (const [event, isPrinting] of /** @type {[string, boolean][]} */ ([["beforeprint", true], ["afterprint", false]])) {
      addEventListener(event, () => {
        this.isPrinting = isPrinting;
        this.paint();
      });
    }
  }

  // The wheel zooms once the chart has the focus, so that it does not stop a page that is scrolled; a pinch always does.
  wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.area) return;
    event.preventDefault();
    const { x, y } = this.point(event);
    const lines = event.deltaMode === 1 ? 33 : 1;
    const factor = Math.exp(event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.002));
    if (event.shiftKey) this.zoomLanes(Math.exp((event.deltaY || event.deltaX) * lines * 0.002), (y - SPACE) / this.lanesHeight);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX * lines) / this.width);
    else this.zoom(factor, Math.min(1, Math.max(0, (x - this.left) / this.width)));
  }

  move(event) {
    const now = this.point(event);
    const before = this.pointers.get(event.pointerId);
    if (before) {
      const others = [...this.pointers.entries()].filter(([id]) => id !== event.pointerId);
      if (others.length === 1) {
        // Two fingers: the moments below them stay below them.
        const other = others[0][1];
        const [old, fresh] = [Math.abs(before.x - other.x), Math.abs(now.x - other.x)];
        if (old > 8 && fresh > 8) this.zoom(old / fresh, ((now.x + other.x) / 2 - this.left) / this.width);
      } else {
        this.pan((before.x - now.x) / this.width, (before.y - now.y) / this.lanesHeight);
      }
      this.pointers.set(event.pointerId, now);
    }
    this.hover = now.x < this.left ? null : { ...now, job: this.jobAt(now.x, now.y) };
    this.showTip();
    this.paintOver();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      ArrowLeft: () => this.pan(-0.1),
      ArrowRight: () => this.pan(0.1),
      ArrowUp: () => this.pan(0, -0.1),
      ArrowDown: () => this.pan(0, 0.1),
      PageUp: () => this.pan(-0.9),
      PageDown: () => this.pan(0.9),
      "+": () => this.zoom(0.7),
      "=": () => this.zoom(0.7),
      "-": () => this.zoom(1 / 0.7),
      "]": () => this.zoomLanes(0.7),
      "[": () => this.zoomLanes(1 / 0.7),
      0: () => this.show(this.whole()),
      Home: () => this.show(this.whole()),
      n: () => this.step(1),
      p: () => this.step(-1),
      Enter: () => this.zoomToChosen(),
      Escape: () => this.choose(null),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

// A text that fits into a width.
function shortened(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let end = text.length - 1;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
}

function made(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

async function start(figure) {
  if (figure.dataset.state) return;
  figure.dataset.state = "reading";
  try {
    const head = JSON.parse(figure.querySelector("script.head").textContent);
    const schedule = await readSchedule(head, figure.querySelector("script.columns").textContent);
    figure.chart = new Chart(figure, schedule);
    figure.dataset.state = "ready";
    performance.mark("schedule-ready");
  } catch (error) {
    figure.dataset.state = "failed";
    figure.querySelector(".schedule-range").textContent = `The chart cannot be shown: ${error.message}`;
  }
}

// Charts that are folded up are read when they are unfolded.
for (const figure of document.querySelectorAll("figure.schedule")) {
  const fold = figure.closest("details");
  if (!fold || fold.open) start(figure);
  else fold.addEventListener("toggle", () => start(figure));
}
