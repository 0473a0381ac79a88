import { styleText } from 'node:util';
import { type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { exitCodeMeanings } from './start-failure.js';

/** Columns of the names of options and commands; the description of a longer name begins on the next line. */
const NAME_WIDTH_MAX = 30;
/** The group of options that name no other. */
const OWN_GROUP = 'Options:';
const INDENT = '  ';
const GAP = '  ';

/** The layout of all help. The program leaves the colours out where the output takes none. */
export const helpLayout: HelpConfiguration = {
  styleTitle: (title) => styleText('bold', title, { validateStream: false }),
  padWidth(command, help) {
    return Math.min(Help.prototype.padWidth.call(help, command, help), NAME_WIDTH_MAX);
  },
  // A switch that is off unless it is given, and a list that is empty unless it is, need no words for that.
  optionDescription(option) {
    return Help.prototype.optionDescription
      .call(this, option)
      .replace(/ \((?:default: (?:false|\[\])|preset: "true")\)/, '');
  },
  // The options of a command alone come before those that it shares with others.
  groupItems<Item extends Command | Option>(unsorted: Item[], visible: Item[], groupOf: (item: Item) => string) {
    const groups = new Map<string, Item[]>();
    const names = [...unsorted, ...visible].map(groupOf);
    for (const name of names.includes(OWN_GROUP) ? [OWN_GROUP, ...names] : names) groups.set(name, []);
    for (const item of visible) groups.get(groupOf(item))?.push(item);
    return groups;
  },
  formatItem(name, nameWidth, description, help) {
    if (description === '') return `${INDENT}${name}`;
    const margin = ' '.repeat(INDENT.length + nameWidth + GAP.length);
    const text = help.boxWrap(description, (help.helpWidth ?? 80) - margin.length).replaceAll('\n', `\n${margin}`);
    const room = nameWidth - help.displayWidth(name);
    return room < 0 ? `${INDENT}${name}\n${margin}${text}` : `${INDENT}${name}${' '.repeat(room)}${GAP}${text}`;
  },
};

/** A command line to try, and the purpose that it serves. */
export type Example = readonly [line: string, purpose: string];

/** Ends the help of a command with command lines to try. */
export function addExamples(command: Command, examples: readonly Example[]): Command {
  const lines = examples.map(([line, purpose]) => `  # ${purpose}\n  pelorus ${line}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** The exit codes, one line for each. */
export function exitCodesText(): string {
  const lines = Object.entries(exitCodeMeanings).map(([code, meaning]) => `  ${code}  ${meaning}`);
  return `\nExit codes:\n  0  done\n${lines.join('\n')}`;
}
