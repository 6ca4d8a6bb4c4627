//! The walls of a jail of tier A: namespaces of its own, and a root in which there is nothing but what the bot may see.

use std::ffi::{CStr, OsStr};
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Uid};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_bind_recursive, mount_change,
    move_mount, open_tree, unmount,
};
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;

use super::wire::JailSpec;
use crate::Language;
use crate::error::StepError;

/// The bot's user and group, as numbered in the jail.
pub(super) const BOT: u32 = 1000;
/// From here on, outside the jail, the numbers of users as whom bots run if the judge is root; each jail has one of its
/// own, so that they share no quota.
const BOTS_OUTSIDE: u32 = 0x7000_0000;
/// A user who owns nothing, where root may not be just anybody.
const NOBODY: u32 = 65534;

/// What `/tmp` of a jail takes.
const TMP: &CStr = c"size=16m,nr_inodes=1k,mode=1777";
/// What the root takes: folders, and copies of files that the bot could not read otherwise.
const ROOT: &CStr = c"size=256m,nr_inodes=32k,mode=755";
/// How many files and bytes of a bot are copied, where they have to be.
const COPIED_AT_MOST: (usize, u64) = (10_000, 200 * 1024 * 1024);

/// The system as a bot needs it, where it exists; some of these are links on most systems.
const SYSTEM: [&str; 10] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store", "/run/current-system/sw"];
/// How the names in `/etc` begin by which loaders find their parts; those of languages are in their table.
const ETC: [&str; 4] = ["ld.so.", "alternatives", "localtime", "static"];
/// Runtimes do not start if they find this and may not read it.
const OPENSSL: [&str; 3] = ["/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies"];
/// The devices that do nothing to others; `/dev/zero` is none of them, for a shared mapping of it is memory that no process
/// shows.
pub(super) const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];
/// What takes the place of `/dev/zero`: it has as many zeros, and cannot be mapped.
const ZERO: (&str, &str) = ("/dev/zero", "/dev/full");

/// What of the system a bot sees, in any tier.
pub(super) fn system() -> Vec<PathBuf> {
    let etc = fs::read_dir("/etc").into_iter().flatten().flatten().map(|entry| entry.path());
    let of_runtimes = |path: &PathBuf| {
        let mut prefixes = ETC.into_iter().chain(Language::ALL.into_iter().filter_map(Language::etc_prefix));
        path.file_name().and_then(OsStr::to_str).is_some_and(|name| prefixes.any(|prefix| name.starts_with(prefix)))
    };
    SYSTEM.iter().chain(&OPENSSL).map(PathBuf::from).chain(etc.filter(of_runtimes)).filter(|path| path.exists()).collect()
}

/// Takes this process out of the user, mount, network, ipc and uts namespaces that it shares with others; its next child
/// will be the first process of a new pid namespace. Returns whether there is a user [`BOT`] that is not the warden's.
pub(super) fn leave_namespaces() -> Result<bool, StepError> {
    let has_bot = if geteuid().is_root() { map_as_root()? } else { map_oneself()? };
    let rest = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWNET | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    unshare(rest).map_err(StepError::at("mount, pid, network, ipc and uts namespaces"))?;
    Ok(has_bot)
}

fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: this process has a single thread, and no file descriptor tables are unshared.
    unsafe { rustix::thread::unshare_unsafe(flags) }
}

/// An ordinary user is the only one in the new namespace, and called [`BOT`] there.
fn map_oneself() -> Result<bool, StepError> {
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    unshare(UnshareFlags::NEWUSER).map_err(StepError::at("user namespace"))?;
    let map = |file: &str, text: String| {
        fs::write(format!("/proc/self/{file}"), text).map_err(StepError::at(format!("user namespace: {file}")))
    };
    map("setgroups", "deny".to_owned())?;
    map("uid_map", format!("{BOT} {uid} 1"))?;
    map("gid_map", format!("{BOT} {gid} 1"))?;
    Ok(false)
}

