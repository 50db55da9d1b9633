package org.pgbaton.server.shell;

/**
 * The completion of zsh: a function that finds out which command has been typed so far, and offers its subcommands and options with their
 * descriptions. Words after {@code --} belong to the command that {@code lead} runs. Works when it is sourced, and as a file
 * {@code _baton} in the {@code fpath}.
 */
final class ZshCompletion {
    private final CommandTree baton;
    private final StringBuilder script = new StringBuilder();

    ZshCompletion(CommandTree baton) {
        this.baton = baton;
    }

    String script() {
        script.append("""
                #compdef baton
                # Completion of baton for zsh. Made by 'baton completion zsh'.
                _baton() {
                  local at=baton i
                  local -a subcommands options values
                  for ((i = 2; i < CURRENT; i++)); do
                    if [[ ${words[i]} == -- ]]; then
                      shift $i words
                      ((CURRENT -= i))
                      _normal
                      return
                    fi
                    case "$at ${words[i]}" in
                """);
        baton.all().stream()
                .skip(1)
                .forEach(command -> script.append("      ('")
                        .append(command.words())
                        .append("') at='")
                        .append(command.words())
                        .append("' ;;\n"));
        script.append("    esac\n  done\n  case $at in\n");
        baton.all().forEach(this::add);
        script.append("""
                  esac
                  if (( ${values[(Ie)${words[CURRENT-1]}]} )); then
                    _files
                  elif [[ ${words[CURRENT]} == -* ]]; then
                    _describe -o option options
                  elif (( ${#subcommands} )); then
                    _describe command subcommands
                  else
                    _files
                  fi
                }
                if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
                  _baton "$@"
                else
                  compdef _baton baton
                fi
                """);
        return script.toString();
    }

    private void add(CommandTree command) {
        script.append("    ('").append(command.words()).append("')\n      subcommands=(");
        command.subcommands().forEach(sub -> described(sub.name(), sub.summary()));
        script.append(")\n      options=(");
        for (CommandTree.Option option : command.options()) {
            option.names().forEach(name -> described(name, option.description()));
        }
        script.append(")\n      values=(");
        command.options().stream()
                .filter(CommandTree.Option::takesValue)
                .forEach(option ->
                        script.append(String.join(" ", option.names())).append(' '));
        script.append(") ;;\n");
    }

    private void described(String name, String description) {
        script.append("'")
                .append(name)
                .append(':')
                .append(description.replace("'", "'\\''").replace(":", "\\:"))
                .append("' ");
    }
}
