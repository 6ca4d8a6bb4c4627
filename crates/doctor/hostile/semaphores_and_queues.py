#!/usr/bin/env python3
# Creates semaphores and message queues, which outlive it and are visible to all.
# verdict: OK
# tiers: A B
# escapes

from bot import answer, attempt, question, syscall

IPC_PRIVATE, IPC_RMID, O_CREAT, O_RDWR = 0, 0, 0o100, 2

question()
attempt("a semaphore", lambda: syscall("semctl", syscall("semget", IPC_PRIVATE, 1, 0o600), 0, IPC_RMID, 0))
attempt("a message queue", lambda: syscall("msgctl", syscall("msgget", IPC_PRIVATE, 0o600), IPC_RMID, None))
attempt("a POSIX message queue", lambda: (
    syscall("mq_open", b"hostile", O_CREAT | O_RDWR, 0o600, None), syscall("mq_unlink", b"hostile")))
answer()
