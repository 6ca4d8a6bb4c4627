# Does nothing for a long time, and reads nothing either.
sleep "$1"
