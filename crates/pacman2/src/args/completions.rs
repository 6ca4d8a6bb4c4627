//! The arguments of `pacman2 completions`.

use clap::Args;
use clap_complete::Shell;

#[derive(Args)]
#[command(after_help = "\
Write the script to where your shell looks for it, or load it at once:

  bash        pacman2 completions bash > ~/.local/share/bash-completion/completions/pacman2
  zsh         pacman2 completions zsh > ~/.zfunc/_pacman2, with ~/.zfunc in fpath
  fish        pacman2 completions fish > ~/.config/fish/completions/pacman2.fish
  PowerShell  pacman2 completions powershell | Out-String | Invoke-Expression

Examples:
  pacman2 completions bash
  pacman2 completions zsh")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: Shell,
}
