import type { Shell } from './completion-command.js';
import { type CompletedCommand, type CompletedFlag, completedCommands } from './tree.js';

/** The script of a shell. It holds every word itself, so that completing starts no process. */
export async function completionScript(shell: Shell): Promise<string> {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return scripts[shell](await completedCommands());
}

/** A word of a shell that means these characters and nothing else. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const wordsOf = ({ subcommands, flags, values }: CompletedCommand): string =>
  [...subcommands.map(({ name }) => name), ...values, ...flags.map(({ name }) => name)].join(' ');

/** Flags of all commands that have few values: a flag means the same wherever it stands. */
function flagsWith(commands: readonly CompletedCommand[], has: (flag: CompletedFlag) => boolean): CompletedFlag[] {
  const flags = commands.flatMap((command) => command.flags).filter(has);
  return [...new Map(flags.map((flag) => [flag.name, flag])).values()];
}

export function bashScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')));
  const cases = commands.map((one) => `    ${quoted(one.path.join(' '))}) words=${quoted(wordsOf(one))} ;;`);
  const chosen = flagsWith(commands, ({ values }) => values.length > 0).map(
    ({ name, values }) => `    ${name}) words=${quoted(values.join(' '))} ;;`,
  );
  const open = flagsWith(commands, ({ takesValue, values }) => takesValue && values.length === 0);
  return `# bash completion of pelorus
_pelorus() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
    ${paths.join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case $before in
    ${open.map(({ name }) => name).join('|')}) COMPREPLY=(); return ;;
${chosen.join('\n')}
  esac
  [ -n "$words" ] || case $path in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _pelorus pelorus
`;
}

/** A description within the syntax of zsh: a colon would end it. */
const zshAbout = (text: string): string => text.replaceAll(/[[\]:\\]/g, '\\$&');

export function zshScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ path, subcommands, flags, values }) => {
    const words = [
      ...subcommands.map(({ name, about }) => quoted(`${name}:${zshAbout(about)}`)),
      ...values.map((value) => quoted(value)),
      ...flags.map(({ name, about }) => quoted(`${name}:${zshAbout(about)}`)),
    ];
    return `    ${quoted(path.join(' '))}) choices=(${words.join(' ')}) ;;`;
  });
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')));
  const chosen = flagsWith(commands, ({ values }) => values.length > 0).map(
    ({ name, values }) => `    ${name}) compadd -- ${values.map(quoted).join(' ')}; return ;;`,
  );
  const open = flagsWith(commands, ({ takesValue, values }) => takesValue && values.length === 0);
  return `#compdef pelorus
_pelorus() {
  local chosen='' word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${chosen:+$chosen }$word" in
    ${paths.join('|')}) chosen="\${chosen:+$chosen }$word" ;;
    esac
  done
  case $words[CURRENT-1] in
    ${open.map(({ name }) => name).join('|')}) _files; return ;;
${chosen.join('\n')}
  esac
  case $chosen in
${cases.join('\n')}
  esac
  _describe pelorus choices || _files
}
# Loaded by the completion system, the file is the function; sourced, it only defines it.
if [ "$funcstack[1]" = _pelorus ]; then _pelorus "$@"; else compdef _pelorus pelorus; fi
`;
}

export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, subcommands, flags, values }) => {
    const condition = conditionOf(path, subcommands);
    const offer = (rest: string) => `complete -c pelorus -n ${quoted(condition)} ${rest}`;
    return [
      ...subcommands.map(({ name, about }) => offer(`-f -a ${quoted(name)} -d ${quoted(about)}`)),
      ...values.map((value) => offer(`-f -a ${quoted(value)}`)),
      ...flags.map(({ name, about, takesValue, values: some }) => {
        const value = some.length > 0 ? ` -x -a ${quoted(some.join(' '))}` : takesValue ? ' -r' : '';
        return offer(`-l ${name.slice(2)}${value} -d ${quoted(about)}`);
      }),
    ];
  });
  return `# fish completion of pelorus\n${lines.join('\n')}\n`;
}

function conditionOf(path: readonly string[], subcommands: CompletedCommand['subcommands']): string {
  if (path.length === 0) return '__fish_use_subcommand';
  const below = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const names = subcommands.map(({ name }) => name).join(' ');
  return [...below, ...(names === '' ? [] : [`not __fish_seen_subcommand_from ${names}`])].join('; and ');
}
