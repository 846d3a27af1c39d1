"""What scripts that run `verilocc verify` over many modules share. Not a script of its own."""
import json
import os
import re
import subprocess


def with_attributes(text, attributes, convention=""):
    """The module with the attributes on each function that is defined; only those of the convention, if one is named."""
    return re.sub(rf"^(define [^\n]*?{convention}[^\n]*?)((?: ![\w.]+ !\d+)* \{{)$",
                  lambda m: f"{m[1]} {attributes}{m[2]}", text, flags=re.MULTILINE)


def verify(verilocc, path, arguments, work, timeout, before=()):
    """One dictionary a function: verify's JSON, and as "text" what it printed if the function was not Accepted.

    Where there is no JSON, one for the file, without a name: its verdict is "timeout" or "exit CODE". `before`: a command
    that runs verilocc, such as nice.
    """
    answer = os.path.join(work, "answer.json")
    if os.path.exists(answer):
        os.remove(answer)
    command = [*before, verilocc, "verify", path, *arguments, f"--json={answer}", "--errors=1"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout)
    except subprocess.TimeoutExpired:
        return [{"function": "", "verdict": "timeout", "text": ""}]
    if not os.path.exists(answer):
        return [{"function": "", "verdict": f"exit {run.returncode}", "text": run.stderr[-2000:]}]
    with open(answer) as file:
        functions = json.load(file)["functions"]
    for function in functions:
        function["text"] = run.stdout if function["verdict"] != "Accepted" else ""
    return functions
