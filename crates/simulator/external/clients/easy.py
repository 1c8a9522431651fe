"""EASY backfilling: dfrsim simulate --policy 'pipe:python3 easy.py' ...

The head of the queue has a reservation at the earliest time at which enough nodes will be free; other jobs start now, in
the order of arrival, if they end by then or fit into the nodes that are spare then.
"""
import bisect
import json
import math
import sys

OVERRUN = 1.0  # A job past its estimate is expected to end a second from now.

class Easy:
    def __init__(self, nodes):
        self.nodes = nodes
        self.free = list(range(nodes))  # rising
        self.queue = []  # (job, tasks, estimate) by arrival
        self.running = []  # (expected end, job, nodes) by expected end

    def decide(self, moment):
        self.now, self.changes = moment["now"], []
        done = set(moment["completed"])
        if done:
            self.free = sorted(self.free + [node for it in self.running if it[1] in done for node in it[2]])
            self.running = [it for it in self.running if it[1] not in done]
        for job in moment["submitted"]:
            if job["tasks"] > self.nodes:
                self.changes.append({"do": "reject", "job": job["job"]})
            else:
                self.queue.append((job["job"], job["tasks"], job["estimate"] or math.inf))
        while self.queue and self.queue[0][1] <= len(self.free):
            self.start(*self.queue.pop(0))
        if self.queue and self.free:
            self.backfill()
        return {"changes": self.changes}

    def start(self, job, tasks, estimate):
        nodes, self.free = self.free[:tasks], self.free[tasks:]
        bisect.insort(self.running, (self.now + estimate, job, nodes))
        self.changes.append({"do": "start", "job": job, "nodes": nodes})

    def backfill(self):
        time, spare = self.reservation(self.queue[0][1])
        waiting = self.queue[:1]
        for place, (job, tasks, estimate) in enumerate(self.queue[1:], 1):
            if not self.free:
                waiting += self.queue[place:]
                break
            in_time = self.now + estimate <= time
            if tasks <= len(self.free) and (in_time or tasks <= spare):
                spare -= 0 if in_time else tasks
                self.start(job, tasks, estimate)
            else:
                waiting.append((job, tasks, estimate))
        self.queue = waiting

    def reservation(self, width):
        """When the head can start, and how many nodes it then leaves."""
        ends = sorted((end if end > self.now else self.now + OVERRUN, len(nodes)) for end, _, nodes in self.running)
        free, time = len(self.free), self.now
        for end, more in ends:
            if free >= width and end > time:
                break
            free, time = free + more, end
        return time, free - width


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        if message["event"] == "end":
            break
        if message["event"] == "begin":
            policy, answer = Easy(message["nodes"]), {}
        else:
            answer = policy.decide(message)
        print(json.dumps(answer), flush=True)
