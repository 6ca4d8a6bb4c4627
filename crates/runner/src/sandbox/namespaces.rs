//! Namespaces of its own for a jail of tier A, with a root that holds nothing but what the program may see.

use std::ffi::{CStr, OsStr, OsString};
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

use super::wire::{JailSpec, StorageSpec};
use crate::Language;
use crate::error::{SandboxPart, StepError};
use crate::sandbox::{STORAGE_BYTES, STORAGE_FILES};

/// The program's user and group, as numbered in the jail.
pub(super) const JAILED_ID: u32 = 1000;
/// The first user number, outside the jail, for programs if we are root; each jail has a number of its own, so that they
/// share no quota.
const FIRST_OUTSIDE_ID: u32 = 0x7000_0000;
/// A user that owns nothing, for systems where root may not use any number.
const NOBODY: u32 = 65534;

/// The size of a jail's `/tmp`.
const TMP: &CStr = c"size=16m,nr_inodes=1k,mode=1777";
/// The size of the root: directories, and copies of files that the program could not read otherwise.
const ROOT: &CStr = c"size=256m,nr_inodes=32k,mode=755";
/// The size of a storage, [`STORAGE_BYTES`] in [`STORAGE_FILES`] with the root of it.
const STORAGE: &CStr = c"size=64m,nr_inodes=1001,mode=777";
/// The same for what is copied into a storage or out of it.
const MAX_STORED: (usize, u64) = (STORAGE_FILES + 1, STORAGE_BYTES);
/// Where a storage is, unless something lies there that the program sees.
const DATA: &str = "/data";
/// Where it is otherwise.
const HIDDEN_DATA: &str = "/.data";
/// How many files and bytes of a program are copied, where they have to be.
const MAX_COPIED: (usize, u64) = (10_000, 200 * 1024 * 1024);

/// The parts of the system that programs need, where they exist; some of these are links on most systems.
const SYSTEM: [&str; 10] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store", "/run/current-system/sw"];
/// How the names in `/etc` begin by which loaders find their parts; those of languages are in their table.
const ETC: [&str; 4] = ["ld.so.", "alternatives", "localtime", "static"];
/// Runtimes do not start if they find these and may not read them.
const OPENSSL: [&str; 3] = ["/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies"];
/// Harmless devices. `/dev/zero` is not one of them: a shared mapping of it is memory that no process is charged for.
pub(super) const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];
/// What takes the place of `/dev/zero`: it also reads as zeros, and cannot be mapped.
const ZERO: (&str, &str) = ("/dev/zero", "/dev/full");

/// Returns the parts of the system that a program sees, in any tier.
pub(super) fn system() -> Vec<PathBuf> {
    let etc = fs::read_dir("/etc").into_iter().flatten().flatten().map(|entry| entry.path());
    let of_runtimes = |path: &PathBuf| {
        let mut prefixes = ETC.into_iter().chain(Language::all().filter_map(Language::etc_prefix));
        path.file_name().and_then(OsStr::to_str).is_some_and(|name| prefixes.any(|prefix| name.starts_with(prefix)))
    };
    SYSTEM.iter().chain(&OPENSSL).map(PathBuf::from).chain(etc.filter(of_runtimes)).filter(|path| path.exists()).collect()
}

/// Moves this process into user, mount, network, ipc and uts namespaces of its own; its next child will be the first process
/// of a new pid namespace. Returns whether the user [`JAILED_ID`] is another one than the supervisor's.
pub(super) fn unshare_all() -> Result<bool, StepError> {
    let has_own_user = if geteuid().is_root() { map_as_root()? } else { map_oneself()? };
    let rest = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWNET | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    unshare(rest).map_err(StepError::at(SandboxPart::Namespaces, "mount, pid, network, ipc and uts namespaces"))?;
    Ok(has_own_user)
}

#[expect(unsafe_code, reason = "unsharing is safe in a process with a single thread only")]
fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: this process has a single thread, and no file descriptor tables are unshared.
    unsafe { rustix::thread::unshare_unsafe(flags) }
}

