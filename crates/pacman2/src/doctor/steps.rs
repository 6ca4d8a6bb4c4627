//! What can be done for a better sandbox, ready to be copied: it follows from what was tried, and from the machine's facts.

use std::fmt;

use pacman2_runner::Tier;

use super::Try;
use super::machine::{Landlock, Machine};

/// The first kernel that has Landlock.
const LANDLOCK_SINCE: (u32, u32) = (5, 13);
/// How many user namespaces there may be, where there may be none: as many as small machines have by default.
const NAMESPACES: u64 = 15_000;

/// What to do, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) why: String,
    /// Lines for a shell. They may be indented.
    pub(super) commands: Vec<String>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)?;
        self.commands.iter().try_for_each(|command| write!(f, "\n    {command}"))
    }
}

fn step<const N: usize>(why: impl Into<String>, commands: [&str; N]) -> Step {
    Step { why: why.into(), commands: commands.map(str::to_owned).to_vec() }
}

/// The steps that lead further than what was tried has led.
pub(super) fn steps(machine: &Machine, tried: &[Try]) -> Vec<Step> {
    let lacks = |tier: Tier| {
        let mut of_tier = tried.iter().filter(|one| one.tier == tier).peekable();
        of_tier.peek().is_some() && of_tier.all(|one| one.found.is_err())
    };
    let wants_walls = lacks(Tier::A) || lacks(Tier::B);
    if machine.system != "linux" {
        return wants_walls.then(|| elsewhere(machine)).into_iter().collect();
    }
    if !["x86_64", "aarch64"].contains(&machine.processor) {
        return wants_walls.then(other_processor).into_iter().collect();
    }
    let mut steps = Vec::new();
    if wants_walls {
        steps.extend(landlock(machine));
    }
    if lacks(Tier::A) {
        steps.extend(namespaces(machine));
    }
    if lacks_groups(tried) && !lacks(Tier::B) {
        steps.extend(control_groups(machine));
    }
    steps
}

/// Groups were tried, and do not limit all that they could.
fn lacks_groups(tried: &[Try]) -> bool {
    let is_whole = |one: &Try| one.found.as_ref().is_ok_and(|groups| groups.as_ref().is_some_and(|groups| groups.len() == 2));
    let mut with_groups = tried.iter().filter(|one| one.control_groups).peekable();
    with_groups.peek().is_some() && !with_groups.any(is_whole)
}

fn elsewhere(machine: &Machine) -> Step {
    const MEANWHILE: &str = "Without it, bots that you trust run with --trust.";
    match machine.system {
        "windows" => step(
            format!(
                "There is a sandbox on Linux only. Windows has one within, WSL 2: install it, build pacman2 there. {MEANWHILE}"
            ),
            ["wsl --install"],
        ),
        "macos" => step(
            format!(
                "There is a sandbox on Linux only. Run pacman2 in a virtual machine, such as Lima's: build it there. {MEANWHILE}"
            ),
            ["brew install lima", "limactl start", "lima"],
        ),
        _ => step(format!("There is a sandbox on Linux only. Run pacman2 in a virtual machine with Linux. {MEANWHILE}"), []),
    }
}

fn other_processor() -> Step {
    step("There is a sandbox on x86-64 and AArch64 only. Run pacman2 on a machine with such a processor.", [])
}

fn landlock(machine: &Machine) -> Option<Step> {
    let (major, minor) = LANDLOCK_SINCE;
    let kernel = machine.kernel.as_deref().unwrap_or("older");
    let whose = around(machine);
    match machine.landlock {
        Landlock::Version(_) => None,
        _ if !machine.has_kernel(major, minor) => Some(step(
            format!("Landlock came with Linux {major}.{minor}, and this is {kernel}: a newer kernel is needed.{whose}"),
            [],
        )),
        Landlock::Off => Some(step(
            format!(
                "The kernel has Landlock, but was not told to use it: add it to its list of security modules, and boot anew. \
                The first two lines are for Debian and Ubuntu, the third one is for Fedora.{whose}"
            ),
            [
                r#"sudo sed -i "s/^GRUB_CMDLINE_LINUX=\"/&lsm=landlock,$(cat /sys/kernel/security/lsm) /" /etc/default/grub"#,
                "sudo update-grub",
                r#"sudo grubby --update-kernel=ALL --args="lsm=landlock,$(cat /sys/kernel/security/lsm)""#,
            ],
        )),
        Landlock::Missing => Some(step(
            format!(
                "This kernel, {kernel}, has no Landlock. Install one that was built with CONFIG_SECURITY_LANDLOCK, as those \
                of today's distributions are.{whose} This line says how the one that runs was built:"
            ),
            ["grep LANDLOCK /boot/config-$(uname -r)"],
        )),
    }
}

