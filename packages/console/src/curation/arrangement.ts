/** A document that stands at a place of the hits, from 1 on. */
export interface Pinned {
  readonly id: string;
  readonly position: number;
}

/** The choices of people about the hits of one query. */
export interface Arrangement {
  readonly pinned: readonly Pinned[];
  readonly hidden: readonly string[];
  /** The address to which those who ask are sent; empty for none. */
  readonly redirect: string;
}

export const NO_ARRANGEMENT: Arrangement = { pinned: [], hidden: [], redirect: '' };

/**
 * Places that pinned documents may have: any, or those from the first on without a gap.
 */
export type Places = 'any' | 'inRow';

/** Tells whether the server takes two queries for the same: case and surplus blanks do not matter. */
export const isSameQuery = (one: string, other: string): boolean => comparable(one) === comparable(other);

const comparable = (query: string): string => query.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ');

/** Moves a document one place to the front; one that is not pinned in a row comes behind those that are. */
export function movedUp(pinned: readonly Pinned[], id: string, place: number, places: Places): readonly Pinned[] {
  if (places === 'any') return movedTo(pinned, id, place, Math.max(place - 1, 1));
  const at = pinned.findIndex((one) => one.id === id);
  return at < 0 ? inRow([...pinned, { id, position: 0 }]) : inRow(swapped(pinned, at, at - 1));
}

/** Moves a pinned document one place back. */
export function movedDown(pinned: readonly Pinned[], id: string, place: number, places: Places): readonly Pinned[] {
  if (places === 'any') return movedTo(pinned, id, place, place + 1);
  const at = pinned.findIndex((one) => one.id === id);
  return inRow(swapped(pinned, at, at + 1));
}

/** Puts a document in front of all. */
export function movedFirst(pinned: readonly Pinned[], id: string, places: Places): readonly Pinned[] {
  const others = unpinned(pinned, id);
  // The first of several with one place stands there, and the others follow it.
  return places === 'any' ? [{ id, position: 1 }, ...others] : inRow([{ id, position: 1 }, ...others]);
}

export const unpinned = (pinned: readonly Pinned[], id: string): readonly Pinned[] =>
  pinned.filter((one) => one.id !== id);

/** The places that ids have one behind the other. */
export const inRow = (pinned: readonly Pinned[]): readonly Pinned[] =>
  pinned.map(({ id }, place) => ({ id, position: place + 1 }));

/** Where another document is pinned to the place, the two change places. */
function movedTo(pinned: readonly Pinned[], id: string, from: number, to: number): readonly Pinned[] {
  const others = unpinned(pinned, id).map((one) => (one.position === to ? { ...one, position: from } : one));
  return [...others, { id, position: to }].sort((one, other) => one.position - other.position);
}

function swapped(pinned: readonly Pinned[], at: number, to: number): readonly Pinned[] {
  const [one, other] = [pinned[at], pinned[to]];
  if (one === undefined || other === undefined) return pinned;
  return pinned.map((each, place) => (place === at ? other : place === to ? one : each));
}
