import { Command, InvalidArgumentError } from 'commander';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';

type Flags = ServerFlags & JsonFlag;

export interface CreateFlags {
  readonly model?: string;
  readonly settings?: object;
}

/** `pelorus indexes`: the indexes of a server. */
export function indexesCommand(): Command {
  const list = new Command('list').description('Show the indexes, with their counts and models');
  const create = new Command('create')
    .description('Make an index')
    .argument('<index>')
    .option('--model <name>', "Model that embeds its documents; the server's default when absent")
    .option('--settings <json>', 'Its settings, as the interface takes them', jsonObject);
  addExamples(create, [
    ['indexes create notes --model hf/all-MiniLM-L6-v2', 'with a model of your own choice'],
    [`indexes create notes --settings '{"textPreprocessing": {"splitLength": 5}}'`, 'with longer chunks'],
  ]);
  const show = new Command('show').description('Show the counts and settings of an index').argument('<index>');
  const remove = new Command('delete')
    .description('Delete an index with its documents, for good')
    .argument('<index>')
    .option('--yes', 'Without a question');
  return new Command('indexes')
    .addCommand(
      withFlags(list).action(async ({ json = false, ...flags }: Flags) => {
        const { listIndexes } = await import('./indexes.js');
        await listIndexes(serverOf(flags), json);
      }),
    )
    .addCommand(
      withFlags(create).action(
        async (name: string, { json = false, model, settings, ...flags }: Flags & CreateFlags) => {
          const { createIndex } = await import('./indexes.js');
          await createIndex(serverOf(flags), name, { ...settings, ...(model !== undefined && { model }) }, json);
        },
      ),
    )
    .addCommand(
      withFlags(show).action(async (name: string, { json = false, ...flags }: Flags) => {
        const { showIndex } = await import('./indexes.js');
        await showIndex(serverOf(flags), name, json);
      }),
    )
    .addCommand(
      withFlags(remove).action(
        async (name: string, { json = false, yes = false, ...flags }: Flags & { yes?: boolean }) => {
          const { deleteIndex } = await import('./indexes.js');
          await deleteIndex(serverOf(flags), name, { yes, json });
        },
      ),
    );
}

function withFlags(command: Command): Command {
  return addServerFlags(addJsonFlag(command));
}

function jsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // As for what is JSON and no object.
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}
