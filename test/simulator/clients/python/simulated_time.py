"""A plugin of pytest for a suite that was written for the service itself: it waits in the simulator's time.

`time.sleep` moves the simulator's clock and all clocks of this process along, so that a state of 15 seconds is seen by
who asks every 10 seconds, and half an hour passes at once. What the suite draws by chance is the same in every run.
Names other than this machine's do not resolve. Each outcome is a line of JSON in the file OUTCOMES.
"""

import json
import os
import random
import socket
import time
import urllib.request

import time_machine

_control = os.environ["SIMULATOR_CONTROL_URL"]
_token = os.environ["SIMULATOR_CONTROL_TOKEN"]
_outcomes = os.environ["OUTCOMES"]
_resolve = socket.getaddrinfo
_now = time_machine.travel(time.time(), tick=True).start()


def _sleep(seconds):
    _now.shift(seconds)
    body = json.dumps({"advanceMs": round(seconds * 1000)}).encode()
    headers = {"Authorization": f"Bearer {_token}", "Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(f"{_control}/clock", body, headers)).close()


def _resolve_loopback(host, *rest, **options):
    if host not in ("127.0.0.1", "localhost"):
        raise socket.gaierror(socket.EAI_NONAME, f"{host} is not on this machine")
    return _resolve(host, *rest, **options)


def pytest_runtest_logreport(report):
    if report.when != "call" and report.outcome == "passed":
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    why = crash.message if crash else str(report.longrepr or "")
    line = {"test": report.nodeid, "outcome": report.outcome, "why": why.split("\n")[0]}
    with open(_outcomes, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


time.sleep = _sleep
socket.getaddrinfo = _resolve_loopback
random.seed(1)