/// An ordinary user is the only one in the new namespace, with the number [`JAILED_ID`].
fn map_oneself() -> Result<bool, StepError> {
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    unshare(UnshareFlags::NEWUSER).map_err(StepError::at(SandboxPart::Namespaces, "user namespace"))?;
    let map = |file: &str, text: String| {
        fs::write(format!("/proc/self/{file}"), text)
            .map_err(StepError::at(SandboxPart::Namespaces, format!("user namespace: {file}")))
    };
    map("setgroups", "deny".to_owned())?;
    map("uid_map", format!("{JAILED_ID} {uid} 1"))?;
    map("gid_map", format!("{JAILED_ID} {gid} 1"))?;
    Ok(false)
}

/// Root stays root, but programs run as another user that owns nothing: quotas do not apply to root, and root owns its files
/// in a namespace, too. A map of two users needs rights over the old namespace, so a child that stays there writes it.
#[expect(unsafe_code, reason = "forks")]
fn map_as_root() -> Result<bool, StepError> {
    let (mut wait, mut go) = io::pipe().map_err(StepError::at(SandboxPart::Namespaces, "pipe"))?;
    let us = std::process::id();
    // SAFETY: this process has a single thread, so the child may do anything.
    let child = unsafe { libc::fork() };
    match child {
        -1 => return Err(StepError::last_os_error(SandboxPart::Namespaces, "fork")),
        0 => {
            drop(go);
            let _ = wait.read(&mut [0]);
            let others = [FIRST_OUTSIDE_ID + us, NOBODY].map(|outside| format!("0 0 1\n{JAILED_ID} {outside} 1\n"));
            let maps = others.iter().map(String::as_str).chain(["0 0 1\n"]);
            let write =
                |map: &str| ["uid_map", "gid_map"].iter().all(|file| fs::write(format!("/proc/{us}/{file}"), map).is_ok());
            let written = maps.map(write).position(|is_written| is_written);
            std::process::exit(written.map_or(9, |map| map as i32));
        }
        _ => drop(wait),
    }
    let unshared = unshare(UnshareFlags::NEWUSER).map_err(StepError::at(SandboxPart::Namespaces, "user namespace"));
    let _ = go.write(&[1]);
    let mut status = 0;
    // SAFETY: the call writes to the variable that it is given, which lives until it returns.
    unsafe { libc::waitpid(child, &mut status, 0) };
    unshared?;
    match libc::WEXITSTATUS(status) {
        0 | 1 => Ok(true),
        2 => Ok(false),
        _ => Err(StepError::new(SandboxPart::Namespaces, "user namespace", "its users cannot be mapped")),
    }
}

/// Something from outside that will be visible inside.
struct Shown {
    path: PathBuf,
    what: What,
}

enum What {
    Link(PathBuf),
    Folder(OwnedFd),
    File(OwnedFd),
    /// To be copied, because the program, being another user, could not read it.
    Copied(OwnedFd),
}

/// A root that was built.
pub(super) struct Root {
    /// Where the storage is, and where it is to be copied, if there is such a place.
    kept_storage: Option<(PathBuf, OwnedFd)>,
    /// Where `data` in the working directory leads.
    data: Option<PathBuf>,
    /// What will be visible below `/tmp`, and where it is kept for that: every start has a `/tmp` of its own.
    below_tmp: Vec<(PathBuf, PathBuf)>,
    directory: PathBuf,
    /// Whether `/tmp` is mounted now.
    has_tmp: bool,
}

/// Where things are kept that will be visible below `/tmp`.
const KEPT: &str = "/.tmp";

