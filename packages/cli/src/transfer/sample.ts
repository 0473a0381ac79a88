import type { Item, Source } from './source.js';

/** Items from the start of a file that are looked at before any is stored. */
export const SAMPLE_ITEMS = 1000;

/** The first items of a source, and a source of all. */
export interface Sampled {
  readonly items: readonly Item[];
  /** Tells whether these are all. */
  readonly isWhole: boolean;
  readonly source: Source;
}

/** Takes a look at a source. A fault of the file among the first items is left to who reads it to import. */
export async function sampled(source: Source, isStream: boolean): Promise<Sampled> {
  const reading = source.items(0);
  const items: Item[] = [];
  let isWhole = false;
  let fault: unknown;
  try {
    while (items.length < SAMPLE_ITEMS && !isWhole) {
      const next = await reading.next();
      if (next.done === true) isWhole = true;
      else items.push(...next.value);
    }
  } catch (error) {
    // Nothing can be read of it.
    if (items.length === 0) throw error;
    fault = error;
  }
  if (!isStream) {
    await reading.return(undefined);
    return { items, isWhole, source: await source.again() };
  }
  async function* all(skipped: number): AsyncGenerator<readonly Item[]> {
    yield items.slice(skipped);
    if (fault !== undefined) throw fault;
    yield* reading;
  }
  // Standard input cannot be read again.
  const whole: Source = {
    header: source.header,
    names: source.names,
    note: source.note,
    get done() {
      return source.done;
    },
    items: all,
    again: () => source.again(),
    isSealed: () => source.isSealed(),
    damage: () => source.damage(),
  };
  return { items, isWhole, source: whole };
}
