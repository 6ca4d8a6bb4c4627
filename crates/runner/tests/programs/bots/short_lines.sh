# Prints ten million short lines.
yes '{}' | head -n 10000000