/// Puts this process, the first of its pid namespace, into a root with nothing in it but what `spec` names and the system.
/// `others_only` if the program will be another user than this process, and may read only what all users may.
pub(super) fn build_root(spec: &JailSpec, others_only: bool) -> Result<Root, StepError> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(StepError::at(SandboxPart::Files, "the root cannot be made private"))?;
    // As long as the old root is there.
    let shown = gather(spec, others_only)?;
    let storage = OpenStorage::open(spec)?;
    change_root()?;
    let mut below_tmp = Vec::new();
    for (one, attributes) in shown {
        place(out_of_tmp(one, &mut below_tmp), attributes)?;
    }
    let data = spec.storage.as_ref().map(|_| storage_of(spec).to_owned());
    let kept_storage = storage.place(spec, &mut below_tmp)?;
    populate(spec).map_err(StepError::at(SandboxPart::Files, "the new root cannot be populated"))?;
    let built = Root { kept_storage, data, below_tmp, directory: PathBuf::from(&spec.directory), has_tmp: false };
    if !built.directory.starts_with("/tmp") {
        built.link_data();
    }
    let root = rustix::fs::open("/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
        .map_err(StepError::at(SandboxPart::Files, "the new root"))?;
    set_attributes(root.as_fd(), libc::MOUNT_ATTR_RDONLY, 0)
        .map_err(StepError::at(SandboxPart::Files, "the root cannot be made read-only"))?;
    Ok(built)
}

/// Returns where the storage of a program is.
pub(super) fn storage_of(spec: &JailSpec) -> &'static Path {
    let seen = spec.readable.iter().chain(&spec.scratch).chain([&spec.directory]);
    Path::new(if seen.map(Path::new).any(|path| path.starts_with(DATA)) { HIDDEN_DATA } else { DATA })
}

/// What a storage is made of, opened as long as the old root is there.
#[derive(Default)]
struct OpenStorage {
    from: Option<OwnedFd>,
    keep: Option<OwnedFd>,
}

impl OpenStorage {
    fn open(spec: &JailSpec) -> Result<OpenStorage, StepError> {
        let Some(StorageSpec::Writable { from, keep, .. }) = &spec.storage else { return Ok(OpenStorage::default()) };
        let open = |path: &Option<OsString>| -> Result<_, StepError> {
            let Some(path) = path.as_ref().map(Path::new) else { return Ok(None) };
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            rustix::fs::open(path, flags, Mode::empty()).map(Some).map_err(StepError::at(SandboxPart::Files, path.display()))
        };
        Ok(OpenStorage { from: open(from)?, keep: open(keep)? })
    }

    /// Makes the storage in the new root. Returns where it is and where it is kept.
    fn place(self, spec: &JailSpec, below_tmp: &mut Vec<(PathBuf, PathBuf)>) -> Result<Option<(PathBuf, OwnedFd)>, StepError> {
        let (path, failed) = (storage_of(spec), StepError::at(SandboxPart::Files, "the storage"));
        match &spec.storage {
            None => Ok(None),
            Some(StorageSpec::ReadOnly(folder)) => symlink(Path::new(folder), path).map(|()| None).map_err(failed),
            Some(StorageSpec::Writable { at, .. }) => {
                self.fill(path).map_err(failed)?;
                match at.as_ref().map(PathBuf::from) {
                    Some(at) if at.starts_with("/tmp") => below_tmp.push((at, path.to_owned())),
                    // Below a directory that is read-only, it may be impossible.
                    Some(at) if at != path && make_folder(&at).is_ok() => {
                        mount_bind_recursive(path, &at).map_err(StepError::at(SandboxPart::Files, at.display()))?;
                    }
                    _ => {}
                }
                Ok(self.keep.map(|keep| (path.to_owned(), keep)))
            }
        }
    }

    fn fill(&self, path: &Path) -> io::Result<()> {
        make_folder(path)?;
        mount_tmpfs(path, STORAGE)?;
        // The program may be another user.
        let mut copy = Copying::new(MAX_STORED, 0o222, true);
        self.from.as_ref().map_or(Ok(()), |from| copy.copy(from, path))
    }
}

