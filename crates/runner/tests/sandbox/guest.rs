//! The same tests in a virtual machine, with what this machine may lack: control groups of version 2 whose controllers are
//! delegated to root and to an ordinary user, and a kernel without Landlock.
//!
//! This needs QEMU and a kernel: the file that `PACMAN2_KERNEL` names, or else the one in `/boot`. The machine's only files are
//! this program, which is also its first process, the libraries of this program, and a shell. Its processor is emulated, so
//! nothing here depends on how fast it is.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io, thread};

use rustix::mount::{MountFlags, mount, mount_bind, mount_move};
use rustix::process::{chdir, chroot};
use rustix::system::{RebootCommand, reboot};

/// The argument for the tests as the user and in the control group of the caller.
pub(super) const TESTS: &str = "test-in-the-guest";

const QEMU: &str = if cfg!(target_arch = "x86_64") { "qemu-system-x86_64" } else { "qemu-system-aarch64" };
const SHELL: &str = "/bin/sh";
const GROUPS: &str = "/sys/fs/cgroup";
/// The user ID of an ordinary user.
const NOBODY: u32 = 65534;
/// The last line of a guest whose tests have passed.
const PASSED: &str = "the guest has passed";
/// How long a guest may take, in seconds. It takes a few.
const PATIENCE: &str = "300";

/// Boots the guests, if this machine can.
pub(super) fn boot() {
    let kernel = env::var_os("PACMAN2_KERNEL").map(PathBuf::from).or_else(newest_kernel);
    let has_qemu = Command::new(QEMU).arg("--version").output().is_ok();
    let (Some(kernel), true) = (kernel, has_qemu) else {
        return println!(
            "not run: control groups in a virtual machine ({QEMU} or a kernel in PACMAN2_KERNEL or /boot is missing)"
        );
    };
    let folder = tempfile::tempdir().unwrap();
    let initramfs = folder.path().join("initramfs");
    fs::write(&initramfs, archive()).unwrap();
    let all = r#"control groups Some(["cpu", "memory", "pids"])"#;
    let test = |parameters: &str, best: String| {
        let mut qemu = Command::new("timeout");
        qemu.args([PATIENCE, QEMU, "-accel", "tcg", "-cpu", "max", "-smp", "2", "-m", "1024", "-nographic", "-no-reboot"]);
        qemu.arg("-kernel").arg(&kernel).arg("-initrd").arg(&initramfs);
        qemu.arg("-append").arg(format!("console=ttyS0 quiet panic=-1 {parameters}"));
        let output = qemu.output().expect("timeout of coreutils");
        let screen = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(screen.contains(PASSED), "{screen}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(screen.matches(&best).count(), 2, "as root and as an ordinary user: {screen}");
        println!("in a guest {parameters}: {best}");
    };
    // An emulated machine keeps hardly more than one processor busy.
    thread::scope(|scope| {
        scope.spawn(|| test("", format!("the best: tier A, {all}")));
        scope.spawn(|| test("lsm=yama", format!("the best: tier A-, {all}")));
    });
}

/// The first process of the guest.
pub(super) fn init() -> ! {
    match set_up().and_then(|()| test()) {
        Ok(()) => println!("{PASSED}"),
        Err(error) => println!("the guest has failed: {error}"),
    }
    let _ = io::stdout().flush();
    let _ = reboot(RebootCommand::PowerOff);
    unreachable!("the machine is off");
}

fn set_up() -> io::Result<()> {
    // Jails exchange their root, which the kernel does not allow for its first one.
    fs::create_dir("/new")?;
    mount_bind("/", "/new")?;
    chdir("/new")?;
    mount_move("/new", "/")?;
    chroot(".")?;
    for (kind, place) in [("devtmpfs", "/dev"), ("proc", "/proc"), ("sysfs", "/sys"), ("cgroup2", GROUPS), ("tmpfs", "/tmp")] {
        fs::create_dir_all(place)?;
        mount(kind, place, kind, MountFlags::empty(), None)?;
    }
    fs::set_permissions("/tmp", PermissionsExt::from_mode(0o1777))?;
    fs::write(Path::new(GROUPS).join("cgroup.subtree_control"), "+cpu +memory +pids")
}

/// Runs the tests as root and as an ordinary user, each in a control group that was delegated to them.
fn test() -> io::Result<()> {
    for (user, name) in [(0, "of-root"), (NOBODY, "of-nobody")] {
        let group = Path::new(GROUPS).join(name);
        fs::create_dir(&group)?;
        let procs = group.join("cgroup.procs");
        for path in [&group, &procs, &group.join("cgroup.subtree_control"), &group.join("cgroup.threads")] {
            chown(path, Some(user), Some(user))?;
        }
        // The shell enters the group while it is still root.
        let enter = format!("echo 0 > {}; exec \"$@\"", procs.display());
        let mut tests = Command::new(SHELL);
        tests.args(["-c", &enter, SHELL, "/init", TESTS, &user.to_string()]);
        let status = tests.status()?;
        if !status.success() {
            return Err(io::Error::other(format!("tests as user {user}: {status}")));
        }
    }
    Ok(())
}

/// Runs the tests as the user of the second argument.
pub(super) fn tests() {
    let user: u32 = env::args().nth(2).and_then(|user| user.parse().ok()).expect("a user ID");
    if rustix::process::geteuid().as_raw() == user {
        assert!(crate::linux::run_with_control_groups(), "the guest has no sandbox");
        return;
    }
    let error = Command::new("/init").args([TESTS, &user.to_string()]).uid(user).gid(user).exec();
    panic!("cannot become user {user}: {error}");
}

/// Returns the newest kernel in `/boot`, if this process may read it.
fn newest_kernel() -> Option<PathBuf> {
    let files = fs::read_dir("/boot").ok()?.flatten().map(|entry| entry.path());
    let kernels = files.filter(|path| path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("vmlinuz-")));
    kernels.filter(|path| fs::File::open(path).is_ok()).max_by_key(|path| path.metadata().and_then(|file| file.modified()).ok())
}

