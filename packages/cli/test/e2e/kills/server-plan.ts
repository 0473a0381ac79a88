import { Random } from '../../../src/demo/random.js';
import { emptyFolder, type ServerProcess, withAdminKey } from '../server-process.js';
import { type DocumentIndex, DocumentLedger, settingsOf } from './document-ledger.js';
import { CursorReader, SearchReader } from './document-readers.js';
import { IndexLedger } from './index-ledger.js';
import { KeyLedger } from './key-ledger.js';
import type { Plan } from './kill-run.js';
import { SuggestionLedger } from './suggestion-ledger.js';

const GIVEN: DocumentIndex = { name: 'given', vectors: 'given', idsMax: 3000 };
const MADE: DocumentIndex = { name: 'made', vectors: 'made', idsMax: 1000 };

/** A server of its own, with every kind of write of it, what prepares a new one, and its documents. It has as many loops. */
export function serverPlan(
  random: Random,
  loops?: number,
): {
  plan: Plan;
  prepare: (server: ServerProcess) => Promise<void>;
  documents: readonly DocumentLedger[];
} {
  const next = () => new Random(random.int(0, 2 ** 31));
  const [given, made] = [new DocumentLedger(GIVEN, next()), new DocumentLedger(MADE, next())];
  const indexes = [1, 2].map((number) => new IndexLedger(`remade-${number}`, next()));
  const plan: Plan = {
    data: emptyFolder('kill'),
    random,
    env: { ...withAdminKey, MARQO_ENABLE_BATCH_APIS: 'true', MARQO_ENABLE_OPS_API: 'true' },
    // One loop or two, where none is said: either must end as one.
    flags: () => ['--max-keys', '10000', '--http-threads', String(loops ?? (random.chance(0.25) ? 2 : 1))],
    ledgers: [
      [given, 3],
      [made, 1],
      [new SuggestionLedger(() => given.path, next()), 1],
      [new KeyLedger(next()), 1],
      ...indexes.map((ledger) => [ledger, 1] as const),
    ],
    readers: [
      new SearchReader(given, next()),
      new SearchReader(made, next()),
      new CursorReader(given, next(), 'scan'),
      new CursorReader(given, next(), 'search'),
    ],
    ready: async () => undefined,
    indexes: () => 2 + indexes.filter(({ exists }) => exists).length,
  };
  const prepare = async (server: ServerProcess): Promise<void> => {
    for (const { index, path } of [given, made]) await server.ok('POST', path, settingsOf(index));
  };
  return { plan, prepare, documents: [given, made] };
}
