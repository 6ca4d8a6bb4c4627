# Repeats its question in a proper answer, and exits.
read -r question
echo "{\"response\":$question}"
