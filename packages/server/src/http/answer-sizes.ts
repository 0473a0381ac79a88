/** Operations of indexes whose sizes are remembered. Beyond that, those answered longest ago are forgotten. */
const KNOWN_MAX = 1_000;
/** Bytes that an item of an answer is expected to have before the first one was seen. */
const ITEM_BYTES = 1_024;
/** Weight of the newest answer in the mean. */
const NEWEST_SHARE = 1 / 4;

/** Expects how large an answer will be, by the number of items that are asked for and by the answers before it. */
export class AnswerSizes {
  /** Mean bytes of an item, by operation and index, in the order in which they were answered. */
  readonly #itemBytes = new Map<string, number>();

  expected(operation: string, index: string | undefined, items: number): number {
    return Math.ceil(items * (this.#itemBytes.get(keyOf(operation, index)) ?? ITEM_BYTES));
  }

  note(operation: string, index: string | undefined, items: number, bytes: number): void {
    const key = keyOf(operation, index);
    const before = this.#itemBytes.get(key) ?? bytes / items;
    this.#itemBytes.delete(key);
    this.#itemBytes.set(key, before + (bytes / items - before) * NEWEST_SHARE);
    if (this.#itemBytes.size > KNOWN_MAX) this.#itemBytes.delete(this.#itemBytes.keys().next().value as string);
  }
}

/** The number of items that a checked body asks for: ids, texts, or hits up to a limit. */
export function itemsAskedFor(body: unknown): number {
  if (Array.isArray(body)) return Math.max(1, body.length);
  const { documentIds, limit } = (body ?? {}) as { documentIds?: unknown; limit?: unknown };
  if (Array.isArray(documentIds)) return Math.max(1, documentIds.length);
  return typeof limit === 'number' && limit > 0 ? limit : 1;
}

function keyOf(operation: string, index: string | undefined): string {
  return index === undefined ? operation : `${operation} ${index}`;
}
