#!/usr/bin/env python3
# Its taunt, debug and standard error are HTML with a script.
# verdict: OK
# tiers: A B C

import json
import sys

from bot import question

question()
for nasty in ["</script><script>alert(1)//", "<img src=x onerror=alert(1)>", "]]>-->'\"><svg onload=alert(1)>"]:
    print(nasty, file=sys.stderr)
print(json.dumps({"response": {"action": -1, "tauntText": "<img src=x onerror=alert(1)>"}, "debug": "</script><script>//"}))