/// Collects everything that will be visible, parents before what lies in them.
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
        // What lies in a visible directory is visible already.
        if !shown.iter().any(|(shown, _)| path.starts_with(&shown.path)) {
            let one = if others_only && has_hidden_parts(path) { to_copy(path.into())? } else { show(path.into())? };
            shown.push((one, Attributes::ReadOnly));
        }
    }
    if let Some(path) = &spec.scratch {
        let scratch = show(path.into())?;
        if let (What::Folder(tree), true) = (&scratch.what, others_only) {
            rustix::fs::chownat(tree, c"", Some(Uid::from_raw(JAILED_ID)), Some(Gid::from_raw(JAILED_ID)), AtFlags::EMPTY_PATH)
                .map_err(StepError::at(SandboxPart::Files, format!("{} cannot be given to the program", path.display())))?;
        }
        shown.push((scratch, Attributes::Writable));
    }
    Ok(shown)
}

/// Mounts a `/proc` of this pid namespace. The kernel allows it only while there is an old one of which nothing is hidden.
fn new_proc() -> Result<Shown, StepError> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    let mount_proc = |options: &CStr| mount("proc", "/proc", "proc", flags, Some(options));
    // Only what is about processes, where the kernel can omit the rest.
    mount_proc(c"subset=pid")
        .or_else(|_| mount_proc(c""))
        .map_err(StepError::at(SandboxPart::Files, "/proc cannot be mounted"))?;
    show("/proc".into())
}

/// Exchanges the old root for an empty one.
fn change_root() -> Result<(), StepError> {
    mount_tmpfs("/tmp", ROOT).map_err(StepError::at(SandboxPart::Files, "a root cannot be made"))?;
    std::env::set_current_dir("/tmp").map_err(StepError::at(SandboxPart::Files, "the new root"))?;
    rustix::process::pivot_root(".", ".").map_err(StepError::at(SandboxPart::Files, "the root cannot be changed"))?;
    unmount(".", UnmountFlags::DETACH).map_err(StepError::at(SandboxPart::Files, "the old root cannot be left"))?;
    std::env::set_current_dir("/").map_err(StepError::at(SandboxPart::Files, "the new root"))
}

fn mount_tmpfs(target: impl rustix::path::Arg, options: &CStr) -> rustix::io::Result<()> {
    mount("tmpfs", target, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(options))
}

impl Root {
    /// Replaces `/tmp` by a new one that is empty except for what will be visible below it.
    pub(super) fn renew_tmp(&mut self) -> Result<(), StepError> {
        if self.has_tmp {
            unmount("/tmp", UnmountFlags::DETACH).map_err(StepError::at(SandboxPart::Files, "/tmp cannot be emptied"))?;
        }
        mount_tmpfs("/tmp", TMP).map_err(StepError::at(SandboxPart::Files, "/tmp cannot be made"))?;
        self.has_tmp = true;
        if self.directory.starts_with("/tmp") {
            make_folder(&self.directory).map_err(StepError::at(SandboxPart::Files, self.directory.display()))?;
        }
        for (path, kept) in &self.below_tmp {
            let seen = || -> io::Result<()> {
                if self.data.as_ref() == Some(kept) && make_folder(path).is_err() {
                    return Ok(());
                }
                if kept.is_dir() {
                    make_folder(path)?;
                } else {
                    make_parents(path)?;
                    fs::write(path, "")?;
                }
                Ok(mount_bind_recursive(kept.as_path(), path.as_path())?)
            };
            seen().map_err(StepError::at(SandboxPart::Files, path.display()))?;
        }
        if self.directory.starts_with("/tmp") {
            self.link_data();
        }
        Ok(())
    }

    /// Makes `data` in the working directory lead to the storage, unless something of that name is visible there, or the directory
    /// is one of those that are read-only.
    fn link_data(&self) {
        if let Some(data) = &self.data {
            let _ = symlink(data, self.directory.join("data"));
        }
    }

