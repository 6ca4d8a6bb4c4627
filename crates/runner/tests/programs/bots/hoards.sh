# Fills 400 MB of memory.
exec dd if=/dev/zero of=/dev/null bs=419430400 count=1
