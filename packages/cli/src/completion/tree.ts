import type { Command } from 'commander';
import { commands } from '../commands.js';

export interface CompletedFlag {
  /** With its dashes. */
  readonly name: string;
  readonly about: string;
  readonly takesValue: boolean;
  /** The values that it may have, where they are few. */
  readonly values: readonly string[];
}

/** A command, as far as a shell completes it. */
export interface CompletedCommand {
  /** The words behind the name of the program. */
  readonly path: readonly string[];
  readonly about: string;
  readonly subcommands: readonly { readonly name: string; readonly about: string }[];
  readonly flags: readonly CompletedFlag[];
  /** Words that the first argument may be. */
  readonly values: readonly string[];
}

/** Every command that help lists, the program itself first. */
export async function completedCommands(): Promise<CompletedCommand[]> {
  const listed = commands.filter(({ isHidden = false }) => !isHidden);
  const root: CompletedCommand = {
    ...{ path: [], about: '', flags: [HELP, VERSION], values: [] },
    subcommands: listed.map(({ name, about }) => ({ name, about })),
  };
  const loaded = await Promise.all(listed.map(async ({ about, load }) => (await load()).description(about)));
  return [root, ...loaded.flatMap((command) => withDescendants(command, [command.name()]))];
}

const HELP: CompletedFlag = { name: '--help', about: 'display help for command', takesValue: false, values: [] };
const VERSION: CompletedFlag = { name: '--version', about: 'print the version', takesValue: false, values: [] };

function withDescendants(command: Command, path: readonly string[]): CompletedCommand[] {
  const own: CompletedCommand = {
    path,
    about: command.description(),
    subcommands: command.commands.map((one) => ({ name: one.name(), about: one.description() })),
    flags: [
      ...command.options.map(({ long, description, required, argChoices = [] }) => ({
        ...{ name: long ?? '', about: description, takesValue: required, values: argChoices },
      })),
      HELP,
    ],
    values: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [own, ...command.commands.flatMap((one) => withDescendants(one, [...path, one.name()]))];
}
