import { Command } from 'commander';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';

type Flags = ServerFlags & JsonFlag;

/** `pelorus documents`: the documents of an index. */
export function documentsCommand(): Command {
  const get = new Command('get').description('Print documents').argument('<index>').argument('<ids...>');
  const remove = new Command('delete').description('Delete documents').argument('<index>').argument('<ids...>');
  const count = new Command('count')
    .description('Count the documents of an index')
    .argument('<index>')
    .option('--filter <filter>', 'Only documents that pass a filter, which reads them all');
  addExamples(get, [['documents get notes 1 2', 'two documents, by their ids']]);
  addExamples(count, [["documents count notes --filter 'minutes:[* TO 30]'", 'those of at most 30 minutes']]);
  return new Command('documents')
    .addCommand(
      withFlags(get).action(async (index: string, ids: string[], { json = false, ...flags }: Flags) => {
        const { getDocuments } = await import('./documents.js');
        await getDocuments(serverOf(flags), { index, ids }, json);
      }),
    )
    .addCommand(
      withFlags(remove).action(async (index: string, ids: string[], { json = false, ...flags }: Flags) => {
        const { deleteDocuments } = await import('./documents.js');
        await deleteDocuments(serverOf(flags), { index, ids }, json);
      }),
    )
    .addCommand(
      withFlags(count).action(
        async (index: string, { json = false, filter, ...flags }: Flags & { filter?: string }) => {
          const { countDocuments } = await import('./documents.js');
          await countDocuments(serverOf(flags), { index, filter }, json);
        },
      ),
    );
}

function withFlags(command: Command): Command {
  return addServerFlags(addJsonFlag(command));
}
