import type { Pelorus } from '@pelorus/client';
import type { Arrangement, Places } from './arrangement.js';

/** Words that mean the same: a query that has one of `terms`, or `from` where it is there, is also asked with the others. */
export interface Synonyms {
  readonly terms: readonly string[];
  readonly from?: string | null | undefined;
  readonly phrases?: boolean | null | undefined;
}

/** The choices of people about the searches of one index, as they are kept. */
export interface Choices {
  readonly version: number;
  readonly synonyms: readonly Synonyms[];
  /** The queries about whose hits something is said. */
  readonly queries: readonly { readonly query: string; readonly arrangement: Arrangement }[];
  /** Rules of other kinds, which are shown as they are. */
  readonly others: readonly { readonly id: string }[];
}

/** A change of the choices: of one query, or of all synonyms. */
export type Change =
  | { readonly query: string; readonly arrangement: Arrangement }
  | { readonly synonyms: readonly Synonyms[] }
  | { readonly without: string };

/** A hit, as far as one has to know it to choose its place. */
export interface FoundHit {
  readonly id: string;
  readonly title: string;
  readonly details: string;
  /** The id by which it is hidden. */
  readonly hiddenBy: string;
}

/** Reads and changes the choices about the searches of one index. */
export interface Curator {
  /** Tells it from others. */
  readonly key: string;
  readonly places: Places;
  /** Tells whether there are hits without a query, whose order can be chosen. */
  readonly isBrowsed: boolean;
  readonly load: (client: Pelorus, signal: AbortSignal) => Promise<Choices>;
  /** The choices after a change. @throws PelorusError where others have changed them meanwhile */
  readonly change: (before: Choices, change: Change) => Promise<Choices>;
  /** The hits of a query, as people find them. */
  readonly find: (client: Pelorus, query: string, signal: AbortSignal) => Promise<Found>;
}

export interface Found {
  readonly hits: readonly FoundHit[];
  readonly total: number;
}