/// Root stays root, but bots are somebody else, who owns nothing: quotas do not hold for root, and root's files are
/// root's also in a namespace. A map of two needs rights over the old namespace, so a child that stays there writes it.
fn map_as_root() -> Result<bool, StepError> {
    let (mut wait, mut go) = io::pipe().map_err(StepError::at("pipe"))?;
    let us = std::process::id();
    // SAFETY: this process has a single thread, so the child may do anything.
    let child = unsafe { libc::fork() };
    match child {
        -1 => return Err(StepError::last_os_error("fork")),
        0 => {
            drop(go);
            let _ = wait.read(&mut [0]);
            let others = [BOTS_OUTSIDE + us, NOBODY].map(|outside| format!("0 0 1\n{BOT} {outside} 1\n"));
            let maps = others.iter().map(String::as_str).chain(["0 0 1\n"]);
            let write =
                |map: &str| ["uid_map", "gid_map"].iter().all(|file| fs::write(format!("/proc/{us}/{file}"), map).is_ok());
            let written = maps.map(write).position(|is_written| is_written);
            std::process::exit(written.map_or(9, |map| map as i32));
        }
        _ => drop(wait),
    }
    let unshared = unshare(UnshareFlags::NEWUSER).map_err(StepError::at("user namespace"));
    let _ = go.write(&[1]);
    let mut status = 0;
    // SAFETY: the call writes to the variable that it is given, which lives until it returns.
    unsafe { libc::waitpid(child, &mut status, 0) };
    unshared?;
    match libc::WEXITSTATUS(status) {
        0 | 1 => Ok(true),
        2 => Ok(false),
        _ => Err(StepError::at("user namespace")("its users cannot be mapped")),
    }
}

/// Something from outside that is to be seen inside.
struct Shown {
    path: PathBuf,
    what: What,
}

enum What {
    Link(PathBuf),
    Folder(OwnedFd),
    File(OwnedFd),
    /// To be copied: the bot, being another user, could not read it.
    Copied(OwnedFd),
}

/// A root that stands.
pub(super) struct Root {
    /// What is to be seen below `/tmp`, and where it is kept for that: every start has a `/tmp` of its own.
    below_tmp: Vec<(PathBuf, PathBuf)>,
    directory: PathBuf,
    /// As mounted now.
    has_tmp: bool,
}

/// Where things are kept that are to be seen below `/tmp`.
const KEPT: &str = "/.tmp";

/// Puts this process, the first of its pid namespace, into a root with nothing in it but what `spec` and the system need.
/// `others_only` if the bot will be another user than this process, and may read only what everybody may.
pub(super) fn build_root(spec: &JailSpec, others_only: bool) -> Result<Root, StepError> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(StepError::at("the root cannot be made private"))?;
    // As long as the old root is there.
    let shown = gather(spec, others_only)?;
    change_root()?;
    let mut below_tmp = Vec::new();
    for (one, attributes) in shown {
        place(out_of_tmp(one, &mut below_tmp), attributes)?;
    }
    furnish(spec).map_err(StepError::at("the new root cannot be furnished"))?;
    let root = rustix::fs::open("/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(StepError::at("the new root"))?;
    set_attributes(root.as_fd(), libc::MOUNT_ATTR_RDONLY, 0).map_err(StepError::at("the root cannot be made read-only"))?;
    Ok(Root { below_tmp, directory: PathBuf::from(&spec.directory), has_tmp: false })
}

/// All that is to be seen, parents before what lies in them.
fn gather(spec: &JailSpec, others_only: bool) -> Result<Vec<(Shown, Attributes)>, StepError> {
    let mut shown = vec![(new_proc()?, Attributes::AsItIs)];
    for device in DEVICES {
        shown.push((show(device.into())?, Attributes::Device));
    }
    shown.push((Shown { path: ZERO.0.into(), ..show(ZERO.1.into())? }, Attributes::Device));
    for path in system() {
        shown.push((show_system(path)?, Attributes::ReadOnly));
    }
    let mut readable: Vec<&Path> = spec.readable.iter().map(Path::new).collect();
    readable.sort();
    for path in &readable {
        // What lies in a folder that is shown is there already.
        if !shown.iter().any(|(shown, _)| path.starts_with(&shown.path)) {
            let one = if others_only && has_hidden_parts(path) { to_copy(path.into())? } else { show(path.into())? };
            shown.push((one, Attributes::ReadOnly));
        }
    }
    if let Some(path) = &spec.scratch {
        let scratch = show(path.into())?;
        if let (What::Folder(tree), true) = (&scratch.what, others_only) {
            rustix::fs::chownat(tree, c"", Some(Uid::from_raw(BOT)), Some(Gid::from_raw(BOT)), AtFlags::EMPTY_PATH)
                .map_err(StepError::at(format!("{} cannot be given to the bot", path.display())))?;
        }
        shown.push((scratch, Attributes::Writable));
    }
    Ok(shown)
}

