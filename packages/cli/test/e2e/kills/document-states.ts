import { Random } from '../../../src/demo/random.js';

/** Dimensions of the vectors that clients bring. */
export const DIMENSIONS = 16;
/** A word that every document holds, so that one lexical search finds them all. */
export const COMMON_WORD = 'everywhere';
export const GROUPS = 7;
const TAGS = 11;
const PRICES = 100;

/**
 * The state of a stored document: for each of its parts the number of the write that gave it. Every write that changes a
 * document gives it another `version`.
 */
export interface DocumentState {
  readonly version: number;
  readonly price: number;
  readonly text: number;
  readonly vector: number;
}

/** A document as a write leaves it; null where it is deleted. */
export interface Change {
  readonly id: string;
  readonly after: DocumentState | null;
}

/** The states of documents as acknowledged, and the ids that a write is under way for. */
export class DocumentStates {
  readonly alive = new Map<string, DocumentState>();
  /** The last state of documents that were deleted. */
  readonly deleted = new Map<string, DocumentState>();
  /** No second write may race the one under way, or the outcome would be open. */
  readonly #busy = new Set<string>();
  readonly #changedAt = new Map<string, number>();
  #now = 0;

  /** A moment, to be compared with by {@link isSettledSince}. */
  get now(): number {
    return this.#now;
  }

  begin(ids: Iterable<string>): void {
    this.#now += 1;
    for (const id of ids) {
      this.#busy.add(id);
      this.#changedAt.set(id, this.#now);
    }
  }

  end(ids: Iterable<string>): void {
    this.#now += 1;
    for (const id of ids) {
      this.#busy.delete(id);
      this.#changedAt.set(id, this.#now);
    }
  }

  record(changes: readonly Change[]): void {
    for (const { id, after } of changes) {
      if (after !== null) {
        this.alive.set(id, after);
        this.deleted.delete(id);
        continue;
      }
      const last = this.alive.get(id);
      if (last !== undefined) this.deleted.set(id, last);
      this.alive.delete(id);
    }
  }

  isBusy(id: string): boolean {
    return this.#busy.has(id);
  }

  /** Tells whether no write of this document was under way at any time from a moment until now. */
  isSettledSince(id: string, moment: number): boolean {
    return !this.#busy.has(id) && (this.#changedAt.get(id) ?? 0) <= moment;
  }
}

/** The fields of a document but its vector. */
export function fieldsOf(id: string, state: DocumentState) {
  return {
    _id: id,
    version: state.version,
    price: priceOf(state),
    group: groupOf(state),
    tags: tagsOf(state),
    text: textOf(id, state),
  };
}

export const textOf = (id: string, state: DocumentState) => `${COMMON_WORD} ${wordOf(id, state)}`;
/** A word that only this version of the text of this document holds. */
export const wordOf = (id: string, { text }: DocumentState) => `${id}version${text}`;
export const priceOf = ({ price }: DocumentState) => (price * 7) % PRICES;
export const groupOf = ({ text }: DocumentState) => `group${text % GROUPS}`;
/** One or two that differ. */
export const tagsOf = ({ vector }: DocumentState) =>
  [...new Set([vector, vector * 3])]
    .map((number) => `tag${number % TAGS}`)
    .filter((tag, at, all) => all.indexOf(tag) === at);

/** The vector that a client brings for this version of this document, of length 1; all differ. */
export function vectorOf(id: string, { vector }: Pick<DocumentState, 'vector'>): number[] {
  let seed = vector;
  for (const character of id) seed = (Math.imul(seed, 31) + character.charCodeAt(0)) >>> 0;
  const random = new Random(seed);
  const numbers = Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}

export const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, x, at) => sum + x * (b[at] as number), 0);
