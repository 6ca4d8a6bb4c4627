"""Passes its trial game, but indexes an empty list on another seat; its note shows the error."""

import json

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"

init = json.loads(input())["requests"][0]
fruits = []
while True:
    print(json.dumps({"response": {"action": -1}}), KEEP_RUNNING, sep="\n", flush=True)
    input()
    if init["seed"] != 1 and init["id"] == 3:
        fruits[0]
