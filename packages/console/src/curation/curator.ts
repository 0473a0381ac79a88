import type { Pelorus } from '@pelorus/client';
import type { Arrangement, Places } from './arrangement.js';
import type { SearchDefaults } from './search-defaults.js';

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
  /** Rules of other kinds, which have a form of their own. */
  readonly others: readonly Rule[];
  /** The names of all rules. */
  readonly ids: readonly string[];
  /** Members that searches have where they leave them out; none when absent. */
  readonly searchDefaults?: SearchDefaults | undefined;
}

/** A change of the choices: of one query, of all synonyms, of one rule, or of all search defaults. */
export type Change =
  | { readonly query: string; readonly arrangement: Arrangement }
  | { readonly synonyms: readonly Synonyms[] }
  | { readonly without: string }
  | { readonly searchDefaults: SearchDefaults | undefined }
  | {
      readonly rule: Rule;
      /** The id of the rule that it takes the place of; undefined for a new one. */
      readonly former: string | undefined;
    };

/** A rule of an index: the searches that it is about, and what becomes of them. */
export interface Rule {
  readonly id: string;
  readonly condition: Readonly<Record<string, unknown>> & { readonly query?: string | null };
  readonly consequence: Readonly<Record<string, unknown>> & {
    readonly pinned?: readonly { readonly _id: string; readonly position: number }[] | null;
    readonly hidden?: readonly string[] | null;
    readonly redirect?: string | null;
  };
}

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
  /** Tells whether there may be rules of other kinds. */
  readonly hasRules: boolean;
  readonly load: (client: Pelorus, signal: AbortSignal) => Promise<Choices>;
  /** The choices after a change. @throws PelorusError where others have changed them meanwhile */
  readonly change: (before: Choices, change: Change) => Promise<Choices>;
  /** Earlier choices, where the page shows them and brings them back. */
  readonly versions?: Versions;
  /** The hits of a query, as people find them. */
  readonly find: (client: Pelorus, query: string, signal: AbortSignal) => Promise<Found>;
  /** Documents to choose from, by words of theirs or by an id, whatever is said of a query. */
  readonly seek: (client: Pelorus, text: string, signal: AbortSignal) => Promise<readonly FoundHit[]>;
  /** Titles by the ids by which documents are hidden; one that is not there has none. */
  readonly titlesOf: (
    client: Pelorus,
    ids: readonly string[],
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
}

/** Rules, synonyms and search defaults as they were from one change to the next. */
export interface RuleVersion {
  readonly version: number;
  /** The moment of its change; null for those of an index that never had any. */
  readonly updatedAt: string | null;
  readonly rules: readonly Rule[];
  readonly synonyms: readonly Synonyms[];
  readonly searchDefaults?: SearchDefaults | undefined;
}

export interface Versions {
  /** Those that are kept, newest first. */
  readonly load: (client: Pelorus, signal: AbortSignal) => Promise<readonly RuleVersion[]>;
  /** Brings one back: the choices as they are then. @throws PelorusError where others have changed them meanwhile */
  readonly rollBack: (before: Choices, version: number) => Promise<Choices>;
}

export interface Found {
  readonly hits: readonly FoundHit[];
  /** Undefined where it says nothing. */
  readonly total: number | undefined;
}