/// What is to be done outside, since containers share the kernel of the machine around them.
fn around(machine: &Machine) -> &'static str {
    if machine.is_container { " This is to be done on the machine around this container." } else { "" }
}

/// Why there are no namespaces. Root needs nobody's leave for them, unless a container keeps it.
fn namespaces(machine: &Machine) -> Vec<Step> {
    let mut steps = Vec::new();
    let is_free = machine.is_root && !machine.is_container;
    if machine.namespaces_at_most == Some(0) {
        steps.push(sysctl(machine, "no user namespaces", "user.max_user_namespaces", NAMESPACES));
    }
    if machine.namespaces_for_users == Some(0) && !is_free {
        steps.push(sysctl(machine, "user namespaces to root only", "kernel.unprivileged_userns_clone", 1));
    }
    if machine.apparmor_restricts && !is_free {
        steps.extend((!machine.is_container).then(|| apparmor_profile(&machine.program)));
        let otherwise =
            if machine.is_container { "AppArmor restricts user namespaces. Lift that" } else { "Or lift the restriction" };
        steps.push(step(
            format!(
                "{otherwise} until the next boot, for every program of every user, which makes the machine less safe.{}",
                around(machine)
            ),
            ["sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"],
        ));
    }
    let is_unexplained = steps.is_empty() && matches!(machine.landlock, Landlock::Version(_));
    steps.extend((machine.is_container && is_unexplained).then(container));
    steps
}

fn sysctl(machine: &Machine, what: &str, name: &str, value: u64) -> Step {
    let write = format!("echo '{name} = {value}' | sudo tee -a /etc/sysctl.d/60-pacman2.conf");
    let why = format!("The system allows {what}. Have it allow them to all, now and after each boot.{}", around(machine));
    step(why, [&write, "sudo sysctl --system"])
}

