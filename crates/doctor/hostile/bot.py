"""Helpers shared by the hostile Python programs: the dialogue with the judge, and attempts at attacks."""

import errno
import json
import os
import sys
import time

# The targets of attacks; README.md lists the keys.
TARGETS = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
MIB = 1 << 20
# The bytes that a hoard takes per turn; three times as much exceeds the memory limit.
SHARE = 96 * MIB

# System call numbers on x86-64 and on ARM64.
NUMBERS = {
    "add_key": (248, 217), "bpf": (321, 280), "clone": (56, 220), "clone3": (435, 435), "exit": (60, 93), "fanotify_init": (300, 262), "fsopen": (430, 430),
    "inotify_add_watch": (254, 27), "inotify_init1": (294, 26), "io_uring_setup": (425, 425), "ioprio_get": (252, 31),
    "ioprio_set": (251, 30), "kcmp": (312, 272), "keyctl": (250, 219), "memfd_secret": (447, 447), "mlock": (149, 228),
    "move_pages": (279, 239), "mq_open": (240, 180), "mq_unlink": (241, 181), "msgctl": (71, 187), "msgget": (68, 186),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "open_tree": (428, 428),
    "perf_event_open": (298, 241), "personality": (135, 92), "pidfd_getfd": (438, 438), "prctl": (157, 167),
    "process_vm_readv": (310, 270), "ptrace": (101, 117), "semctl": (66, 191), "semget": (64, 190), "setns": (308, 268),
    "shmctl": (31, 195), "shmget": (29, 194), "syslog": (103, 116), "tgkill": (234, 131), "timer_create": (222, 107),
    "timer_settime": (223, 110), "unshare": (272, 97), "userfaultfd": (323, 282),
}


def question():
    """Reads the next question of the judge; exits at the end of the input."""
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def answer(action=-1, **more):
    """Prints an answer; the default action is to stay."""
    print(json.dumps({"response": {"action": action}, **more}), flush=True)


def keep_running():
    """Asks the judge to keep this process running after the answer."""
    print(KEEP_RUNNING, flush=True)


def stay_for_ever():
    """Plays the rest of the match without attacks, as a program that keeps running."""
    while True:
        question()
        answer()


def escaped(what):
    """Reports a successful attack. The output is not JSON, so the verdict is NJ, which no attack expects."""
    os.write(1, f"escaped: {what}\n".encode())
    os._exit(0)


def attempt(what, deed, *arguments):
    """Tries an attack. Any exception means that it was prevented; success is an escape."""
    try:
        deed(*arguments)
    except Exception:
        return
    escaped(what)


def attempt_in_child(what, deed, *arguments):
    """Tries an attack that changes or ends its process in a child, or in this process if it cannot fork."""
    try:
        child = os.fork()
    except OSError:
        return attempt(what, deed, *arguments)
    if child == 0:
        try:
            deed(*arguments)
            os._exit(42)
        except BaseException:
            os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42:
        escaped(what)


def syscall(name, *arguments):
    """Makes a system call without its C library wrapper; errors raise OSError."""
    import ctypes

    number = name if isinstance(name, int) else number_of(name)
    made = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    result = call(ctypes.c_long(number), *made)
    if result == -1:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


def number_of(name):
    """Returns the number of a system call on this machine."""
    machines = ["x86_64", "aarch64"]
    if os.uname().machine not in machines:
        raise OSError(errno.ENOSYS, "the system call numbers of this machine are unknown")
    return NUMBERS[name][machines.index(os.uname().machine)]


def leave_session():
    """Starts a session, or at least a process group."""
    try:
        os.setsid()
    except OSError:
        os.setpgid(0, 0)


def end_this_thread():
    """Ends this thread alone, even if it is the first of its process."""
    syscall("exit", 0)


def others():
    """Returns the processes of the judge and the rivals, as far as they can be found."""
    found = {TARGETS.get("judge_pid"), *TARGETS.get("rival_pids", []), *rivals_by_name()}
    return sorted(found - {None, os.getpid()})


def rivals_by_name():
    """Yields the processes that run something in the rival's folder."""
    folder = TARGETS.get("rival_folder", "no folder").encode()
    try:
        pids = list(filter(str.isdigit, os.listdir("/proc")))
    except OSError:
        return
    for pid in pids:
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as line:
                if any(part.startswith(folder) for part in line.read().split(b"\0")):
                    yield int(pid)
        except OSError:
            pass


def secrets():
    """Returns files that no bot may read."""
    places = [("rival_folder", "secret.txt"), ("rival_folder", "bot.py"), ("judge_file", ""), ("home", ".secret")]
    return [os.path.join(TARGETS[target], name).rstrip("/") for target, name in places if target in TARGETS]


def take_a_gigabyte():
    """Allocates a gigabyte and fills it, as far as there is memory, and then sleeps."""
    hoard = []
    try:
        while len(hoard) < 1024:
            hoard.append(b"x" * MIB)
    except MemoryError:
        pass
    time.sleep(1000)


def divide_memory(mappings):
    """Makes this number of memory mappings, of which none occupies a page."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    page = os.sysconf("SC_PAGE_SIZE")
    begin = libc.mmap(None, mappings * page, 0, 0x22, -1, 0)
    # Neighbours that may be read and that may not be read are different mappings.
    for number in range(0, mappings, 2):
        libc.mprotect(begin + number * page, page, 1)


def hoard_unseen(take):
    """Keeps running and hides SHARE bytes per turn in memory that no process shows; plays on if it gets none."""
    for turn in range(3):
        question()
        try:
            take()
        except OSError:
            answer()
            keep_running()
            stay_for_ever()
        if turn == 2:
            # Without the memory controller, the limit is not promised to hold between two measurements.
            time.sleep(0.25)
            escaped(f"it holds {3 * SHARE // MIB} MiB that no process shows")
        answer()
        keep_running()


def let_go(memory):
    """Fills shared memory and releases each piece at once: it stays allocated, but no process shows it."""
    import mmap

    for start in range(0, SHARE, 8 * MIB):
        memory[start:start + 8 * MIB:4096]  # reading a shared page allocates it
        memory.madvise(mmap.MADV_DONTNEED, start, 8 * MIB)


def question_while_computing(cpu_seconds, part=0.5):
    """Waits for the next question; reports an escape if its helpers computed for more than `part` of that time."""
    began, used = time.monotonic(), cpu_seconds()
    question()
    waited, computed = time.monotonic() - began, cpu_seconds() - used
    if waited > 0.2 and computed > waited * part:
        escaped(f"it computed for {computed:.2f} s of the {waited:.2f} s in which others thought")
