import type { Settings } from './settings.js';
import type { Shop } from './shop.js';

/** The figures of a product from shoppers' actions: shares from 0 to 1. */
export interface ProductFigures {
  readonly docId: string;
  readonly popularity: number;
  readonly clickRate: number;
  readonly conversionRate: number;
}

/** A search that a shop answered. */
export interface AnsweredSearch {
  readonly customerId: string;
  readonly query: string;
  readonly hits: number;
  readonly shown: readonly string[];
  readonly queryId: string;
  readonly userId?: string;
  readonly sessionId?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * The actions of shoppers, as far as shops rank and recommend by them. Queries are in NFKC, lower case, with single
 * blanks.
 */
export interface ShopperFigures {
  logSearch(search: AnsweredSearch): void;
  productSignals(
    customerId: string,
    since: number,
  ): Promise<{
    readonly overall: readonly ProductFigures[];
    readonly byQuery: ReadonlyMap<string, readonly ProductFigures[]>;
  }>;
  topQueries(
    customerId: string,
    options: { since: number; limit: number },
  ): Promise<
    readonly {
      readonly query: string;
      readonly count: number;
      readonly users: number;
      readonly findsSomething: boolean | null;
    }[]
  >;
  /** The queries after which at least `usersMin` users chose something, those of most users first. */
  queryChoices(
    customerId: string,
    options: { since: number; usersMin: number; limit: number },
  ): Promise<
    readonly {
      readonly query: string;
      /** Each user counts once for a product, by the strongest action. */
      readonly products: readonly {
        readonly docId: string;
        readonly clicked: number;
        readonly carted: number;
        readonly bought: number;
      }[];
    }[]
  >;
  /** The last 20 events of a user, of a session, or of both together, the latest first. */
  recentOf(
    customerId: string,
    shopper: { readonly userId?: string; readonly sessionId?: string },
  ): Promise<readonly { readonly eventType: string; readonly at: number; readonly docIds: readonly string[] }[]>;
}

/** The customer to whom the events of a shop belong. */
export function customerOf({ name }: Shop, { customerId }: Settings): string {
  return customerId ?? name;
}
