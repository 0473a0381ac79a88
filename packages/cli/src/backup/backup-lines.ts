import type { schemas } from '@pelorus/contract';
import { printJson } from '../terminal/json.js';
import { say } from '../terminal/lines.js';
import type { Output } from '../terminal/style.js';
import { tableOf } from '../terminal/table.js';
import { bytesText, countText } from '../terminal/units.js';

/** The facts of a backup that a list shows. */
export type ListedFacts = Pick<
  schemas.Backup,
  'id' | 'state' | 'createdAt' | 'isWhole' | 'indexes' | 'bytes' | 'newBytes' | 'reason'
>;

const COLUMNS = [
  { title: 'backup' },
  { title: 'of the moment' },
  { title: 'of' },
  { title: 'documents', isRight: true },
  { title: 'size', isRight: true },
  { title: 'new in it', isRight: true },
  { title: 'state' },
];

/** Prints backups as a table, or as JSON `{"place", "backups": [...]}`. */
export function showList(place: string, backups: readonly ListedFacts[], json: boolean, out: Output = process.stdout) {
  if (json) return printJson({ place, backups }, out);
  if (backups.length === 0) return say(`There is no backup in ${place} yet`);
  out.write(tableOf(COLUMNS, backups.map(rowOf), out));
}

function rowOf({ id, state, createdAt, isWhole, indexes, bytes, newBytes, reason }: ListedFacts): string[] {
  const documents = indexes.reduce((sum, index) => sum + index.documents, 0);
  const of = isWhole ? 'everything' : indexes.map(({ indexName }) => indexName).join(', ') || '-';
  const sizes = [countText(documents), bytesText(bytes), bytesText(newBytes)];
  return [id, createdAt ?? '-', of, ...sizes, reason === null ? state : `${state}: ${reason}`];
}
