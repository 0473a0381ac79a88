import { nearestNames } from '../models/nearest-names.js';
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
  const near = nearestNames(name, columns);
  if (near.length > 0) return `did you mean ${near.map((one) => `'${one}'`).join(' or ')}?`;
  const more = columns.length > SHOWN_NAMES_MAX ? `, and ${columns.length - SHOWN_NAMES_MAX} more` : '';
  return `it has ${columns.slice(0, SHOWN_NAMES_MAX).join(', ')}${more}`;
}
