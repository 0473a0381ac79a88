import { ExitCode } from '../start-failure.js';
import { nameOf, TransferFailure } from './transfer-failure.js';

/** Names of columns, by the flags that name them. */
export type NamedColumns = Readonly<Record<string, readonly string[]>>;

/** Names that a refusal shows. */
const SHOWN_NAMES_MAX = 10;

/**
 * Refuses flags that name a column which a table does not have: to ignore one would import the table otherwise than asked for.
 * @throws TransferFailure with the names that come nearest
 */
export function checkColumns(file: string, columns: readonly string[], named: NamedColumns): void {
  for (const [flag, names] of Object.entries(named)) {
    const missing = names.find((name) => !columns.includes(name));
    if (missing === undefined) continue;
    throw new TransferFailure(
      `${flag} names '${missing}', which is no column of ${nameOf(file)}: ${suggestion(missing, columns)}`,
      ExitCode.BAD_CONFIGURATION,
    );
  }
}

function suggestion(name: string, columns: readonly string[]): string {
  const near = nearest(name, columns);
  if (near.length > 0) return `did you mean ${near.map((one) => `'${one}'`).join(' or ')}?`;
  const more = columns.length > SHOWN_NAMES_MAX ? `, and ${columns.length - SHOWN_NAMES_MAX} more` : '';
  return `it has ${columns.slice(0, SHOWN_NAMES_MAX).join(', ')}${more}`;
}

/** The names at the least distance from one, where that is no more than a third of its letters, without regard to case. */
function nearest(name: string, columns: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const distances = columns.map((column) => editDistance(wanted, column.toLowerCase()));
  const least = Math.min(...distances);
  return least <= Math.max(1, Math.floor(name.length / 3)) ? columns.filter((_, at) => distances[at] === least) : [];
}

/** The Levenshtein distance of two texts. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
