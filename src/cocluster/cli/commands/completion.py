"""``cocluster completion``: scripts by which shells complete what is typed."""

from __future__ import annotations

import argparse
from argparse import Namespace

from cocluster.cli.parser import commands, subcommands
from cocluster.cli.terminal import show


def run(asked: Namespace) -> int:
    """Print a script, made from the commands that there are."""
    known = {name: _options(parser) for name, parser in subcommands(commands()).items()}
    show(_SCRIPTS[asked.shell](known))
    return 0


def _options(parser: argparse.ArgumentParser) -> list[str]:
    """Options and words of a command."""
    found = [name for action in parser._actions for name in action.option_strings]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found += list(action.choices)
        elif not action.option_strings and action.choices:
            found += [str(choice) for choice in action.choices]
    return found


def _bash(known: dict[str, list[str]]) -> str:
    """For bash: ``eval "$(cocluster completion bash)"``."""
    cases = "\n".join(f'    {name}) words="{" ".join(own)}" ;;' for name, own in known.items())
    return f"""_cocluster() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words="" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="{" ".join(known)} --help --version"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _cocluster cocluster"""


def _zsh(known: dict[str, list[str]]) -> str:
    """For zsh, by what it has for bash: ``eval "$(cocluster completion zsh)"``."""
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash(known)}"


def _fish(known: dict[str, list[str]]) -> str:
    """For fish: ``cocluster completion fish | source``."""
    first = "not __fish_seen_subcommand_from " + " ".join(known)
    lines = [f"complete -c cocluster -n '{first}' -a '{' '.join(known)}'"]
    for name, own in known.items():
        lines.append(
            f"complete -c cocluster -n '__fish_seen_subcommand_from {name}' -a '{' '.join(own)}'"
        )
    return "\n".join(lines)


_SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
