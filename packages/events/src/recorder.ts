import { hash } from 'node:crypto';
import { WINDOW_MS } from './attribution.js';
import {
  type CheckedEvent,
  checkEvent,
  type EventRules,
  earliestOf,
  type Finding,
  isFinding,
  keptSince,
} from './check-event.js';
import { addDifference, Sums } from './contributions.js';
import { ErasureAttempts } from './erasure-attempts.js';
import {
  DAY_MS,
  EVENT_TYPES,
  factsOf,
  HOUR_MS,
  normalisedQuery,
  PURCHASE,
  SEARCH_LOG,
  TIME_RULES,
  type TimeRules,
} from './event.js';
import type {
  AcceptedEvents,
  ErasureJob,
  EventProblem,
  ExportedEvents,
  ExportedUbi,
  LoggedSearch,
  RecentEvent,
  RejectedEvent,
  Shopper,
} from './event-store.js';
import type { FiguresFile } from './figures-file.js';
import type { LedgerFile, PendingErasure } from './ledger-file.js';
import {
  type MonthFile,
  monthOf,
  type NewEvent,
  SESSION_EVENTS_MAX,
  type SequencedFacts,
  type StoredEvent,
} from './month-file.js';
import { copyStore } from './store-copy.js';
import { StoreFiles } from './store-files.js';
import { ubiOf } from './ubi.js';

export interface RecorderOptions {
  readonly folder: string;
  /** As of {@link StoreFilesOptions}. */
  readonly wasThere?: boolean | undefined;
  readonly rules?: TimeRules;
  /** Milliseconds since 1970; the machine's own when absent. */
  readonly clock?: () => number;
  /** Told of work that failed and will be tried again, and of files that were found damaged. */
  readonly report?: (message: string) => void;
  /** As of {@link StoreFilesOptions}. */
  readonly suspect?: string | undefined;
}

export interface Batch {
  readonly customerId: string;
  /** Each event as JSON: how it is stored, and handed from thread to thread for the least. */
  readonly texts: readonly string[];
}

const RECENT_MAX = 20;
const EXPORT_PAGE = 1_000;
const SHOWN_MAX = 100;

/** Events in files, and figures of them. Everything it does ends before it returns: it belongs on a thread of its own. */
export class Recorder {
  readonly figures: FiguresFile;
  readonly #folder: string;
  readonly #rules: TimeRules;
  readonly #clock: () => number;
  readonly #report: (message: string) => void;
  readonly #files: StoreFiles;
  readonly #ledger: LedgerFile;
  readonly #months: ReadonlyMap<string, MonthFile>;
  readonly #attempts = new ErasureAttempts();
  #notedMs = 0;

  /** @throws Error where its files cannot be used */
  constructor(options: RecorderOptions) {
    const { folder, wasThere, rules = TIME_RULES, clock = Date.now, report = () => undefined, suspect } = options;
    this.#rules = rules;
    this.#clock = clock;
    this.#report = report;
    this.#folder = folder;
    this.#files = new StoreFiles({ folder, wasThere, clock, report, suspect });
    this.#ledger = this.#files.ledger;
    this.figures = this.#files.figures;
    this.#months = this.#files.months;
  }