    /// Copies the storage to where it is kept.
    pub(super) fn keep_storage(&self) -> Result<(), StepError> {
        let failed = StepError::at(SandboxPart::Files, "the storage cannot be copied");
        let Some((path, keep)) = &self.kept_storage else { return Ok(()) };
        let copied = || -> io::Result<()> {
            let storage = rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
            // The directory lies in the old root, to which only its descriptor leads.
            rustix::process::fchdir(keep)?;
            let copied = Copying::new(MAX_STORED, 0, false).copy(&storage, Path::new("."));
            std::env::set_current_dir("/")?;
            copied
        };
        copied().map_err(failed)
    }
}

fn out_of_tmp(shown: Shown, below_tmp: &mut Vec<(PathBuf, PathBuf)>) -> Shown {
    let Ok(rest) = shown.path.strip_prefix("/tmp") else { return shown };
    let kept = Path::new(KEPT).join(rest);
    below_tmp.push((shown.path.clone(), kept.clone()));
    Shown { path: kept, ..shown }
}

/// Opens what is at this path.
fn show(path: PathBuf) -> Result<Shown, StepError> {
    let name = path.display().to_string();
    let tree = clone_tree(&path)?;
    let is_folder = fs::metadata(&path).map_err(StepError::at(SandboxPart::Files, &name))?.is_dir();
    Ok(Shown { path, what: if is_folder { What::Folder(tree) } else { What::File(tree) } })
}

/// Opens a part of the system. Many parts are links on most systems, and stay links.
fn show_system(path: PathBuf) -> Result<Shown, StepError> {
    match fs::read_link(&path) {
        Ok(target) if target.is_relative() => Ok(Shown { path, what: What::Link(target) }),
        _ => show(path),
    }
}

/// Opens what will be copied when the old root is gone.
fn to_copy(path: PathBuf) -> Result<Shown, StepError> {
    let file = fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_CLOEXEC)
        .open(&path)
        .map_err(StepError::at(SandboxPart::Files, path.display()))?;
    Ok(Shown { path, what: What::Copied(file.into()) })
}

fn clone_tree(path: &Path) -> Result<OwnedFd, StepError> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    open_tree(CWD, path, flags).map_err(StepError::at(SandboxPart::Files, path.display()))
}

/// Returns whether something in it is not readable for all users, or not executable for all if it is for its owner. What is
/// too large to be copied is not examined.
fn has_hidden_parts(path: &Path) -> bool {
    let (mut entries, mut bytes, mut is_hidden) = (0, 0, false);
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        let metadata = if entries == 0 { fs::metadata(&path).unwrap_or(metadata) } else { metadata };
        entries += 1;
        bytes += metadata.len();
        if entries > MAX_COPIED.0 || bytes > MAX_COPIED.1 {
            return false;
        }
        if metadata.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        let needed = if metadata.mode() & 0o100 != 0 { 0o005 } else { 0o004 };
        is_hidden |= !metadata.is_symlink() && metadata.mode() & needed != needed;
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
            make_parents(&path).map_err(StepError::at(SandboxPart::Files, &name))?;
            return symlink(target, &path).map_err(StepError::at(SandboxPart::Files, &name));
        }
        What::Copied(from) => {
            make_parents(&path).map_err(StepError::at(SandboxPart::Files, &name))?;
            let mut copying = Copying::new(MAX_COPIED, 0, false);
            let advice = "make it readable for all users, or start as an ordinary user";
            return copying.copy(&from, &path).map_err(StepError::at(
                SandboxPart::Files,
                format!("{name} is not readable for all users and cannot be copied ({advice})"),
            ));
        }
        What::Folder(tree) => {
            make_folder(&path).map_err(StepError::at(SandboxPart::Files, &name))?;
            tree
        }
        What::File(tree) => {
            make_parents(&path).map_err(StepError::at(SandboxPart::Files, &name))?;
            fs::write(&path, "").map_err(StepError::at(SandboxPart::Files, &name))?;
            tree
        }
    };
    let set = match attributes {
        Attributes::ReadOnly => libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        // A device can still be written; this protects its entry in the directory.
        Attributes::Device => libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC,
        Attributes::Writable => libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        Attributes::AsItIs => 0,
    };
    set_attributes(tree.as_fd(), set, libc::AT_RECURSIVE as u32).map_err(StepError::at(SandboxPart::Files, &name))?;
    move_mount(&tree, c"", CWD, path.as_path(), MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
        .map_err(StepError::at(SandboxPart::Files, &name))
}

