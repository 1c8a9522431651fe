"""Uses a report as a reader with a keyboard would, through chromedriver; called by check-browser."""

import base64
import json
import pathlib
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
        arguments += ["--host-resolver-rules=MAP * ~NOTFOUND", "--disable-dev-shm-usage"]
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
            raise SystemExit(f"check-browser: {path}: {error.read().decode()}") from error

    def script(self, text):
        return self.call("POST", "/execute/sync", {"script": text, "args": []})

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
        raise SystemExit(f"check-browser: {what}")


COLUMN = """
const table = document.querySelector('#table-degradation table');
const place = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent.includes('mean degradation'));
return [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => Number(row.cells[place].dataset.value));
"""
FOCUS = "const b = [...document.querySelectorAll('#table-degradation th button')]; const i = b.findIndex((x) => x.textContent.includes('mean degradation')); b[i - 1].focus();"


# Until the program makes pages of the frame of all studies.
def use_legacy_instances(browser):
    browser.script("document.querySelector('#choose-instance').focus()")
    first = browser.script("return document.querySelector('#instance-facts').textContent")
    browser.keys("\ue015")  # the arrow down: the next instance
    second = browser.script("return document.querySelector('#instance-facts').textContent")
    check("lower bound" in first and first != second, "the arrow keys do not choose another instance")
    lines = browser.script("return document.querySelectorAll('#instance-table tbody tr').length")
    check(lines >= 2, f"the instance shows {lines} policies")


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


def use(browser, report, shots, name):
    browser.call("POST", "/url", {"url": report.resolve().as_uri()})
    check(browser.script("return document.title") != "", "the page has no title")
    browser.screenshot(shots / f"{name}-top.png")

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

    if browser.script("return document.querySelector('#choose-instance') !== null"):
        use_legacy_instances(browser)
    else:
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
    messages = [entry["message"] for entry in browser.call("POST", "/se/log", {"type": "browser"})]
    check(not messages, f"the console says {messages}")
    pdf = base64.b64decode(browser.call("POST", "/print", {}))
    check(pdf.startswith(b"%PDF") and len(pdf) > 10_000, "the page does not print")
    (shots / f"{name}.pdf").write_bytes(pdf)
    return len(before), pictures


def main():
    report, shots = (pathlib.Path(name) for name in sys.argv[1:3])
    shots.mkdir(parents=True, exist_ok=True)
    # A screen and a telephone.
    for name, width, height in [("screen", 1280, 900), ("telephone", 420, 800)]:
        browser = Browser(width, height)
        try:
            lines, pictures = use(browser, report, shots, name)
        finally:
            browser.close()
    print(f"check-browser: fine, {lines} lines, {pictures} pictures")


if __name__ == "__main__":
    main()
