"""Exports a model from its original library to the files that Pelorus loads.

`pelorus models export` runs this with the operator's Python. The first line of standard input is the job, as JSON; when the
input ends before the work does, whoever asked is gone, and so is this process. The answer is a JSON file, `job["answer"]`:
`{"missing": [...]}` names packages that are not installed, `{"error": "..."}` says what went wrong, and otherwise it holds
what the recipe returned. Libraries print as they like.
"""

import importlib
import importlib.util
import json
import os
import sys
import threading
import traceback


def end_with_the_input():
    while sys.stdin.read(1):
        pass
    os._exit(1)


def outcome(job):
    if sys.version_info < (3, 9):
        return {"error": "Python 3.9 or newer is needed, this is %d.%d" % sys.version_info[:2]}
    missing = [one["package"] for one in job["needs"] if importlib.util.find_spec(one["module"]) is None]
    if missing:
        return {"missing": missing}
    try:
        return importlib.import_module(job["recipe"]).export(job)
    except Exception as error:  # An error of a library is told as it is.
        traceback.print_exc()
        return {"error": "%s: %s" % (type(error).__name__, error)}


def main():
    job = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_the_input, daemon=True).start()
    answer = outcome(job)
    with open(job["answer"], "w", encoding="utf-8") as file:
        json.dump(answer, file)


main()
