import { Command } from 'commander';
import { type CommandEntry, commands } from './commands.js';
import { addExamples, exitCodesText, helpLayout } from './help-text.js';

/**
 * The program for one command line: the command that it names is loaded, every other stands by its line of the list
 * alone.
 *
 * @param words what follows the name of the program
 */
export async function programOf(words: readonly string[], version: string): Promise<Command> {
  const program = new Command('pelorus')
    .description('Vector, lexical and hybrid search in one process')
    .version(version, '-V, --version', 'print the version');
  addExamples(program, [
    ['serve --demo', 'serve a sample catalogue on http://127.0.0.1:8882'],
    ["search products 'a warm coat' --limit 3", 'search it'],
    ['search --help', 'every option of a command'],
  ]).addHelpText('after', exitCodesText());
  // `pelorus help serve` is `pelorus serve --help`.
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  const named = first === 'help' ? second : first;
  for (const entry of commands) await add(program, entry, entry.name === named);
  for (const command of withDescendants(program)) {
    command
      .exitOverride()
      .configureOutput({ outputError: () => {} })
      .configureHelp(helpLayout);
  }
  return program;
}

async function add(program: Command, { name, about, isHidden = false, load }: CommandEntry, isNamed: boolean) {
  const command = isNamed ? await load() : new Command(name);
  program.addCommand(command.description(about), { hidden: isHidden });
}

function withDescendants(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withDescendants)];
}
