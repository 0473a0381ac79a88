import { parseExactly, sourceOf } from '../exact-json.js';
import type { ColumnKind } from './file-format.js';

/** A document whose numbers are spelt as they were. */
export type ExactDocument = Record<string, unknown>;

export function readDocument(text: string): ExactDocument {
  return parseExactly(text) as ExactDocument;
}

const [INT64_MIN, INT64_MAX] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Works out the kinds of a table's columns from its documents. */
export class ColumnKinds {
  readonly #kinds = new Map<string, ColumnKind>([['_id', 'text']]);
  readonly #emptyTexts: boolean;

  /** @param emptyTexts whether a column of texts can hold an empty one and tell it from none */
  constructor(emptyTexts: boolean) {
    this.#emptyTexts = emptyTexts;
  }

  see(document: ExactDocument): void {
    for (const [name, value] of Object.entries(document)) {
      const kind = this.#kindOf(value);
      const known = this.#kinds.get(name);
      if (known !== kind) this.#kinds.set(name, known === undefined ? kind : 'json');
    }
  }

  get(): Record<string, ColumnKind> {
    return Object.fromEntries(this.#kinds);
  }

  #kindOf(value: unknown): ColumnKind {
    if (typeof value === 'string') return value === '' && !this.#emptyTexts ? 'json' : 'text';
    if (typeof value === 'boolean') return 'bool';
    const number = sourceOf(value);
    if (number === undefined) return 'json';
    if (/[.eE]/.test(number)) return 'float';
    return BigInt(number) >= INT64_MIN && BigInt(number) <= INT64_MAX ? 'integer' : 'json';
  }
}

/** The JSON of a document from its members' JSON, without those that are undefined. */
export function documentOf(members: Iterable<readonly [name: string, json: string | undefined]>): string {
  const texts: string[] = [];
  for (const [name, json] of members) if (json !== undefined) texts.push(`${JSON.stringify(name)}:${json}`);
  return `{${texts.join(',')}}`;
}