/// A `/proc` of this pid namespace. It may be mounted only as long as there is an old one of which nothing is hidden.
fn new_proc() -> Result<Shown, StepError> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    let mount_proc = |options: &CStr| mount("proc", "/proc", "proc", flags, Some(options));
    // Only what is about processes, where the kernel can leave out the rest.
    mount_proc(c"subset=pid").or_else(|_| mount_proc(c"")).map_err(StepError::at("/proc cannot be mounted"))?;
    show("/proc".into())
}

/// Leaves the old root for an empty one.
fn change_root() -> Result<(), StepError> {
    mount_tmpfs("/tmp", ROOT).map_err(StepError::at("a root cannot be made"))?;
    std::env::set_current_dir("/tmp").map_err(StepError::at("the new root"))?;
    rustix::process::pivot_root(".", ".").map_err(StepError::at("the root cannot be changed"))?;
    unmount(".", UnmountFlags::DETACH).map_err(StepError::at("the old root cannot be left"))?;
    std::env::set_current_dir("/").map_err(StepError::at("the new root"))
}

fn mount_tmpfs(target: &str, options: &CStr) -> rustix::io::Result<()> {
    mount("tmpfs", target, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(options))
}

impl Root {
    /// An empty `/tmp` in the place of the one that was used, but for what lies below it and is to be seen.
    pub(super) fn renew_tmp(&mut self) -> Result<(), StepError> {
        if self.has_tmp {
            unmount("/tmp", UnmountFlags::DETACH).map_err(StepError::at("/tmp cannot be emptied"))?;
        }
        mount_tmpfs("/tmp", TMP).map_err(StepError::at("/tmp cannot be made"))?;
        self.has_tmp = true;
        if self.directory.starts_with("/tmp") {
            make_folder(&self.directory).map_err(StepError::at(self.directory.display()))?;
        }
        for (path, kept) in &self.below_tmp {
            let seen = || -> io::Result<()> {
                if kept.is_dir() {
                    make_folder(path)?;
                } else {
                    make_parents(path)?;
                    fs::write(path, "")?;
                }
                Ok(mount_bind_recursive(kept.as_path(), path.as_path())?)
            };
            seen().map_err(StepError::at(path.display()))?;
        }
        Ok(())
    }
}

fn out_of_tmp(shown: Shown, below_tmp: &mut Vec<(PathBuf, PathBuf)>) -> Shown {
    let Ok(rest) = shown.path.strip_prefix("/tmp") else { return shown };
    let kept = Path::new(KEPT).join(rest);
    below_tmp.push((shown.path.clone(), kept.clone()));
    Shown { path: kept, ..shown }
}

/// What is at this path.
fn show(path: PathBuf) -> Result<Shown, StepError> {
    let name = path.display().to_string();
    let tree = clone_tree(&path)?;
    let is_folder = fs::metadata(&path).map_err(StepError::at(&name))?.is_dir();
    Ok(Shown { path, what: if is_folder { What::Folder(tree) } else { What::File(tree) } })
}

/// A part of the system: many are links on most systems, and stay links.
fn show_system(path: PathBuf) -> Result<Shown, StepError> {
    match fs::read_link(&path) {
        Ok(target) if target.is_relative() => Ok(Shown { path, what: What::Link(target) }),
        _ => show(path),
    }
}

/// Opened now, copied when the old root is gone.
fn to_copy(path: PathBuf) -> Result<Shown, StepError> {
    let file =
        fs::OpenOptions::new().read(true).custom_flags(libc::O_CLOEXEC).open(&path).map_err(StepError::at(path.display()))?;
    Ok(Shown { path, what: What::Copied(file.into()) })
}

fn clone_tree(path: &Path) -> Result<OwnedFd, StepError> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    open_tree(CWD, path, flags).map_err(StepError::at(path.display()))
}

/// Whether something in it is not for everybody to read, or to run or look into if its owner may. What is too large to be
/// copied is not looked through.
fn has_hidden_parts(path: &Path) -> bool {
    let (mut entries, mut bytes, mut is_hidden) = (0, 0, false);
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        let metadata = if entries == 0 { fs::metadata(&path).unwrap_or(metadata) } else { metadata };
        entries += 1;
        bytes += metadata.len();
        if entries > COPIED_AT_MOST.0 || bytes > COPIED_AT_MOST.1 {
            return false;
        }
        if metadata.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        let wanted = if metadata.mode() & 0o100 != 0 { 0o005 } else { 0o004 };
        is_hidden |= !metadata.is_symlink() && metadata.mode() & wanted != wanted;
    }
    is_hidden
}

