import { Command, InvalidArgumentError, Option } from 'commander';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';

export const METHODS = ['tensor', 'lexical', 'hybrid'] as const;

export interface SearchFlags {
  readonly method: (typeof METHODS)[number];
  readonly filter?: string;
  readonly limit: number;
  readonly offset: number;
  readonly fields?: readonly string[];
  readonly explain: boolean;
}

/** `pelorus search`: hits as a table. */
export function searchCommand(): Command {
  const method = new Option('--method <method>', 'By meaning, by words, or by both').choices(METHODS);
  const command = new Command('search')
    .argument('<index>')
    .argument('<query>')
    .addOption(method.default('tensor'))
    .option('--filter <filter>', 'Only documents that pass a filter')
    .option('--limit <count>', 'Hits to show', whole, 10)
    .option('--offset <count>', 'Hits to skip', whole, 0)
    .option('--fields <names>', 'Fields to show, with commas; all when absent', names)
    .option('--explain', 'Show the numbers that each score follows from', false);
  addExamples(command, [
    ["search notes 'how do I fix my bicycle'", 'by meaning'],
    ["search notes 'root starter' --method lexical --filter 'minutes:[* TO 30]'", 'by words, short ones alone'],
    ["search notes 'growing vegetables' --method hybrid --explain", 'by both, with the reasons'],
    ["search notes bicycle --json | jq '.hits[0]._id'", 'for another program'],
  ]);
  return addServerFlags(addJsonFlag(command)).action(
    async (
      index: string,
      query: string,
      { json = false, url, apiKey, ...flags }: ServerFlags & JsonFlag & SearchFlags,
    ) => {
      const { search } = await import('./search.js');
      await search(serverOf({ url, ...(apiKey !== undefined && { apiKey }) }), { index, query, ...flags }, json);
    },
  );
}

function whole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

function names(text: string): string[] {
  return text.split(',').filter((name) => name !== '');
}
