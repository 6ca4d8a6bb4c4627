# Has a child fill 400 MB of memory, and answers.
dd if=/dev/zero of=/dev/null bs=419430400 count=1
echo '{}'
