"""How does a reader use reports and charts of schedules? Does so through chromedriver, for check/browser.

Needs chromedriver and Chromium: browser.py SHOTS REPORT [PAGE ...], a report, and pages of schedules and plans (`dfrsim draw page`).
Keeps screenshots in SHOTS.
"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
TAB, ENTER = "\ue004", "\ue007"


class Browser:
    """A session of the WebDriver protocol."""

    def __init__(self, width, height):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        port = next(line.rsplit(" ", 1)[1].strip(" .\n") for line in self.driver.stdout if "successfully on port" in line)
        self.url = f"http://127.0.0.1:{port}/session"
        # No network: a report that needs one fails. Containers often run as root, which Chromium's sandbox refuses.
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},{height}"]
        arguments += ["--host-resolver-rules=MAP * ~NOTFOUND", "--disable-dev-shm-usage", "--hide-scrollbars"]
        options = {"args": arguments}
        logging = {"goog:loggingPrefs": {"browser": "ALL"}}
        answer = self.call("POST", "", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, **logging}}})
        self.url += "/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"check/browser: {path}: {error.read().decode()}") from error

    def script(self, text):
        return self.call("POST", "/execute/sync", {"script": text, "args": []})

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def use_colours(self, scheme):
        """`light` or `dark`."""
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def mouse(self, kind, x, y, **more):
        self.devtools("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def open(self, path):
        self.call("POST", "/url", {"url": path.resolve().as_uri()})

    def check_console(self):
        messages = [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]
        check(not messages, f"the console says {messages}")

    def keys(self, text):
        """Types into the element with the focus."""
        active = self.call("GET", "/element/active")[ELEMENT]
        self.call("POST", f"/element/{active}/value", {"text": text})

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()


def check(condition, what):
    if not condition:
        raise SystemExit(f"check/browser: {what}")


COLUMN = """
const table = document.querySelector('#table-degradation table');
const place = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent.includes('mean degradation'));
return [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => Number(row.cells[place].dataset.value));
"""
MEANS = "return [...document.querySelectorAll('#answer .ranking:first-of-type tbody tr')].map((row) => row.cells[3].textContent)"
FOCUS = "const b = [...document.querySelectorAll('#table-degradation th button')]; const i = b.findIndex((x) => x.textContent.includes('mean degradation')); b[i - 1].focus();"


def use_instances(browser):
    """From the groups to the instances of one, and from there to all variants on an instance."""
    title, lines = ("return document.querySelector('.chosen-title').textContent", "return document.querySelectorAll('table.rows tbody tr').length")
    focus = "document.querySelector('table.{} td button').focus()"
    for table, words in [("groups", "Runs of "), ("rows", "All variants on ")]:
        browser.script(focus.format(table))
        browser.keys(ENTER)
        check(browser.script(title).startswith(words), f"Enter leads to {browser.script(title)!r}")
        focused = browser.script("return document.activeElement.className")
        check(focused == "chosen-title", f"the focus is on {focused!r}")
        check(browser.script(lines) >= 2, f"{browser.script(lines)} runs are shown")
    count = "return document.querySelector('.part .count').textContent"
    before = browser.script(count)
    browser.script("document.querySelector('.part select').focus()")
    browser.keys("\ue015")  # the arrow down: the first value
    check(browser.script(count) != before, "the arrow keys do not choose groups")


def check_answer(browser):
    """The first screen has the answer: a sentence, and the ranking of the variants in order."""
    sentence = browser.script("return document.querySelector('#answer .sentence').textContent")
    best = browser.script("return document.querySelector('#answer .ranking tbody th').textContent")
    check(sentence.startswith(best) and "is best" in sentence, f"the page opens with {sentence!r}, the ranking with {best!r}")
    means = [float(mean) for mean in browser.script(MEANS)]
    check(len(means) > 2 and means == sorted(means), f"the ranking is {means}")
    low = browser.script("return document.querySelector('#answer .ranking tbody tr').getBoundingClientRect().bottom - innerHeight")
    check(low < 0, f"the best variant is {low} pixels below the first screen")


def use(browser, report, shots, name):
    browser.open(report)
    check(browser.script("return document.title") != "", "the page has no title")
    check_answer(browser)
    browser.screenshot(shots / f"{name}-top.png")
    browser.use_colours("dark")
    browser.screenshot(shots / f"{name}-top-dark.png")
    browser.use_colours("light")

    # The table of results by policy is folded up: Enter unfolds it.
    browser.script("document.querySelector('#table-degradation > summary').focus()")
    browser.keys(ENTER)
    check(browser.script("return document.querySelector('#table-degradation').open"), "Enter does not unfold a table")
    before = browser.script(COLUMN)
    check(len(before) > 10, f"the table has {len(before)} lines")
    # With the keyboard alone: on to the header of the column, Enter sorts, Enter again turns it around.
    browser.script(FOCUS)
    browser.keys(TAB)
    focused = browser.script("return document.activeElement.textContent")
    check("mean degradation" in focused, f"the Tab key leads to {focused!r}")
    browser.keys(ENTER)
    check(browser.script(COLUMN) == sorted(before), "Enter on a header does not sort")
    state = browser.script("return document.activeElement.closest('th').getAttribute('aria-sort')")
    check(state == "ascending", f"a screen reader gets {state!r}")
    browser.keys(ENTER)
    check(browser.script(COLUMN) == sorted(before, reverse=True), "a second Enter does not turn the order around")

    browser.script("document.querySelector('#table-degradation input').focus()")
    browser.keys("easy")
    shown = len(browser.script(COLUMN))
    check(0 < shown < len(before), f"the filter leaves {shown} of {len(before)} lines")

    use_instances(browser)
    browser.script("document.querySelector('#instances').scrollIntoView()")
    browser.screenshot(shots / f"{name}-instances.png")

    broken = browser.script("return [...document.images].filter((one) => !one.naturalWidth).map((one) => one.alt)")
    check(not broken, f"pictures that cannot be shown: {broken}")
    pictures = browser.script("return document.images.length")
    if pictures:
        browser.script("document.querySelector('#figures').scrollIntoView()")
        time.sleep(0.5)
        browser.screenshot(shots / f"{name}-figures.png")
    overflow = browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    check(overflow <= 0, f"the page is {overflow} pixels wider than the window")
    browser.check_console()
    pdf = base64.b64decode(browser.call("POST", "/print", {}))
    check(pdf.startswith(b"%PDF") and len(pdf) > 10_000, "the page does not print")
    (shots / f"{name}.pdf").write_bytes(pdf)
    return len(before), pictures


# What the chart shows, and a place of it on the screen.
VIEW = "const { from, span, lane, lanes } = document.querySelector('figure.schedule').dataset; return [from, span, lane, lanes].map(Number)"
BOX = "const box = document.querySelector('.schedule-area').getBoundingClientRect(); return [box.left, box.top, box.width]"
# Some jobs after the middle of the schedule, on up to 24 nodes.
CLOSER = """
const { chart } = document.querySelector('figure.schedule');
const { stay, run } = chart.schedule;
const [whole, one] = [chart.whole(), Math.floor(stay.from.length * 0.55)];
const [span, lanes] = [whole.span / 120, Math.min(whole.lanes, 24)];
chart.show({ from: stay.from[one] - span / 3, span, lane: run.first[stay.runs[one]] - lanes / 2, lanes });
"""
# A stay that is wide enough to be pointed at: the number of its job and where it is.
WIDEST = """
const { chart } = document.querySelector('figure.schedule');
const { view, index, schedule: { stay, job, run } } = chart;
let best = null;
for (let one = 0; one < stay.from.length; one++) {
  const lane = run.first[stay.runs[one]];
  if (lane < view.lane || lane + 1 > view.lane + view.lanes) continue;
  const [left, right] = [stay.from[one], stay.to[one]].map((time) => Math.min(Math.max(chart.x(time), 80), chart.width + 70));
  if (best === null || right - left > best.width) best = { width: right - left, x: (left + right) / 2, one, lane };
}
const own = stay.job[best.one];
const part = index.stackAt(best.lane, chart.timeAt(best.x)).find((part) => part.one === best.one);
return { id: job.id[own], x: best.x, y: chart.y(best.lane + 1 - (part.low + part.high) / 2), time: job.submit[own] * chart.unit };
"""
# Zooms in and out and pans, a step a frame, through the events of a wheel; the times between frames and of drawing.
FRAMES = """
const done = arguments[0];
const { chart } = document.querySelector('figure.schedule');
const box = chart.area.getBoundingClientRect();
chart.area.focus();
chart.show(chart.whole());
const [frames, paints] = [[], []];
const paint = chart.paint.bind(chart);
chart.paint = () => { const begin = performance.now(); paint(); paints.push(performance.now() - begin); };
let [step, last] = [0, null];
const wheel = (deltaX, deltaY) => chart.area.dispatchEvent(new WheelEvent('wheel', { deltaX, deltaY, clientX: box.left + 500, clientY: box.top + 100, cancelable: true }));
const next = (now) => {
  if (last !== null) frames.push(now - last);
  last = now;
  if (step < 60) wheel(0, -50);
  else if (step < 120) wheel(20, 0);
  else if (step < 180) wheel(0, 50);
  if (step++ < 180) requestAnimationFrame(next);
  else { delete chart.paint; done({ frames, paints }); }
};
requestAnimationFrame(next);
"""


def wait_for_chart(browser):
    for _ in range(300):
        state = browser.script("return document.querySelector('figure.schedule').dataset.state")
        if state in ("ready", "failed"):
            break
        time.sleep(0.1)
    check(state == "ready", f"the chart is {state}")
    settle(browser)


def settle(browser):
    """Until what was asked for is drawn."""
    browser.call("POST", "/execute/async", {"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))", "args": []})


def middle(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def move_around(browser):
    """Zooms and pans a chart with the mouse and with keys; in the end it shows everything."""
    whole = browser.script(VIEW)
    left, top, width = browser.script(BOX)

    # The wheel has no effect on a chart without the focus, so that the page can be scrolled.
    browser.mouse("mouseWheel", left + width / 2, top + 100, deltaX=0, deltaY=-400)
    settle(browser)
    check(browser.script(VIEW) == whole, "the wheel zooms a chart without the focus")
    browser.script("window.scrollTo(0, 0); document.querySelector('.schedule-area').focus()")
    browser.mouse("mouseWheel", left + width / 2, top + 100, deltaX=0, deltaY=-1200)
    settle(browser)
    view = browser.script(VIEW)
    check(view[1] < whole[1] / 2, f"the wheel zooms from {whole} to {view}")

    for key, part in [("\ue014", 0.1), ("\ue012", -0.1)]:  # the arrow to the right, and to the left
        before = browser.script(VIEW)
        browser.keys(key)
        settle(browser)
        after = browser.script(VIEW)
        check(abs(after[0] - before[0] - part * before[1]) < 1e-6 * whole[1], f"an arrow key pans from {before} to {after}")
    browser.keys("+")
    settle(browser)
    zoomed = browser.script(VIEW)
    check(abs(zoomed[1] / view[1] - 0.7) < 1e-6, f"the + key zooms from {view} to {zoomed}")
    browser.keys("]]")
    settle(browser)
    fewer = browser.script(VIEW)
    check(fewer[3] < zoomed[3] or whole[3] <= 4, f"the ] key goes from {zoomed} to {fewer}")
    before = fewer
    browser.mouse("mousePressed", left + 400, top + 100, button="left", clickCount=1)
    browser.mouse("mouseMoved", left + 300, top + 100, button="left", buttons=1)
    browser.mouse("mouseReleased", left + 300, top + 100, button="left", clickCount=1)
    settle(browser)
    after = browser.script(VIEW)
    check(after[0] > before[0], f"dragging pans from {before} to {after}")

    browser.keys("0")
    settle(browser)
    check(browser.script(VIEW) == whole, "the 0 key does not show everything")


def click(browser, x, y):
    browser.mouse("mousePressed", x, y, button="left", clickCount=1)
    browser.mouse("mouseReleased", x, y, button="left", clickCount=1)
    settle(browser)


def text_of(browser, element):
    """The lines of an element."""
    return browser.script(f"return [...document.querySelector('{element}').children].map((one) => one.textContent).join('\\n')")


def check_prints(browser, shots, name):
    browser.check_console()
    pdf = base64.b64decode(browser.call("POST", "/print", {}))
    check(pdf.startswith(b"%PDF") and len(pdf) > 10_000, "the chart does not print")
    (shots / f"{name}.pdf").write_bytes(pdf)


# Where the parts of an action are: its number and the middle of its bar on each of its nodes.
ACTION = """
const { chart } = document.querySelector('figure.schedule');
const { index, schedule: { stay, run, head } } = chart;
const one = head.plan.actions.findIndex(({ kind }) => head.plan.kinds[kind] === 'migrate');
const bars = [];
for (let at = stay.runs[one]; at < stay.runs[one + 1]; at++) {
  for (let lane = run.first[at]; lane < run.first[at] + run.nodes[at]; lane++) {
    const x = chart.x((stay.from[one] + stay.to[one]) / 2);
    const part = index.stackAt(lane, chart.timeAt(x)).find((part) => part.one === one);
    bars.push({ x, y: chart.y(lane + 1 - (part.low + part.high) / 2) });
  }
}
const { from, to, cost } = head.plan.actions[one];
const [begin, end] = [stay.from[one], stay.to[one]].map((time) => time * chart.unit);
return { name: head.plan.names[stay.job[one]], bars, from: head.plan.lanes[from], to: head.plan.lanes[to], cost, begin, end };
"""


def use_plan(browser, page, shots):
    """As a schedule; a migration is on two nodes, and the words of a VM are those of its actions."""
    name = page.stem
    browser.screenshot(shots / f"{name}-whole.png")
    move_around(browser)
    left, top, _ = browser.script(BOX)
    shown = browser.script(ACTION)
    check(len(shown["bars"]) == 2, f"a migration has {len(shown['bars'])} bars")
    action = f"migrates from {shown['from']} to {shown['to']}, until {shown['end']:g} s"
    for bar in shown["bars"]:
        browser.mouse("mouseMoved", left + bar["x"], top + bar["y"])
        settle(browser)
        tip = text_of(browser, ".schedule-tip")
        check(tip.startswith(f"VM {shown['name']}\n"), f"over VM {shown['name']} the tooltip says {tip!r}")
        check(f"{shown['begin']:g} s {action}" in tip and f"cost {shown['cost']} MB" in tip, f"the tooltip says {tip!r}")
    browser.screenshot(shots / f"{name}-hover.png")
    legend = browser.script("return [...document.querySelectorAll('.schedule-legend span')].map((one) => one.textContent)")
    check("migrate" in legend and "resume" in legend, f"the legend has {legend}")

    click(browser, left + shown["bars"][0]["x"], top + shown["bars"][0]["y"])
    browser.mouse("mouseMoved", 2, 2)
    life = "return document.querySelector('.schedule-life').innerText"
    chosen = browser.script(life)
    check(chosen.startswith(f"VM {shown['name']}\n") and action in chosen, f"after a click the life is {chosen!r}")
    browser.script("document.querySelector('.schedule-area').focus()")
    seen = {shown["name"]}
    for key in "nnpppp":
        browser.keys(key)
        settle(browser)
        seen.add(browser.script("return document.querySelector('.schedule-life h4').textContent"))
    check(len(seen) > 3, f"the n and p keys lead to {seen}")
    browser.keys(ENTER)
    settle(browser)
    check(browser.script(VIEW)[1] > 0, "Enter does not zoom to a VM")
    browser.screenshot(shots / f"{name}-zoomed.png")
    browser.keys("0\ue00c")  # everything, and Escape
    settle(browser)
    check(browser.script(life) == "", "Escape does not choose none")
    browser.script("document.querySelector('.schedule-tools input').focus()")
    browser.keys(shown["name"] + ENTER)
    settle(browser)
    check(browser.script(life) == chosen, "a VM is not found by its name")
    browser.use_colours("dark")
    settle(browser)
    browser.screenshot(shots / f"{name}-dark.png")
    browser.use_colours("light")
    check_prints(browser, shots, name)
    print(f"check/browser: {name}: a plan, used with the mouse and with keys")


# A time in which a node is down: the middle of it in the view, after moving there.
DOWN = """
const { chart } = document.querySelector('figure.schedule');
const { down, stay } = chart.schedule;
let one = -1;
for (let at = 0; at < down.from.length; at++) if (one < 0 || down.to[at] - down.from[at] > down.to[one] - down.from[one]) one = at;
if (one < 0) return null;
const span = 3 * (down.to[one] - down.from[one]);
chart.show({ from: down.from[one] - span / 3, span, lane: down.first[one] - 6, lanes: 12 });
chart.paint();
const interrupted = stay.end.findIndex((end) => end === 10);
return { x: chart.x((down.from[one] + down.to[one]) / 2), y: chart.y(down.first[one] + 0.5), node: down.first[one], id: interrupted < 0 ? null : chart.schedule.job.id[stay.job[interrupted]] };
"""


def use_downtime(browser, shots, name):
    shown = browser.script(DOWN)
    if shown is None:
        return
    left, top, _ = browser.script(BOX)
    browser.mouse("mouseMoved", left + shown["x"], top + shown["y"])
    settle(browser)
    tip = text_of(browser, ".schedule-tip")
    check(f"node {shown['node']} is down from" in tip, f"over a node that is down the tooltip says {tip!r}")
    browser.screenshot(shots / f"{name}-down.png")
    if shown["id"] is not None:
        browser.script("document.querySelector('.schedule-tools input').focus()")
        browser.keys(f"{shown['id']}{ENTER}")
        settle(browser)
        life = browser.script("return document.querySelector('.schedule-life').innerText")
        check("interrupted: node" in life and "went down; waits again" in life, f"the life is {life!r}")
        browser.screenshot(shots / f"{name}-interrupted.png")


def use_schedule(browser, page, shots):
    """Zooms, pans and points with the mouse and with keys, and looks at what is shown."""
    name = page.stem
    jobs = browser.script("return document.querySelector('figure.schedule').chart.schedule.job.id.length")
    loaded = browser.script("return performance.getEntriesByName('schedule-ready')[0].startTime")
    browser.screenshot(shots / f"{name}-whole.png")
    move_around(browser)
    left, top, _ = browser.script(BOX)
    browser.script(CLOSER)
    settle(browser)
    shown = browser.script(WIDEST)
    browser.mouse("mouseMoved", left + shown["x"], top + shown["y"])
    settle(browser)
    tip = text_of(browser, ".schedule-tip")
    first, _, rest = tip.partition("\n")
    check(first == f"Job {shown['id']}", f"over job {shown['id']} the tooltip says {tip!r}")
    check("submitted" in rest and "started on" in rest and "stretch" in rest, f"the tooltip says {tip!r}")
    browser.screenshot(shots / f"{name}-zoomed.png")

    # A click chooses the job; its life is below, with the moment of its submission.
    click(browser, left + shown["x"], top + shown["y"])
    life = browser.script("return document.querySelector('.schedule-life').innerText")
    check(life.startswith(f"Job {shown['id']}\n"), f"after a click the life is {life!r}")
    at = int(shown["time"])
    clock = f"{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}"
    check(re.search(rf"{clock}(\.\d+)? submitted", life), f"submitted at {clock}, the life is {life!r}")
    browser.mouse("mouseMoved", 2, 2)
    browser.screenshot(shots / f"{name}-chosen.png")
    browser.keys("n")
    settle(browser)
    other = browser.script("return document.querySelector('.schedule-life h4').textContent")
    check(other.startswith("Job ") and other != f"Job {shown['id']}", f"the n key leads to {other!r}")
    browser.keys("p")
    settle(browser)
    back = browser.script("return document.querySelector('.schedule-life h4').textContent")
    check(back == f"Job {shown['id']}", f"the p key leads to {back!r}, not back to job {shown['id']}")
    browser.keys("\ue00c")  # Escape
    settle(browser)
    check(browser.script("return document.querySelector('.schedule-life').textContent") == "", "Escape does not choose none")

    browser.use_colours("dark")
    settle(browser)
    browser.screenshot(shots / f"{name}-dark.png")
    browser.use_colours("light")
    measured = browser.call("POST", "/execute/async", {"script": FRAMES, "args": []})
    frames, paints = measured["frames"], measured["paints"]
    settle(browser)
    print(
        f"check/browser: {name}: {jobs} jobs; ready after {loaded / 1000:.1f} s; zoom and pan over {len(frames)} frames: "
        f"{middle(frames, 0.5):.1f} ms a frame (95 %: {middle(frames, 0.95):.1f} ms), "
        f"of which drawing {middle(paints, 0.5):.1f} ms (95 %: {middle(paints, 0.95):.1f} ms)"
    )
    check_prints(browser, shots, name)
    use_downtime(browser, shots, name)


def main():
    shots, report, *charts = (pathlib.Path(name) for name in sys.argv[1:])
    shots.mkdir(parents=True, exist_ok=True)
    # A screen and a telephone.
    for name, width, height in [("screen", 1280, 900), ("telephone", 420, 800)]:
        browser = Browser(width, height)
        try:
            lines, pictures = use(browser, report, shots, name)
        finally:
            browser.close()
    for page in charts:
        browser = Browser(1280, 900)
        try:
            browser.open(page)
            wait_for_chart(browser)
            is_plan = browser.script("return Boolean(document.querySelector('figure.schedule').chart.plan)")
            (use_plan if is_plan else use_schedule)(browser, page, shots)
        finally:
            browser.close()
    print(f"check/browser: fine, {lines} lines, {pictures} pictures, {len(charts)} charts")


if __name__ == "__main__":
    main()
