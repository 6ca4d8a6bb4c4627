# Answers only when its input has ended.
exec cat
