"""``cocluster completion``: completion scripts for shells."""

from __future__ import annotations

import argparse
from argparse import Namespace

from cocluster.cli.parser import commands, subcommands
from cocluster.cli.terminal import show


def run(args: Namespace) -> int:
    """Print the completion script of a shell."""
    words_by_command = {name: _options(parser) for name, parser in subcommands(commands()).items()}
    show(_SCRIPTS[args.shell](words_by_command))
    return 0


def _options(parser: argparse.ArgumentParser) -> list[str]:
    """Return the options and argument choices of a command."""
    words = [name for action in parser._actions for name in action.option_strings]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            words += list(action.choices)
        elif not action.option_strings and action.choices:
            words += [str(choice) for choice in action.choices]
    return words


def _bash(words_by_command: dict[str, list[str]]) -> str:
    """Return the script for bash: ``eval "$(cocluster completion bash)"``."""
    cases = "\n".join(
        f'    {name}) words="{" ".join(words)}" ;;' for name, words in words_by_command.items()
    )
    return f"""_cocluster() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words="" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="{" ".join(words_by_command)} --help --version"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _cocluster cocluster"""


def _zsh(words_by_command: dict[str, list[str]]) -> str:
    """Return the script for zsh, based on that for bash: ``eval "$(cocluster completion zsh)"``."""
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash(words_by_command)}"


def _fish(words_by_command: dict[str, list[str]]) -> str:
    """Return the script for fish: ``cocluster completion fish | source``."""
    first = "not __fish_seen_subcommand_from " + " ".join(words_by_command)
    lines = [f"complete -c cocluster -n '{first}' -a '{' '.join(words_by_command)}'"]
    for name, words in words_by_command.items():
        lines.append(
            f"complete -c cocluster -n '__fish_seen_subcommand_from {name}' -a '{' '.join(words)}'"
        )
    return "\n".join(lines)


_SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
