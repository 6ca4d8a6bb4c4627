//! The steps to a better sandbox, with commands to copy. They follow from the attempts and from the facts of the machine.

use std::fmt;

use pacman2_bot_source::sandbox::{ENOUGH_WATCHES, limit_bots};
use pacman2_runner::Tier;

use super::attempt::Attempt;
use super::machine::{Landlock, Machine};

/// The first kernel that has Landlock.
const LANDLOCK_SINCE: (u32, u32) = (5, 13);
/// The limit on user namespaces that replaces a limit of 0: the default of small machines.
const NAMESPACES: u64 = 15_000;

/// One step: why, and the commands.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) why: String,
    /// Lines for a shell, which may be indented.
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

/// Returns the steps to a better sandbox than the attempts have found.
pub(super) fn steps(machine: &Machine, attempts: &[Attempt]) -> Vec<Step> {
    let lacks = |tier: Tier| {
        let mut of_tier = attempts.iter().filter(|attempt| attempt.tier == tier).peekable();
        of_tier.peek().is_some() && !of_tier.any(|attempt| attempt.is_available())
    };
    let lacks_tier = lacks(Tier::A) || lacks(Tier::B);
    if machine.system != "linux" {
        return lacks_tier.then(|| other_system(machine)).into_iter().collect();
    }
    if !["x86_64", "aarch64"].contains(&machine.processor) {
        return lacks_tier.then(other_processor).into_iter().collect();
    }
    let mut steps = Vec::new();
    if lacks_tier {
        steps.extend(landlock(machine));
    }
    if lacks(Tier::A) && !attempts.iter().any(|attempt| attempt.tier.has_namespaces() && attempt.is_available()) {
        steps.extend(namespaces(machine));
    }
    if lacks_control_groups(attempts) && !lacks(Tier::B) {
        steps.extend(control_groups(machine));
    }
    if machine.shares_few_watches && attempts.iter().any(Attempt::is_available) {
        steps.push(watches(machine));
    }
    steps
}

/// Returns whether control groups were tried and do not limit both memory and processes.
fn lacks_control_groups(attempts: &[Attempt]) -> bool {
    let has_both = |attempt: &Attempt| attempt.controllers().is_some_and(limit_bots);
    let mut with_groups = attempts.iter().filter(|attempt| attempt.control_groups).peekable();
    with_groups.peek().is_some() && !with_groups.any(has_both)
}

fn other_system(machine: &Machine) -> Step {
    const MEANWHILE: &str = "Without a sandbox, bots that you trust can play with --trust.";
    match machine.system {
        "windows" => step(
            format!(
                "The sandbox exists on Linux only. Install WSL 2, which is Linux on Windows, and build pacman2 there. {MEANWHILE}"
            ),
            ["wsl --install"],
        ),
        "macos" => step(
            format!(
                "The sandbox exists on Linux only. Install a virtual machine, such as Lima, and build pacman2 there. {MEANWHILE}"
            ),
            ["brew install lima", "limactl start", "lima"],
        ),
        _ => step(format!("The sandbox exists on Linux only. Run pacman2 in a virtual machine with Linux. {MEANWHILE}"), []),
    }
}

fn other_processor() -> Step {
    step("The sandbox exists on x86-64 and AArch64 only. Run pacman2 on a machine with such a processor.", [])
}

fn landlock(machine: &Machine) -> Option<Step> {
    let (major, minor) = LANDLOCK_SINCE;
    let kernel = machine.kernel.as_deref().unwrap_or("older");
    let host = on_the_host(machine);
    match machine.landlock {
        Landlock::Version(_) => None,
        _ if !machine.has_kernel(major, minor) => {
            Some(step(format!("Install a newer kernel: Landlock needs Linux {major}.{minor}, and this is {kernel}.{host}"), []))
        }
        Landlock::Off => Some(step(
            format!(
                "The kernel has Landlock but does not use it. Add it to the list of security modules, and reboot. The first two \
                lines are for Debian and Ubuntu, the third is for Fedora.{host}"
            ),
            [
                r#"sudo sed -i "s/^GRUB_CMDLINE_LINUX=\"/&lsm=landlock,$(cat /sys/kernel/security/lsm) /" /etc/default/grub"#,
                "sudo update-grub",
                r#"sudo grubby --update-kernel=ALL --args="lsm=landlock,$(cat /sys/kernel/security/lsm)""#,
            ],
        )),
        Landlock::Missing => Some(step(
            format!(
                "This kernel, {kernel}, has no Landlock. Install a kernel that was built with CONFIG_SECURITY_LANDLOCK, as \
                current distributions have.{host} This command shows how the running kernel was built:"
            ),
            ["grep LANDLOCK /boot/config-$(uname -r)"],
        )),
    }
}

