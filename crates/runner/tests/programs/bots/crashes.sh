# Answers, then dies of a segmentation fault.
echo '{}'
kill -SEGV $$