fn apparmor_profile(program: &str) -> Step {
    // What begins a pattern in AppArmor is to be taken as it is; then once more for the shell.
    let escape = |c: char| if r#"\"*?[]{}^"#.contains(c) { format!("\\{c}") } else { c.to_string() };
    let pattern: String = program.chars().map(escape).collect();
    let profile = format!(r#"profile pacman2 "{pattern}" flags=(unconfined) {{"#).replace('\'', r"'\''");
    step(
        "AppArmor lets programs make user namespaces only if they have a profile that says so. Give this one a profile (again, \
         when it has moved):",
        [
            r"printf '%s\n' 'abi <abi/4.0>,' 'include <tunables/global>' \",
            &format!(r"    '{profile}' '  userns,' \"),
            "    '  include if exists <local/pacman2>' '}' | sudo tee /etc/apparmor.d/pacman2",
            "sudo apparmor_parser -r /etc/apparmor.d/pacman2",
        ],
    )
}

fn container() -> Step {
    step(
        "This is a container, and containers are usually not allowed to make namespaces. Start it with these options; what \
         runs in it is then held less well by the container itself, though bots are held by pacman2:",
        [
            r"docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined \",
            "    --security-opt systempaths=unconfined …",
            "podman run --security-opt seccomp=unconfined --security-opt label=disable --security-opt unmask=ALL …",
        ],
    )
}

fn control_groups(machine: &Machine) -> Option<Step> {
    const GAIN: &str = "In control groups with the controllers memory and pids the kernel itself holds a bot to its limits, \
        stops it between turns, and counts the CPU time of all that it started; otherwise pacman2 looks every 10 ms.";
    if !machine.has_unified_groups && (machine.runs_systemd || machine.is_container) {
        return Some(step(
            format!(
                "{GAIN} This system has control groups of version 1, and version 2 is needed: tell systemd, and boot anew. The \
                first two lines are for Debian and Ubuntu, the third one is for Fedora.{}",
                around(machine)
            ),
            [
                r#"sudo sed -i "s/^GRUB_CMDLINE_LINUX=\"/&systemd.unified_cgroup_hierarchy=1 /" /etc/default/grub"#,
                "sudo update-grub",
                "sudo grubby --update-kernel=ALL --args=systemd.unified_cgroup_hierarchy=1",
            ],
        ));
    }
    if machine.is_container {
        return Some(step(
            format!("{GAIN} Start the container so that it may make some (Docker 28, Podman 3.1, or newer):"),
            ["docker run --security-opt writable-cgroups=true …", "podman run --security-opt unmask=/sys/fs/cgroup …"],
        ));
    }
    if !machine.runs_systemd {
        return None;
    }
    let whose = if machine.is_root { "" } else { "--user " };
    let program = shlex::try_quote(&machine.program).unwrap_or("pacman2".into());
    Some(step(
        format!("{GAIN} Have systemd start pacman2 with some of its own:"),
        [&format!("systemd-run {whose}--scope -p Delegate=yes -- {program} match …")],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ordinary user's Linux with nothing in the way, and systemd.
    fn machine() -> Machine {
        Machine {
            system: "linux",
            processor: "x86_64",
            kernel: Some("6.8.0-45-generic".to_owned()),
            landlock: Landlock::Version(4),
            is_root: false,
            is_container: false,
            runs_systemd: true,
            has_unified_groups: true,
            apparmor_restricts: false,
            namespaces_at_most: Some(100_000),
            namespaces_for_users: None,
            program: "/opt/pacman2".to_owned(),
        }
    }

    /// What was tried where the best is this tier, with groups that have these controllers or without groups.
    fn tried(best: Tier, groups: Option<&[&'static str]>) -> Vec<Try> {
        let tries = [(Tier::A, true), (Tier::A, false), (Tier::B, true), (Tier::B, false)];
        let found = |tier: Tier, control_groups: bool| match (best <= tier, control_groups, groups) {
            (true, true, Some(groups)) => Ok(Some(groups.to_vec())),
            (true, false, _) => Ok(None),
            _ => Err("not here".to_owned()),
        };
        tries.map(|(tier, control_groups)| Try { tier, control_groups, found: found(tier, control_groups) }).into()
    }

    const BOTH: Option<&[&str]> = Some(&["memory", "pids"]);

    /// Each step as text.
    fn told(machine: &Machine, tried: &[Try]) -> Vec<String> {
        steps(machine, tried).iter().map(Step::to_string).collect()
    }

    /// The only step.
    #[track_caller]
    fn only(machine: &Machine, tried: &[Try]) -> String {
        let told = told(machine, tried);
        assert_eq!(told.len(), 1, "{told:#?}");
        told[0].clone()
    }

    #[test]
    fn who_has_everything_needs_no_step_whatever_the_files_say() {
        let odd = Machine {
            apparmor_restricts: true,
            namespaces_at_most: Some(0),
            namespaces_for_users: Some(0),
            is_container: true,
            landlock: Landlock::Missing,
            ..machine()
        };
        assert_eq!(told(&odd, &tried(Tier::A, BOTH)), [""; 0]);
        assert_eq!(told(&machine(), &tried(Tier::A, BOTH)), [""; 0]);
    }

    #[test]
    fn a_reason_that_nobody_knows_leads_to_no_step() {
        assert_eq!(told(&machine(), &tried(Tier::B, BOTH)), [""; 0]);
    }

    #[test]
    fn apparmor_wants_a_profile_for_this_very_program() {
        let restricted = Machine { apparmor_restricts: true, program: "/home/me/it's [new]/pacman2".to_owned(), ..machine() };
        let told = told(&restricted, &tried(Tier::B, BOTH));
        assert_eq!(told.len(), 2, "{told:#?}");
        assert!(told[0].contains(r#"'profile pacman2 "/home/me/it'\''s \[new\]/pacman2" flags=(unconfined) {'"#), "{}", told[0]);
        assert!(told[0].ends_with("\n    sudo apparmor_parser -r /etc/apparmor.d/pacman2"), "{}", told[0]);
        assert!(told[1].contains("less safe"), "the drawback is told: {}", told[1]);
        assert!(told[1].ends_with("sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"), "{}", told[1]);
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_makes_the_profile_of_what_is_copied() {
        let restricted = Machine { apparmor_restricts: true, program: "/it's/pacman2".to_owned(), ..machine() };
        let commands = steps(&restricted, &tried(Tier::B, BOTH)).remove(0).commands;
        let script = commands[..3].join("\n").replace("sudo tee /etc/apparmor.d/pacman2", "cat");
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let profile = r#"abi <abi/4.0>,
include <tunables/global>
profile pacman2 "/it's/pacman2" flags=(unconfined) {
  userns,
  include if exists <local/pacman2>
}
"#;
        assert_eq!(String::from_utf8_lossy(&output.stdout), profile);
    }

    #[test]
    fn apparmor_does_not_restrict_root() {
        let root = Machine { apparmor_restricts: true, namespaces_for_users: Some(0), is_root: true, ..machine() };
        assert_eq!(told(&root, &tried(Tier::B, BOTH)), [""; 0]);
    }

    #[test]
    fn where_no_user_namespaces_are_allowed_they_can_be() {
        let none = Machine { namespaces_at_most: Some(0), is_root: true, ..machine() };
        let step = only(&none, &tried(Tier::B, BOTH));
        assert!(step.contains("echo 'user.max_user_namespaces = 15000' | sudo tee -a "), "{step}");
        let debian = Machine { namespaces_for_users: Some(0), ..machine() };
        let step = only(&debian, &tried(Tier::B, BOTH));
        assert!(step.contains("echo 'kernel.unprivileged_userns_clone = 1' | sudo tee -a "), "{step}");
        let allowed = Machine { namespaces_for_users: Some(1), ..machine() };
        assert_eq!(told(&allowed, &tried(Tier::B, BOTH)), [""; 0]);
    }

    #[test]
    fn a_container_wants_options() {
        let container = Machine { is_container: true, is_root: true, ..machine() };
        let step = only(&container, &tried(Tier::B, BOTH));
        assert!(step.contains("docker run --security-opt seccomp=unconfined") && step.contains("podman run"), "{step}");
        let ubuntus = Machine { apparmor_restricts: true, ..container.clone() };
        let told = told(&ubuntus, &tried(Tier::B, BOTH));
        assert!(told.len() == 1 && told[0].contains("around this container"), "{told:#?}");
        assert!(told[0].ends_with("restrict_unprivileged_userns=0"), "a profile in here would have no effect: {}", told[0]);
        let without_groups = only(&container, &tried(Tier::A, None));
        assert!(without_groups.contains("writable-cgroups=true"), "{without_groups}");
    }

    #[test]
    fn landlock_wants_a_kernel_that_has_it_and_uses_it() {
        let nothing = tried(Tier::C, None);
        let old = Machine { landlock: Landlock::Missing, kernel: Some("5.10.0-21-amd64".to_owned()), ..machine() };
        let step = only(&old, &nothing);
        assert!(step.contains("Linux 5.13") && step.contains("5.10.0-21-amd64"), "{step}");
        let off = Machine { landlock: Landlock::Off, ..machine() };
        let step = only(&off, &nothing);
        assert!(step.contains("lsm=landlock,$(cat /sys/kernel/security/lsm)") && step.contains("update-grub"), "{step}");
        let without = Machine { landlock: Landlock::Missing, ..machine() };
        let step = only(&without, &nothing);
        assert!(step.contains("CONFIG_SECURITY_LANDLOCK"), "{step}");
        let in_container = Machine { is_container: true, ..off };
        assert!(only(&in_container, &nothing).contains("around this container"));
    }

    #[test]
    fn control_groups_come_from_systemd() {
        let step = only(&machine(), &tried(Tier::A, None));
        assert!(step.contains("every 10 ms"), "what is gained is told: {step}");
        assert!(step.ends_with("\n    systemd-run --user --scope -p Delegate=yes -- /opt/pacman2 match …"), "{step}");
        // Groups that are there and limit nothing are no better.
        assert_eq!(only(&machine(), &tried(Tier::A, Some(&[]))), step);
        assert_eq!(only(&machine(), &tried(Tier::A, Some(&["pids"]))), step);
        let root = Machine { is_root: true, program: "/my bots/pacman2".to_owned(), ..machine() };
        let step = only(&root, &tried(Tier::A, None));
        assert!(step.ends_with("\n    systemd-run --scope -p Delegate=yes -- '/my bots/pacman2' match …"), "{step}");
        let elder = Machine { has_unified_groups: false, ..machine() };
        assert!(only(&elder, &tried(Tier::A, None)).contains("systemd.unified_cgroup_hierarchy=1"));
        let within = Machine { is_container: true, runs_systemd: false, ..elder };
        assert!(only(&within, &tried(Tier::A, None)).contains("around this container"));
        let without = Machine { runs_systemd: false, ..machine() };
        assert_eq!(told(&without, &tried(Tier::A, None)), [""; 0]);
    }

    #[test]
    fn what_was_not_tried_is_not_missed() {
        let only_b = tried(Tier::B, None).into_iter().filter(|one| one.tier == Tier::B && !one.control_groups);
        let restricted = Machine { apparmor_restricts: true, ..machine() };
        assert_eq!(told(&restricted, &only_b.collect::<Vec<_>>()), [""; 0]);
    }

    #[test]
    fn elsewhere_linux_is_to_be_had() {
        let nothing = tried(Tier::C, None);
        let on = |system| only(&Machine { system, kernel: None, landlock: Landlock::Missing, ..machine() }, &nothing);
        assert!(on("windows").ends_with("\n    wsl --install"), "{}", on("windows"));
        assert!(on("macos").contains("limactl start"), "{}", on("macos"));
        assert!(on("freebsd").contains("virtual machine"), "{}", on("freebsd"));
        let other = Machine { processor: "riscv64", ..machine() };
        assert!(only(&other, &nothing).contains("AArch64"));
    }

    #[test]
    fn kernels_are_compared_by_their_numbers() {
        let has = |release: &str| Machine { kernel: Some(release.to_owned()), ..machine() }.has_kernel(5, 13);
        assert!(has("5.13.0") && has("5.15.167.4-microsoft-standard-WSL2") && has("6.1.0-rc3") && has("10.0"));
        assert!(!has("5.9.16") && !has("4.19.0-27-amd64") && !has("5.12"));
    }
}
