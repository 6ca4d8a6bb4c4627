# Reads its question and exits.
read -r question