#[expect(unsafe_code, reason = "rustix has no mount_setattr")]
fn set_attributes(mount: BorrowedFd<'_>, set: u64, flags: u32) -> io::Result<()> {
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the call reads an empty text and the attributes, whose size is passed.
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

/// Adds what every root has besides: a place for `/tmp`, the working directory, and the name of a user.
fn populate(spec: &JailSpec) -> io::Result<()> {
    make_folder(Path::new("/tmp"))?;
    if !Path::new(&spec.directory).starts_with("/tmp") {
        make_folder(Path::new(&spec.directory))?;
    }
    // Unless something lies there that will be visible.
    if !Path::new("/dev/shm").exists() {
        symlink("/tmp", "/dev/shm")?;
    }
    for (name, to) in [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
        symlink(to, Path::new("/dev").join(name))?;
    }
    make_folder(Path::new("/etc"))?;
    fs::write("/etc/passwd", format!("bot:x:{JAILED_ID}:{JAILED_ID}::/tmp:/bin/sh\n"))?;
    fs::write("/etc/group", format!("bot:x:{JAILED_ID}:\n"))?;
    let _ = rustix::system::sethostname(b"pacman2");
    Ok(())
}

fn make_parents(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), make_folder)
}

fn make_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// Copies files and directories so that all users can read them.
struct Copying {
    /// How many files and bytes may be copied.
    limits: (usize, u64),
    /// How many files and bytes may follow.
    left: (usize, u64),
    /// What all users may besides.
    mode: u32,
    /// Whether links are copied, as links. Otherwise they are omitted.
    with_links: bool,
}

impl Copying {
    fn new(limits: (usize, u64), mode: u32, with_links: bool) -> Copying {
        Copying { limits, left: limits, mode, with_links }
    }

    fn copy(&mut self, from: &OwnedFd, to: &Path) -> io::Result<()> {
        let (files, bytes) = self.limits;
        let too_much = || io::Error::other(format!("more than {files} files or {} MB", bytes >> 20));
        let metadata = rustix::fs::fstat(from)?;
        self.left.0 = self.left.0.checked_sub(1).ok_or_else(too_much)?;
        if FileType::from_raw_mode(metadata.st_mode).is_dir() {
            return self.copy_folder(from, to);
        }
        if !FileType::from_raw_mode(metadata.st_mode).is_file() {
            return Ok(());
        }
        self.left.1 = self.left.1.checked_sub(metadata.st_size as u64).ok_or_else(too_much)?;
        let mut source = fs::File::from(from.try_clone()?);
        let mut target = fs::File::create(to)?;
        io::copy(&mut source, &mut target)?;
        let mode = if metadata.st_mode & 0o100 != 0 { 0o755 } else { 0o644 };
        target.set_permissions(fs::Permissions::from_mode(mode | self.mode))
    }

    fn copy_folder(&mut self, from: &OwnedFd, to: &Path) -> io::Result<()> {
        make_folder(to)?;
        if self.mode != 0 {
            fs::set_permissions(to, fs::Permissions::from_mode(0o755 | self.mode))?;
        }
        let mut folder = Dir::read_from(from)?;
        while let Some(entry) = folder.read() {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            if name == "." || name == ".." {
                continue;
            }
            match rustix::fs::openat(from, entry.file_name(), flags, Mode::empty()) {
                Ok(inner) => self.copy(&inner, &to.join(name))?,
                Err(rustix::io::Errno::LOOP) if self.with_links => {
                    let target = rustix::fs::readlinkat(from, entry.file_name(), Vec::new())?;
                    symlink(OsStr::from_bytes(target.to_bytes()), to.join(name))?;
                }
                // Links and sockets are omitted.
                Err(rustix::io::Errno::LOOP | rustix::io::Errno::NXIO) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