/// Returns the archive of the guest's files.
fn archive() -> Vec<u8> {
    let this = env::current_exe().unwrap();
    let mut files = vec![(this.clone(), PathBuf::from("/init")), (fs::canonicalize(SHELL).unwrap(), SHELL.into())];
    for program in [&this, Path::new(SHELL)] {
        for library in libraries(program) {
            if !files.iter().any(|(_, place)| *place == library) {
                files.push((library.clone(), library));
            }
        }
    }
    let mut archive = Archive::default();
    // Without it, the first process would have no output.
    archive.add(Path::new("/dev/console"), 0o020_600, (5, 1), b"");
    for (file, place) in files {
        archive.add(&place, 0o100_755, (0, 0), &fs::read(&file).unwrap());
    }
    archive.finish()
}

/// Returns the shared libraries of a program, and its loader.
fn libraries(program: &Path) -> Vec<PathBuf> {
    let output = Command::new("ldd").arg(program).output().expect("ldd");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from).collect()
}

/// A cpio archive as the kernel unpacks it ("newc").
#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    folders: Vec<PathBuf>,
}

impl Archive {
    /// Adds a file, after the folders in which it lies.
    fn add(&mut self, path: &Path, mode: u32, device: (u32, u32), content: &[u8]) {
        for folder in path.ancestors().skip(1).filter(|folder| folder.parent().is_some()).collect::<Vec<_>>().into_iter().rev() {
            if !self.folders.iter().any(|known| known == folder) {
                self.folders.push(folder.to_owned());
                self.entry(folder, 0o040_755, (0, 0), b"");
            }
        }
        self.entry(path, mode, device, content);
    }

    fn entry(&mut self, path: &Path, mode: u32, (major, minor): (u32, u32), content: &[u8]) {
        let name = path.to_str().unwrap().trim_start_matches('/');
        let number = self.bytes.len() as u32;
        let size = content.len() as u32;
        let fields = [number, mode, 0, 0, 1, 0, size, 0, 0, major, minor, name.len() as u32 + 1, 0];
        self.bytes.extend(b"070701");
        fields.iter().for_each(|field| self.bytes.extend(format!("{field:08x}").bytes()));
        self.bytes.extend(name.bytes());
        self.bytes.push(0);
        self.align();
        self.bytes.extend(content);
        self.align();
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn finish(mut self) -> Vec<u8> {
        self.entry(Path::new("TRAILER!!!"), 0, (0, 0), b"");
        self.bytes
    }
}
