import type { EventProblem, LoggedSearch } from './event-store.js';
import { queryChoices } from './query-choices.js';
import type { Batch, Recorder } from './recorder.js';
import { Reports } from './reports.js';
import { productSignals } from './signals.js';

/** The data with which the thread of the store starts. */
export interface ThreadData {
  readonly folder: string;
  /** Tells that there was a store in the folder, be it that nothing of it is left. */
  readonly wasThere: boolean;
}

/** The questions to the thread besides storing events, each answered in its turn. */
export type Questions = ReturnType<typeof questionsOf>;

export function questionsOf(recorder: Recorder) {
  const { db } = recorder.figures;
  const reports = new Reports(recorder.figures);
  return {
    summary: reports.summary.bind(reports),
    timeSeries: reports.timeSeries.bind(reports),
    terms: reports.terms.bind(reports),
    noResults: reports.noResults.bind(reports),
    noClicks: reports.noClicks.bind(reports),
    products: reports.products.bind(reports),
    labels: reports.labels.bind(reports),
    dataQuality: reports.dataQuality.bind(reports),
    namedProducts: reports.namedProducts.bind(reports),
    productSignals: (customer: string, since: number) => productSignals(db, customer, since, Date.now()),
    topQueries: reports.topQueries.bind(reports),
    queryChoices: (customer: string, options: Parameters<typeof queryChoices>[2]) =>
      queryChoices(db, customer, options),
    recentOf: recorder.recentOf.bind(recorder),
    setRetention: recorder.setRetention.bind(recorder),
    retentionOf: recorder.retentionOf.bind(recorder),
    exportUser: recorder.exportUser.bind(recorder),
    exportUbi: recorder.exportUbi.bind(recorder),
    eraseUser: recorder.orderErasure.bind(recorder),
    erasure: recorder.erasure.bind(recorder),
    rebuild: recorder.rebuild.bind(recorder),
    copyTo: recorder.copyTo.bind(recorder),
    settle: recorder.settle.bind(recorder),
    close: recorder.close.bind(recorder),
  };
}

export type Order =
  | { readonly kind: 'accept'; readonly id: number; readonly batch: Batch }
  | { readonly kind: 'searches'; readonly searches: readonly LoggedSearch[] }
  | { readonly kind: 'ask'; readonly id: number; readonly name: keyof Questions; readonly args: readonly unknown[] };

/**
 * The answer to the order of that number, a fault of work that nobody waits for, what does not work from now on, or the word
 * that the files of the store are there.
 */
export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly fault: string }
  | { readonly isOpen: true }
  | { readonly problems: readonly EventProblem[] };
