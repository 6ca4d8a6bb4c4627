//! Children that use this process's memory until they become another program, as those of `vfork` do: no page table is
//! copied, and no page when one of the two writes to it, which would take a fifth of a start.

#![allow(unsafe_code, reason = "makes a system call after which two processes use the same memory")]

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// As in the kernel's `sched.h`; `libc` has it in a type that is too small for it.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// More than a child needs, in a build without optimization, too.
const STACK_BYTES: usize = 512 * 1024;
/// What lies below a stack and cannot be written: at least a page on every system.
const GUARD_BYTES: usize = 64 * 1024;

/// A stack for one child after the other.
pub(super) struct Stack {
    lowest: *mut c_void,
}

impl Stack {
    pub(super) fn new() -> io::Result<Stack> {
        // SAFETY: a new mapping at an address that the kernel chooses, of which a part is protected: nothing else lies there.
        unsafe {
            let flags = MapFlags::PRIVATE | MapFlags::STACK | MapFlags::NORESERVE;
            let lowest = mmap_anonymous(ptr::null_mut(), STACK_BYTES, ProtFlags::READ | ProtFlags::WRITE, flags)?;
            let stack = Stack { lowest };
            mprotect(lowest, GUARD_BYTES, MprotectFlags::empty())?;
            Ok(stack)
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: nothing refers to the mapping that this owns.
        let _ = unsafe { munmap(self.lowest, STACK_BYTES) };
    }
}

/// Starts a child, in a control group if its directory is given, that runs `child` and ends if that returns. Returns its
/// number when it has ended or has become another program.
///
/// Where the kernel has no such call, and on other processors than x86-64, the child has a copy of the memory, and this
/// returns at once. So what the child finds out has to come through a pipe. Where it has our memory, what it allocates and does
/// not free before it becomes the program is lost.
///
/// # Errors
///
/// Fails if there can be no child, or none in this group.
///
/// # Safety
///
/// This process must have a single thread.
pub(super) unsafe fn start(stack: &mut Stack, group: Option<&File>, child: &mut dyn FnMut()) -> io::Result<i32> {
    // SAFETY: all zeros are valid arguments.
    let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
    arguments.exit_signal = libc::SIGCHLD as u64;
    if let Some(folder) = group {
        arguments.flags = CLONE_INTO_CGROUP;
        arguments.cgroup = folder.as_raw_fd() as u64;
    }
    #[cfg(target_arch = "x86_64")]
    {
        let sharing = libc::clone_args {
            flags: arguments.flags | (libc::CLONE_VM | libc::CLONE_VFORK) as u64,
            stack: stack.lowest as u64,
            stack_size: STACK_BYTES as u64,
            ..arguments
        };
        // SAFETY: the stack belongs to the child until this returns, and so does what `child` borrows.
        let pid = unsafe { clone_onto_stack(&sharing, child) };
        match io::Error::from_raw_os_error(-pid.min(0)) {
            _ if pid > 0 => return Ok(pid),
            error if error.raw_os_error() != Some(libc::ENOSYS) => return Err(error),
            _ => {}
        }
    }
    let _ = stack;
    // SAFETY: this process has a single thread, so the child may do anything; the call reads the arguments, whose size is
    // passed, and gives the child a copy of our stack. `fork` does the same.
    let pid = unsafe {
        match group {
            Some(_) => libc::syscall(libc::SYS_clone3, &arguments, size_of::<libc::clone_args>()) as i32,
            None => libc::fork(),
        }
    };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            child();
            // SAFETY: ends this process.
            unsafe { libc::_exit(FAILED) }
        }
        pid => Ok(pid),
    }
}

/// What a child ends with that does not become the program.
const FAILED: c_int = 127;

/// Returns the child's number, or the negative number of an error.
///
/// # Safety
///
/// `arguments` has a stack that is used for nothing else.
#[cfg(target_arch = "x86_64")]
unsafe fn clone_onto_stack(arguments: &libc::clone_args, mut child: &mut dyn FnMut()) -> i32 {
    extern "C" fn run(child: *mut c_void) -> ! {
        // SAFETY: it is the address of `child` below.
        unsafe {
            (*child.cast::<&mut dyn FnMut()>())();
            libc::_exit(FAILED)
        }
    }

    let child: *mut c_void = ptr::from_mut(&mut child).cast();
    let result: i64;
    // SAFETY: the child has an empty stack, which is aligned as calls demand, and never returns from its call. It leaves our
    // own stack and registers alone.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") arguments,
            in("rsi") size_of::<libc::clone_args>(),
            in("r12") child,
            in("r13") run as extern "C" fn(*mut c_void) -> !,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    result as i32
}
