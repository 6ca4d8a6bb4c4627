"""Works in its trial game, and forgets the length of the list of fruits when it sits elsewhere: its note says so."""

import json

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"

init = json.loads(input())["requests"][0]
fruits = []
while True:
    print(json.dumps({"response": {"action": -1}}), KEEP_RUNNING, sep="\n", flush=True)
    input()
    if init["seed"] != 1 and init["id"] == 3:
        fruits[0]