/// Returns the remark that a step belongs on the host, because containers share its kernel.
fn on_the_host(machine: &Machine) -> &'static str {
    if machine.is_container { " Do this on the host of this container." } else { "" }
}

/// Returns the steps to namespaces. Root may always create them, except in a container.
fn namespaces(machine: &Machine) -> Vec<Step> {
    let mut steps = Vec::new();
    let is_unrestricted = machine.is_root && !machine.is_container;
    if machine.namespaces_at_most == Some(0) {
        steps.push(sysctl(machine, "allows no user namespaces", "user.max_user_namespaces", NAMESPACES));
    }
    if machine.namespaces_for_users == Some(0) && !is_unrestricted {
        steps.push(sysctl(machine, "allows user namespaces to root only", "kernel.unprivileged_userns_clone", 1));
    }
    if machine.apparmor_restricts && !is_unrestricted {
        steps.extend((!machine.is_container).then(|| apparmor_profile(&machine.program)));
        let otherwise = if machine.is_container {
            "AppArmor restricts user namespaces. Remove the restriction"
        } else {
            "Alternatively, remove the restriction"
        };
        steps.push(step(
            format!(
                "{otherwise} until the next boot, for all programs of all users. This makes the machine less secure.{}",
                on_the_host(machine)
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
    let why = format!("This system {what}. Allow them to all users, now and after each boot.{}", on_the_host(machine));
    step(why, [&write, "sudo sysctl --system"])
}

fn apparmor_profile(program: &str) -> Step {
    // Escape the characters of AppArmor's patterns, then the quotes of the shell.
    let escape = |c: char| if r#"\"*?[]{}^"#.contains(c) { format!("\\{c}") } else { c.to_string() };
    let pattern: String = program.chars().map(escape).collect();
    let profile = format!(r#"profile pacman2 "{pattern}" flags=(unconfined) {{"#).replace('\'', r"'\''");
    step(
        "AppArmor allows user namespaces only to programs that have a profile for them. Give this program a profile, and \
         repeat it after moving the program:",
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
        "This is a container, and containers usually may not create namespaces. Start it with these options. They weaken the \
         container itself, but pacman2 still sandboxes the bots:",
        [
            r"docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined \",
            "    --security-opt systempaths=unconfined …",
            "podman run --security-opt seccomp=unconfined --security-opt label=disable --security-opt unmask=ALL …",
        ],
    )
}

fn control_groups(machine: &Machine) -> Option<Step> {
    const GAIN: &str = "With control groups (controllers memory and pids), the kernel itself enforces the limits of a bot, \
        pauses it between turns, and counts the CPU time of all its processes. Without them, pacman2 checks every 10 ms.";
    if !machine.has_unified_groups && (machine.runs_systemd || machine.is_container) {
        return Some(step(
            format!(
                "{GAIN} This system has version 1, and version 2 is needed. Configure systemd, and reboot. The first two lines \
                are for Debian and Ubuntu, the third is for Fedora.{}",
                on_the_host(machine)
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
            format!("{GAIN} Start the container with writable control groups (Docker 28, Podman 3.1, or newer):"),
            ["docker run --security-opt writable-cgroups=true …", "podman run --security-opt unmask=/sys/fs/cgroup …"],
        ));
    }
    if !machine.runs_systemd {
        return None;
    }
    let program = shlex::try_quote(&machine.program).unwrap_or("pacman2".into());
    let own_group = |user: &str| format!("systemd-run {user}--scope -p Delegate=yes -- {program} play …");
    if machine.is_root {
        return Some(step(format!("{GAIN} Start pacman2 with its own control group:"), [&own_group("")]));
    }
    Some(step(
        format!(
            "{GAIN} Start pacman2 with its own control group, as the first line does. If its groups still lack a controller, \
             let systemd pass them on to the slices of users, once, with the other lines; then log in again."
        ),
        [
            &own_group("--user "),
            "sudo mkdir -p /etc/systemd/system/user@.service.d",
            r"printf '[Service]\nDelegate=cpu memory pids\n' | sudo tee /etc/systemd/system/user@.service.d/delegate.conf",
            "sudo systemctl daemon-reload",
        ],
    ))
}

fn watches(machine: &Machine) -> Step {
    step(
        format!(
            "All bots of an ordinary user share how many files they may watch with epoll, and for a moment one of them can get hold of \
             all; Node then ends. Raise the number; the second line keeps it after a reboot.{}",
            on_the_host(machine)
        ),
        [
            &format!("sudo sysctl fs.epoll.max_user_watches={ENOUGH_WATCHES}"),
            &format!("echo fs.epoll.max_user_watches={ENOUGH_WATCHES} | sudo tee /etc/sysctl.d/90-pacman2.conf"),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::super::attempt::Availability;
    use super::*;

    /// Linux with systemd and an unprivileged user, without any restriction.
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
            shares_few_watches: false,
            program: "/opt/pacman2".to_owned(),
        }
    }

    /// The attempts on a machine whose best tier is `best`, with control groups that have these controllers or without them.
    fn attempts(best: Tier, groups: Option<&[&'static str]>) -> Vec<Attempt> {
        let variants = [Tier::A, Tier::AMinus, Tier::B].into_iter().flat_map(|tier| [(tier, true), (tier, false)]);
        let availability = |tier: Tier, control_groups: bool| match (best <= tier, control_groups, groups) {
            (true, true, Some(groups)) => Availability::Available(Some(groups.to_vec())),
            (true, false, _) => Availability::Available(None),
            _ => Availability::Unavailable("not here".to_owned()),
        };
        variants
            .map(|(tier, control_groups)| Attempt { tier, control_groups, availability: availability(tier, control_groups) })
            .collect()
    }

    const BOTH: Option<&[&str]> = Some(&["memory", "pids"]);

    /// Each step as text.
    fn texts(machine: &Machine, attempts: &[Attempt]) -> Vec<String> {
        steps(machine, attempts).iter().map(Step::to_string).collect()
    }

    /// The only step.
    #[track_caller]
    fn only(machine: &Machine, attempts: &[Attempt]) -> String {
        let texts = texts(machine, attempts);
        assert_eq!(texts.len(), 1, "{texts:#?}");
        texts[0].clone()
    }

    #[test]
    fn bots_that_share_few_watches_need_more_in_any_tier() {
        let few = Machine { shares_few_watches: true, ..machine() };
        assert!(only(&few, &attempts(Tier::A, BOTH)).contains("sudo sysctl fs.epoll.max_user_watches=20000000\n"));
        assert!(!texts(&few, &attempts(Tier::C, None)).iter().any(|text| text.contains("epoll")), "no bot plays there");
    }

    #[test]
    fn a_machine_with_everything_needs_no_step_whatever_its_files_say() {
        let odd = Machine {
            apparmor_restricts: true,
            namespaces_at_most: Some(0),
            namespaces_for_users: Some(0),
            is_container: true,
            landlock: Landlock::Missing,
            ..machine()
        };
        assert_eq!(texts(&odd, &attempts(Tier::A, BOTH)), [""; 0]);
        assert_eq!(texts(&machine(), &attempts(Tier::A, BOTH)), [""; 0]);
    }

    #[test]
    fn an_unknown_reason_leads_to_no_step() {
        assert_eq!(texts(&machine(), &attempts(Tier::B, BOTH)), [""; 0]);
    }

    #[test]
    fn apparmor_needs_a_profile_for_this_program() {
        let restricted = Machine { apparmor_restricts: true, program: "/home/me/it's [new]/pacman2".to_owned(), ..machine() };
        let texts = texts(&restricted, &attempts(Tier::B, BOTH));
        assert_eq!(texts.len(), 2, "{texts:#?}");
        assert!(
            texts[0].contains(r#"'profile pacman2 "/home/me/it'\''s \[new\]/pacman2" flags=(unconfined) {'"#),
            "{}",
            texts[0]
        );
        assert!(texts[0].ends_with("\n    sudo apparmor_parser -r /etc/apparmor.d/pacman2"), "{}", texts[0]);
        assert!(texts[1].contains("less secure"), "the drawback is missing: {}", texts[1]);
        assert!(texts[1].ends_with("sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"), "{}", texts[1]);
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_writes_the_profile_from_the_commands() {
        let restricted = Machine { apparmor_restricts: true, program: "/it's/pacman2".to_owned(), ..machine() };
        let commands = steps(&restricted, &attempts(Tier::B, BOTH)).remove(0).commands;
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
        assert_eq!(texts(&root, &attempts(Tier::B, BOTH)), [""; 0]);
    }

    #[test]
    fn user_namespaces_can_be_allowed() {
        let none = Machine { namespaces_at_most: Some(0), is_root: true, ..machine() };
        let step = only(&none, &attempts(Tier::B, BOTH));
        assert!(step.contains("echo 'user.max_user_namespaces = 15000' | sudo tee -a "), "{step}");
        let debian = Machine { namespaces_for_users: Some(0), ..machine() };
        let step = only(&debian, &attempts(Tier::B, BOTH));
        assert!(step.contains("echo 'kernel.unprivileged_userns_clone = 1' | sudo tee -a "), "{step}");
        let allowed = Machine { namespaces_for_users: Some(1), ..machine() };
        assert_eq!(texts(&allowed, &attempts(Tier::B, BOTH)), [""; 0]);
    }

    #[test]
    fn a_container_needs_options() {
        let container = Machine { is_container: true, is_root: true, ..machine() };
        let step = only(&container, &attempts(Tier::B, BOTH));
        assert!(step.contains("docker run --security-opt seccomp=unconfined") && step.contains("podman run"), "{step}");
        let ubuntus = Machine { apparmor_restricts: true, ..container.clone() };
        let texts = texts(&ubuntus, &attempts(Tier::B, BOTH));
        assert!(texts.len() == 1 && texts[0].contains("on the host of this container"), "{texts:#?}");
        assert!(
            texts[0].ends_with("restrict_unprivileged_userns=0"),
            "a profile in the container would have no effect: {}",
            texts[0]
        );
        let without_groups = only(&container, &attempts(Tier::A, None));
        assert!(without_groups.contains("writable-cgroups=true"), "{without_groups}");
    }

    #[test]
    fn landlock_needs_a_kernel_that_has_it_and_uses_it() {
        let nothing = attempts(Tier::C, None);
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
        assert!(only(&in_container, &nothing).contains("on the host of this container"));
    }

    #[test]
    fn control_groups_come_from_systemd() {
        let step = only(&machine(), &attempts(Tier::A, None));
        assert!(step.contains("every 10 ms"), "the gain is missing: {step}");
        let commands: Vec<&str> = step.lines().skip(1).map(str::trim).collect();
        assert_eq!(commands[0], "systemd-run --user --scope -p Delegate=yes -- /opt/pacman2 play …");
        assert!(commands[2].contains("Delegate=cpu memory pids"), "slices of users may lack controllers: {step}");
        // Groups without controllers are no better.
        assert_eq!(only(&machine(), &attempts(Tier::A, Some(&[]))), step);
        assert_eq!(only(&machine(), &attempts(Tier::A, Some(&["pids"]))), step);
        let root = Machine { is_root: true, program: "/my bots/pacman2".to_owned(), ..machine() };
        let step = only(&root, &attempts(Tier::A, None));
        assert!(step.ends_with("\n    systemd-run --scope -p Delegate=yes -- '/my bots/pacman2' play …"), "{step}");
        let version_1 = Machine { has_unified_groups: false, ..machine() };
        assert!(only(&version_1, &attempts(Tier::A, None)).contains("systemd.unified_cgroup_hierarchy=1"));
        let in_container = Machine { is_container: true, runs_systemd: false, ..version_1 };
        assert!(only(&in_container, &attempts(Tier::A, None)).contains("on the host of this container"));
        let without = Machine { runs_systemd: false, ..machine() };
        assert_eq!(texts(&without, &attempts(Tier::A, None)), [""; 0]);
    }

    #[test]
    fn variants_that_were_not_tried_are_not_missing() {
        let only_b = attempts(Tier::B, None).into_iter().filter(|attempt| attempt.tier == Tier::B && !attempt.control_groups);
        let restricted = Machine { apparmor_restricts: true, ..machine() };
        assert_eq!(texts(&restricted, &only_b.collect::<Vec<_>>()), [""; 0]);
    }

    #[test]
    fn other_systems_can_run_linux() {
        let nothing = attempts(Tier::C, None);
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
