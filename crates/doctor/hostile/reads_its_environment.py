#!/usr/bin/env python3
# Looks for secrets in the judge's environment variables.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, escaped, question

question()
harmless = {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "PWD", "SHLVL", "_", "OLDPWD"}
harmless |= {"PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "OMP_NUM_THREADS"}
if strange := set(os.environ) - harmless:
    escaped(f"it knows {' '.join(sorted(strange))}")
answer()