#[derive(Clone, Copy, PartialEq)]
enum Attributes {
    ReadOnly,
    Device,
    Writable,
    AsItIs,
}

fn place(shown: Shown, attributes: Attributes) -> Result<(), StepError> {
    let Shown { path, what } = shown;
    let name = path.display().to_string();
    let tree = match what {
        What::Link(target) => {
            make_parents(&path).map_err(StepError::at(&name))?;
            return symlink(target, &path).map_err(StepError::at(&name));
        }
        What::Copied(from) => {
            make_parents(&path).map_err(StepError::at(&name))?;
            let mut left = COPIED_AT_MOST;
            let advice = "let everybody read it, or start as an ordinary user";
            return copy(&from, &path, &mut left)
                .map_err(StepError::at(format!("{name} is not for everybody to read and cannot be copied ({advice})")));
        }
        What::Folder(tree) => {
            make_folder(&path).map_err(StepError::at(&name))?;
            tree
        }
        What::File(tree) => {
            make_parents(&path).map_err(StepError::at(&name))?;
            fs::write(&path, "").map_err(StepError::at(&name))?;
            tree
        }
    };
    let set = match attributes {
        Attributes::ReadOnly => libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        // A device can be written all the same; what is protected is its entry in the folder.
        Attributes::Device => libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC,
        Attributes::Writable => libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        Attributes::AsItIs => 0,
    };
    set_attributes(tree.as_fd(), set, libc::AT_RECURSIVE as u32).map_err(StepError::at(&name))?;
    move_mount(&tree, c"", CWD, path.as_path(), MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH).map_err(StepError::at(&name))
}

fn set_attributes(mount: BorrowedFd<'_>, set: u64, flags: u32) -> io::Result<()> {
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the call reads an empty text and the attributes, whose size it is told.
    let result = unsafe {
        let size = size_of::<libc::mount_attr>();
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags | libc::AT_EMPTY_PATH as u32,
            &attributes,
            size,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// What every root has besides: a place for `/tmp`, the bot's working directory, and a user's name.
fn furnish(spec: &JailSpec) -> io::Result<()> {
    make_folder(Path::new("/tmp"))?;
    if !Path::new(&spec.directory).starts_with("/tmp") {
        make_folder(Path::new(&spec.directory))?;
    }
    // Unless something lies there that is to be seen.
    if !Path::new("/dev/shm").exists() {
        symlink("/tmp", "/dev/shm")?;
    }
    for (name, to) in [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
        symlink(to, Path::new("/dev").join(name))?;
    }
    make_folder(Path::new("/etc"))?;
    fs::write("/etc/passwd", format!("bot:x:{BOT}:{BOT}::/tmp:/bin/sh\n"))?;
    fs::write("/etc/group", format!("bot:x:{BOT}:\n"))?;
    let _ = rustix::system::sethostname(b"pacman2");
    Ok(())
}

fn make_parents(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), make_folder)
}

fn make_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// Copies a file or a folder so that everybody can read it.
fn copy(from: &OwnedFd, to: &Path, left: &mut (usize, u64)) -> io::Result<()> {
    let too_much = || io::Error::other(format!("more than {} files or {} MB", COPIED_AT_MOST.0, COPIED_AT_MOST.1 >> 20));
    let metadata = rustix::fs::fstat(from)?;
    left.0 = left.0.checked_sub(1).ok_or_else(too_much)?;
    if FileType::from_raw_mode(metadata.st_mode).is_dir() {
        make_folder(to)?;
        let mut folder = Dir::read_from(from)?;
        while let Some(entry) = folder.read() {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            if name == "." || name == ".." {
                continue;
            }
            match rustix::fs::openat(from, entry.file_name(), flags, Mode::empty()) {
                Ok(inner) => copy(&inner, &to.join(name), left)?,
                // Links and sockets are left out.
                Err(rustix::io::Errno::LOOP | rustix::io::Errno::NXIO) => {}
                Err(error) => return Err(error.into()),
            }
        }
        return Ok(());
    }
    if !FileType::from_raw_mode(metadata.st_mode).is_file() {
        return Ok(());
    }
    left.1 = left.1.checked_sub(metadata.st_size as u64).ok_or_else(too_much)?;
    let mut source = fs::File::from(from.try_clone()?);
    let mut target = fs::File::create(to)?;
    io::copy(&mut source, &mut target)?;
    let mode = if metadata.st_mode & 0o100 != 0 { 0o755 } else { 0o644 };
    target.set_permissions(fs::Permissions::from_mode(mode))
}