  /**
   * Stores batches in one transaction for each month that they touch. Durable when it returns; when it throws, the
   * stored ones of them are found as duplicates by the next attempt.
   */
  accept(batches: readonly Batch[]): AcceptedEvents[] {
    const now = this.#clock();
    return this.#inTransactions((insert) =>
      batches.map(({ customerId, texts }) => {
        const rules = this.#rulesOf(customerId, now);
        const items: RejectedEvent[] = [];
        let accepted = 0;
        let duplicates = 0;
        let late = 0;
        for (const [index, text] of texts.entries()) {
          const given: unknown = JSON.parse(text);
          const result = this.#checked(given, rules);
          const finding = isFinding(result) ? result : result.warning;
          const outcome = isFinding(result) ? 'refused' : insert(newEvent(customerId, result, now, given, text));
          if (outcome === 'session_full') items.push({ index, status: 400, ...sessionFull });
          else if (finding !== null) items.push({ index, status: isFinding(result) ? 400 : 200, ...finding });
          if (outcome === 'stored') accepted += 1;
          if (outcome === 'duplicate') duplicates += 1;
          if (outcome === 'stored' && now - (result as CheckedEvent).at > HOUR_MS) late += 1;
        }
        this.#note(customerId, now, { accepted, duplicates, late }, items);
        return { received: texts.length, accepted, duplicates, items };
      }),
    );
  }

  /** Stores searches of which the session is known: for others it could not be told which actions followed. */
  logSearches(searches: readonly LoggedSearch[]): void {
    const now = this.#clock();
    const events = searches.flatMap((search): NewEvent[] => {
      const { customerId, sessionId, userId = '', query, hits, shown = [], queryId, at } = search;
      const { earliest, latest } = this.#rulesOf(customerId, now);
      if (sessionId === undefined || normalisedQuery(query) === '' || at < earliest || at > latest) return [];
      if ((this.#ledger.erasedUntil(customerId, userId) ?? 0) >= at) return [];
      const body = JSON.stringify({ query, hits, docId: shown.slice(0, SHOWN_MAX), queryId });
      const key = keyOf([customerId, 'search', userId, sessionId, at, query, queryId]);
      return [
        {
          customer: customerId,
          user: userId,
          session: sessionId,
          type: SEARCH_LOG,
          at,
          received: now,
          key,
          hasOwnId: false,
          body,
          items: 1,
        },
      ];
    });
    if (events.length > 0) this.#inTransactions((insert) => events.forEach(insert));
  }

  /** Counts stored events into the figures, at most `limit` of them. Tells whether there is more to do. */
  rollUp(limit: number): boolean {
    this.figures.flushNotes();
    const marks = this.figures.watermarks();
    const isKnown = ({ at, seq }: SequencedFacts) => seq <= (marks.get(monthOf(at)) ?? 0);
    for (const file of this.#months.values()) {
      const events = file.since(marks.get(file.month) ?? 0, limit);
      const last = events.at(-1);
      if (last === undefined) continue;
      // Events of other months count as far as their own turn has come: each is counted once, whichever month is first.
      const isCounted = (event: SequencedFacts) =>
        monthOf(event.at) === file.month ? event.seq <= last.seq : isKnown(event);
      const sums = new Sums();
      for (const { customer, session, from, to } of sessionsOf(events)) {
        const around = this.#around(customer, session, from, to);
        const counted = { customer, from: from - WINDOW_MS, to: to + WINDOW_MS };
        // A new event changes the figures of those near it: the session is counted anew, less what it counted before.
        addDifference(sums, around.filter(isKnown), around.filter(isCounted), counted);
      }
      this.figures.advance(sums, file.month, last.seq);
      return true;
    }
    this.#files.isRecounting = false;
    return false;
  }

  /** Notes how many events there are, where that was not done of late. */
  noteMonths(): void {
    const now = this.#clock();
    // The clock may have been set back.
    if (Math.abs(now - this.#notedMs) < NOTES_MS) return;
    this.#notedMs = now;
    this.#files.noteMonths();
  }

  /** Tries files again that could not be opened and are due. */
  reopenClosed(): void {
    this.#files.reopenClosed();
  }

  /** Brings figures up to date. */
  settle(): void {
    while (this.rollUp(SETTLE_EVENTS));
  }

  rebuild(): void {
    this.figures.reset();
    this.settle();
  }

  recentOf(customer: string, shopper: Shopper): RecentEvent[] {
    const recent: RecentEvent[] = [];
    for (const file of [...this.#months.values()].reverse()) {
      for (const { type, at, body } of this.#recentIn(file, customer, shopper)) {
        const eventType = EVENT_TYPES[type];
        if (eventType === undefined) continue;
        const event = JSON.parse(body);
        const { term, items } = factsOf({ type, at, key: '', user: 0 }, event);
        const given = term === null ? null : (event.query ?? event.collectionId);
        recent.push({ eventType, at, term: given, docIds: items.map(({ docId }) => docId) });
        if (recent.length === RECENT_MAX) return recent;
      }
    }
    return recent;
  }

  /** Events of a month, the latest first. One of the user that is of the session too is there once. */
  #recentIn(file: MonthFile, customer: string, { userId, sessionId }: Shopper): StoredEvent[] {
    // Logged searches are among the events, at most one for each of them that counts.
    const limit = 2 * RECENT_MAX;
    const isHidden = (user: string) => this.#ledger.isPending(customer, user);
    const ofUser = userId === undefined || isHidden(userId) ? [] : file.recentOfUser(customer, userId, limit);
    if (sessionId === undefined) return ofUser;
    const ofSession = file.recentOfSession(customer, sessionId, limit).filter(({ user }) => !isHidden(user));
    const events = new Map([...ofUser, ...ofSession].map((event) => [event.seq, event]));
    return [...events.values()].sort((a, b) => b.at - a.at || b.seq - a.seq);
  }

  /** {@link retain} deletes events that are too old by it. */
  setRetention(customer: string, days: number): void {
    this.#ledger.setRetention(customer, days);
  }

  /** In days. */
  retentionOf(customer: string): number {
    return this.#ledger.retentionOf(customer);
  }

  /** Deletes raw events that are older than their customers keep them. */
  retain(): void {
    const now = this.#clock();
    // An event that is deleted before it is counted would be in no figure.
    this.settle();
    for (const file of [...this.#months.values()]) {
      const firstAt = Date.parse(`${file.month}-01T00:00:00Z`);
      const kept = file
        .customers()
        .map((customer) => ({ customer, since: keptSince(now, this.#ledger.retentionOf(customer)) }))
        .filter(({ since }) => since > firstAt);
      // Figures that the events may have changed are final before the events are gone.
      for (const { customer, since } of kept) this.figures.makeFinal(customer, since + WINDOW_MS);
      for (const { customer, since } of kept) {
        this.#ledger.noteRemoved(file.month, file.removeBefore(customer, since));
      }
      if (file.isEmpty()) this.#files.drop(file);
    }
  }

  /** Packs figures of one hour or day that has been quiet for long. Tells whether there was one. */
  packNext(): boolean {
    return this.figures.packed.packNext(this.#clock());
  }

  /** Reads figures of one day before they are asked for. Tells whether there was one. */
  readAhead(): boolean {
    return this.figures.packed.readAhead(this.#clock());
  }

  /** Copies all files, as they are at this call, to an empty folder. Others have their turns while they are copied. */
  copyTo(folder: string): Promise<readonly string[]> {
    this.#files.noteMonths();
    return copyStore(this.#folder, folder);
  }

  exportUser(customer: string, user: string, after?: string): ExportedEvents {
    const [, month = '', at, seq] = /^(\d{4}-\d\d)_(-?\d+)_(\d+)$/.exec(after ?? '') ?? [];
    const events: Record<string, unknown>[] = [];
    for (const file of this.#months.values()) {
      if (file.month < month) continue;
      const place =
        file.month === month ? { at: Number(at), seq: Number(seq) } : { at: Number.MIN_SAFE_INTEGER, seq: 0 };
      for (const event of file.ofUser(customer, user, place, EXPORT_PAGE - events.length)) {
        const known = EVENT_TYPES[event.type];
        events.push(known === undefined ? loggedSearch(event.at, event.body) : JSON.parse(event.body));
        if (events.length === EXPORT_PAGE) return { events, next: `${file.month}_${event.at}_${event.seq}` };
      }
    }
    return { events, next: null };
  }

  /** Looks through some events of all customers, so that no page takes long: there may be few or none of `customer`. */
  exportUbi(customer: string, after = ''): ExportedUbi {
    const [afterMonth = '', afterSeq = '0'] = after.split('_');
    const erased = new Set(this.#ledger.pending().map((one) => one.customer === customer && one.user));
    for (const file of this.#months.values()) {
      if (file.month < afterMonth) continue;
      const rows = file.after(file.month === afterMonth ? Number(afterSeq) : 0, EXPORT_PAGE);
      const last = rows.at(-1);
      if (last === undefined) continue;
      const own = rows.filter((row) => row.customer === customer && !erased.has(row.user));
      const records = own.map((row) => ubiOf({ ...row, body: JSON.parse(row.body) }));
      return {
        queries: records.flatMap(({ queries }) => queries),
        events: records.flatMap(({ events }) => events),
        next: `${file.month}_${last.seq}`,
      };
    }
    return { queries: [], events: [], next: null };
  }

  /** Orders an erasure; {@link eraseNext} carries it out. */
  orderErasure(customer: string, user: string): ErasureJob {
    return this.#ledger.order(customer, user, this.#clock());
  }

  erasure(job: string): ErasureJob | undefined {
    return this.#ledger.job(job);
  }

  /** Carries out one erasure that is due. Tells whether there was one; one that fails is tried again later. */
  eraseNext(): boolean {
    const now = this.#clock();
    const next = this.#attempts.next(this.#ledger.pending(), now);
    if (next === undefined) return false;
    try {
      this.#erase(next);
      this.#attempts.succeeded(next.job);
    } catch (error) {
      const reason = messageOf(error);
      this.#attempts.failed(next.job, reason, now);
      this.#report(`An erasure failed, and will be tried again: ${reason}`);
    }
    return true;
  }

  /**
   * The time at which an erasure or a file that failed is due again, in milliseconds since 1970; null where none is.
   */
  retryDueMs(): number | null {
    const due = [this.#attempts.dueMs(this.#ledger.pending()), this.#files.reopenDueMs()].filter((ms) => ms !== null);
    return due.length === 0 ? null : Math.min(...due);
  }

  /** Lists the faults, and the steps that are being taken. */
  problems(): EventProblem[] {
    const reason = this.#attempts.problem();
    return [...this.#files.problems(), ...(reason === null ? [] : [{ status: 'yellow' as const, reason }])];
  }

  #erase({ job, customer, user }: PendingErasure): void {
    if (user !== null) {
      this.#eraseInAll(job, customer, user);
      this.#ledger.forget(customer, user);
    }
    // Before: figures without the note would count as older than an erasure that they know.
    this.figures.noteCleaned(this.#ledger.finishedCount() + this.#ledger.unfinishedCount());
    this.#ledger.finish(this.#clock());
    this.#files.noteCleaned();
    this.figures.forgetErasure(job);
  }

  /** Goes through all months, whichever of them fails; each one that goes well is done. */
  #eraseInAll(job: string, customer: string, user: string): void {
    this.settle();
    const failures: unknown[] = [];
    for (const file of this.#months.values()) {
      try {
        this.#eraseIn(file, job, customer, user);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    const [unreadable] = this.#files.unreadable();
    if (unreadable !== undefined) throw new Error(`${unreadable} may hold the user, and cannot be read`);
    this.figures.emptyLog();
  }

  #eraseIn(file: MonthFile, job: string, customer: string, user: string): void {
    const sessions = file.sessionsOf(customer, user);
    // The figures first, with a note that they are done: a crash before the events are gone subtracts nothing twice.
    if (sessions.length > 0 && !this.figures.hasErased(job, file.month)) {
      const sums = new Sums();
      for (const session of sessions) this.#addErasure(sums, customer, user, session, file.month);
      this.figures.erase(sums, job, file.month);
    }
    this.#ledger.noteRemoved(file.month, file.removeUser(customer, user));
    file.removeTraces();
  }

  close(): void {
    this.#files.close();
  }

  /** Adds to `sums` the loss of the figures when the events of `user` in one session and month go. */
  #addErasure(sums: Sums, customer: string, user: string, session: string, month: string): void {
    const file = this.#months.get(month) as MonthFile;
    const number = file.numberOfUser(customer, user);
    const isErased = (event: SequencedFacts) => event.user === number && monthOf(event.at) === month;
    const erased = file
      .ofSession(customer, session, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
      .filter(isErased)
      .map(({ at }) => at);
    const from = Math.min(...erased);
    const to = Math.max(...erased);
    const around = this.#around(customer, session, from, to);
    const rest = around.filter((event) => !isErased(event));
    addDifference(sums, around, rest, { customer, from: from - WINDOW_MS, to: to + WINDOW_MS });
  }

  /** Events of a session on which the figures of what happened from `from` to `to` depend, and those near them. */
  #around(customer: string, session: string, from: number, to: number): SequencedFacts[] {
    const first = from - 2 * WINDOW_MS;
    const last = to + 2 * WINDOW_MS;
    return [...this.#months.values()]
      .filter(({ month }) => month >= monthOf(first) && month <= monthOf(last))
      .flatMap((file) => file.ofSession(customer, session, first, last));
  }

  #rulesOf(customerId: string, now: number): EventRules {
    const earliest = earliestOf(now, this.#rules.ageMs, this.#ledger.retentionOf(customerId));
    return { customerId, earliest, latest: now + this.#rules.aheadMs };
  }

  #checked(event: unknown, rules: EventRules): CheckedEvent | Finding {
    const result = checkEvent(event, rules);
    if (isFinding(result)) return result;
    const until = this.#ledger.erasedUntil(rules.customerId, result.body.userId as string);
    return until !== undefined && result.at <= until ? erasedUser : result;
  }

  #note(
    customer: string,
    now: number,
    counts: { accepted: number; duplicates: number; late: number },
    items: readonly RejectedEvent[],
  ): void {
    for (const [reason, count] of Object.entries(counts)) this.figures.note(customer, now, reason as 'late', count);
    for (const { status, code } of items) if (status === 400) this.figures.note(customer, now, `rejected:${code}`, 1);
  }

  /** Runs `work`, whose inserts are durable together when this returns. */
  #inTransactions<Result>(
    work: (insert: (event: NewEvent) => 'stored' | 'duplicate' | 'session_full') => Result,
  ): Result {
    const open = new Set<MonthFile>();
    const insert = (event: NewEvent) => {
      const file = this.#files.month(monthOf(event.at));
      if (!open.has(file)) {
        file.begin();
        open.add(file);
      }
      return event.hasOwnId && this.#isKnown(event) ? 'duplicate' : file.insert(event);
    };
    try {
      const result = work(insert);
      for (const file of open) file.commit();
      return result;
    } catch (error) {
      for (const file of open) file.rollBack();
      throw error;
    }
  }

  /** Tells whether the sender's own id was used within a day of this event, before or after. */
  #isKnown({ key, at }: NewEvent): boolean {
    const months = new Set([at - DAY_MS, at, at + DAY_MS].map(monthOf));
    return [...months].some((month) => this.#months.get(month)?.hasOwnId(key, at - DAY_MS, at + DAY_MS));
  }
}

/** Interval of the notes of how many events there are. */
const NOTES_MS = 10_000;
const SETTLE_EVENTS = 2_000;

const sessionFull: Finding = {
  code: 'session_full',
  message: `sessionId: expected at most ${SESSION_EVENTS_MAX} events and items bought of one session in a month`,
};

const erasedUser: Finding = {
  code: 'user_erased',
  message: 'timestamp: expected a time after the erasure of this user, received one before it',
};

/** @param text what `given`, of which the event was made, is as JSON */
function newEvent(
  customer: string,
  { type, at, body }: CheckedEvent,
  received: number,
  given: unknown,
  text: string,
): NewEvent {
  const { userId, sessionId, eventId, query, collectionId, docId } = body;
  const hasOwnId = eventId != null;
  const key = keyOf(
    hasOwnId ? [customer, eventId] : [customer, type, userId, sessionId, at, query ?? collectionId ?? docId],
  );
  return {
    ...{ customer, user: userId as string, session: sessionId as string, type, at, received, key, hasOwnId },
    body: body === given ? text : JSON.stringify(body),
    items: type === PURCHASE && Array.isArray(docId) ? docId.length : 1,
  };
}

/** The first 128 bits of SHA-256; by way of a text, which costs less than a buffer of its own for each hash. */
function keyOf(parts: readonly unknown[]): Buffer {
  return Buffer.from(hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32), 'hex');
}

/** The sessions of events, each with its first and last time. */
function sessionsOf(events: readonly { at: number; customer: string; session: string }[]) {
  const sessions = new Map<string, { customer: string; session: string; from: number; to: number }>();
  for (const { at, customer, session } of events) {
    const key = JSON.stringify([customer, session]);
    const known = sessions.get(key);
    if (known === undefined) sessions.set(key, { customer, session, from: at, to: at });
    else {
      known.from = Math.min(known.from, at);
      known.to = Math.max(known.to, at);
    }
  }
  return sessions.values();
}

function loggedSearch(at: number, body: string): Record<string, unknown> {
  return { eventType: 'LoggedSearch', timestamp: new Date(at).toISOString(), ...JSON.parse(body) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
