import type { ProductFigures, ShopperFigures } from '@pelorus/ecommerce';

/** The actions of a shopper after a search. */
export interface Visit {
  readonly userId: string;
  readonly sessionId: string;
  readonly query: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly shown: readonly string[];
  readonly clicked: readonly string[];
}

/** A click more or less says little of a product that was hardly shown: so many looks are added at the mean rate. */
const PRIOR_LOOKS = 5;

/** Figures counted anew from a log each time: what the figures of a shop mean, at its plainest. */
export class LogFigures implements ShopperFigures {
  readonly visits: Visit[] = [];

  logSearch(): void {}

  async productSignals() {
    const queries = Map.groupBy(this.visits, ({ query }) => query);
    return {
      overall: figuresOf(this.visits),
      byQuery: new Map([...queries].map(([query, visits]) => [query, figuresOf(visits)])),
    };
  }

  async topQueries() {
    const queries = Map.groupBy(this.visits, ({ query }) => query);
    return [...queries].map(([query, visits]) => {
      const users = new Set(visits.map(({ userId }) => userId)).size;
      return { query, count: visits.length, users, findsSomething: visits.some(({ shown }) => shown.length > 0) };
    });
  }

  async queryChoices(_: string, { usersMin, limit }: Parameters<ShopperFigures['queryChoices']>[1]) {
    const queries = [...Map.groupBy(this.visits, ({ query }) => query)].map(([query, visits]) => {
      const pairs = visits.flatMap(({ userId, clicked }) => clicked.map((docId) => ({ userId, docId })));
      const byProduct = Map.groupBy(pairs, ({ docId }) => docId);
      const usersOf = (some: typeof pairs) => new Set(some.map(({ userId }) => userId)).size;
      const products = [...byProduct].map(([docId, some]) => ({ docId, clicked: usersOf(some), carted: 0, bought: 0 }));
      return { query, users: usersOf(pairs), products };
    });
    return queries
      .filter(({ users }) => users >= usersMin)
      .toSorted((a, b) => b.users - a.users)
      .slice(0, limit);
  }

  async recentOf(_: string, { userId, sessionId }: Parameters<ShopperFigures['recentOf']>[1]) {
    const isOwn = (visit: Visit) => visit.userId === userId || visit.sessionId === sessionId;
    const own = this.visits.filter(isOwn).toSorted((a, b) => b.at - a.at);
    return own.slice(0, 20).map(({ at, clicked }) => ({ eventType: 'ClickEvent', at, docIds: clicked }));
  }
}

function figuresOf(visits: readonly Visit[]): ProductFigures[] {
  const looks = countOf(visits.flatMap(({ shown }) => shown));
  const clicks = countOf(visits.flatMap(({ clicked }) => clicked));
  const mean = sum(clicks) / Math.max(1, sum(looks));
  const rates = [...looks].map(([docId, looked]) => {
    const clickRate = ((clicks.get(docId) ?? 0) + PRIOR_LOOKS * mean) / (looked + PRIOR_LOOKS);
    return { docId, clickRate };
  });
  const best = Math.max(...rates.map(({ clickRate }) => clickRate), Number.MIN_VALUE);
  return rates.map(({ docId, clickRate }) => ({ docId, clickRate, conversionRate: 0, popularity: clickRate / best }));
}

function countOf(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
