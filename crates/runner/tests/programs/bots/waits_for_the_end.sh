# Answers, with its question, when its input has ended.
question=$(cat)
echo "$question"
