import { Command } from 'commander';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';

type Flags = ServerFlags & JsonFlag;

/** `pelorus aliases`: other names of indexes. */
export function aliasesCommand(): Command {
  const list = new Command('list').description('Show the aliases, with their indexes');
  const set = new Command('set')
    .description('Let an alias stand for an index, be it that it stands for another one by now')
    .argument('<alias>')
    .argument('<index>');
  const remove = new Command('delete').description('Delete an alias; its index stays').argument('<alias>');
  const command = new Command('aliases');
  addExamples(command, [['aliases set books books-2', 'calls of books reach the index books-2 from then on']]);
  return command
    .addCommand(
      withFlags(list).action(async ({ json = false, ...flags }: Flags) => {
        const { listAliases } = await import('./aliases.js');
        await listAliases(serverOf(flags), json);
      }),
    )
    .addCommand(
      withFlags(set).action(async (alias: string, index: string, { json = false, ...flags }: Flags) => {
        const { setAlias } = await import('./aliases.js');
        await setAlias(serverOf(flags), alias, index, json);
      }),
    )
    .addCommand(
      withFlags(remove).action(async (alias: string, { json = false, ...flags }: Flags) => {
        const { deleteAlias } = await import('./aliases.js');
        await deleteAlias(serverOf(flags), alias, json);
      }),
    );
}

function withFlags(command: Command): Command {
  return addServerFlags(addJsonFlag(command));
}
