import { copyFileSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDamage, isKept, keepAside, keptName, removeFile } from './damage.js';
import { syncFolder } from './durable-database.js';
import type { EventProblem } from './event-store.js';
import { closeFigures, makeFiguresAnew, openFigures } from './figures-anew.js';
import type { FiguresFile } from './figures-file.js';
import { FIGURES_FILE } from './figures-format.js';
import { sumOfFile } from './file-sum.js';
import { COPY_FILE, readCopy } from './ledger-copy.js';
import { LEDGER_FILE, LedgerFile } from './ledger-file.js';
import { fileOfMonth, MonthFile, monthOfFile } from './month-file.js';
import { salvageMonth, unfinished } from './salvage.js';
import { isLogBroken } from './write-ahead-log.js';

/** So many bytes of months are gone through at a start, those of the latest first; of others each event is, when it is read. */
const CHECKED_BYTES_MAX = 64 * 1024 * 1024;
/** A file of so many bytes is known by its sum where it was closed, which takes a fiftieth of the time. */
const SUMMED_BYTES_MAX = 1024 * 1024 * 1024;
/** Time that a month which cannot be opened waits for the next attempt, which is twice as long each time. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 60_000;
const PAGE_BYTES = 4096;

export interface StoreFilesOptions {
  readonly folder: string;
  /** Tells that there was a store here, be it that nothing of it is left. */
  readonly wasThere?: boolean | undefined;
  readonly clock: () => number;
  /** Told of each fault that was found, and of its repair. */
  readonly report: (message: string) => void;
  /** Name of a file that is gone through whatever its size, since something was wrong in it. */
  readonly suspect?: string | undefined;
}

interface ClosedMonth {
  readonly reason: string;
  readonly attempts: number;
  readonly dueMs: number;
}

/**
 * The files of a store. One that is damaged is kept aside and made anew of what can be read, or derived, of it; a month
 * that cannot be opened is closed and tried again, and others go on.
 */
export class StoreFiles {
  readonly ledger: LedgerFile;
  readonly figures: FiguresFile;
  /** In their order. */
  readonly months = new Map<string, MonthFile>();
  /** Tells whether figures are counted again that there were before. */
  isRecounting = false;
  readonly #folder: string;
  readonly #isAllGone: boolean;
  readonly #clock: () => number;
  readonly #report: (message: string) => void;
  readonly #closed = new Map<string, ClosedMonth>();
  /** Said of kept files before there was a ledger to note it. */
  readonly #keptReasons = new Map<string, string>();
  /** The reason that orders of the ledger are lost; null where none are known to be. */
  #olderLedger: string | null = null;

  /** @throws NewerFormatError; Error where the folder or a file that all others need cannot be used */
  constructor({ folder, wasThere = false, clock, report, suspect }: StoreFilesOptions) {
    this.#folder = folder;
    this.#clock = clock;
    this.#report = report;
    mkdirSync(folder, { recursive: true });
    const isEmpty = !readdirSync(folder).some((name) => name === FIGURES_FILE || monthOfFile(name) !== undefined);
    const isNew = isEmpty && !wasThere;
    this.#isAllGone = isEmpty && wasThere;
    this.ledger = this.#openLedger(isNew);
    try {
      this.figures = this.#openFigures(isNew, suspect === FIGURES_FILE);
      this.#openMonths(suspect);
    } catch (error) {
      this.ledger.close();
      throw error;
    }
    if (this.ledger.repair !== null) report(this.ledger.repair);
    for (const [file, reason] of this.#keptReasons) this.ledger.noteKept(file, reason);
    for (const file of this.ledger.keptReasons().keys()) if (!this.#has(file)) this.ledger.forgetKept(file);
  }

  /**
   * The file of a month, which is made where there is none.
   * @throws Error of one that is closed
   */
  month(month: string): MonthFile {
    const known = this.months.get(month);
    if (known !== undefined) return known;
    const closed = this.#closed.get(month);
    if (closed !== undefined) throw new Error(closedText(month, closed));
    const made = new MonthFile(this.#folder, month);
    made.noteCleaned(this.ledger.finishedCount());
    this.#add(made);
    this.ledger.noteMonth(month, 0);
    return made;
  }

  /** Removes the file of a month of which no events are left. */
  drop(file: MonthFile): void {
    file.close();
    this.months.delete(file.month);
    this.figures.forgetMonth(file.month);
    this.ledger.forgetMonth(file.month);
    removeFile(this.#folder, file.name);
  }

  /** Notes how many events there are, so that it is noticed should some be gone. */
  noteMonths(): void {
    const noted = this.ledger.monthNotes();
    for (const [month, file] of this.months) {
      const seq = file.lastSeq();
      if (seq > (noted.get(month) ?? 0)) this.ledger.noteMonth(month, seq);
    }
  }

  /** Notes in all months that no erased user is left in them; to be called when every erasure so far was carried out in all. */
  noteCleaned(): void {
    const count = this.ledger.finishedCount();
    for (const file of this.months.values()) file.noteCleaned(count);
  }

  /** Tries months again that could not be opened and are due. */
  reopenClosed(): void {
    const now = this.#clock();
    for (const [month, { dueMs }] of this.#closed) if (dueMs <= now) this.#openMonth(month, true);
  }

  /** The time at which the first of them is due, in milliseconds since 1970; null where none is closed. */
  reopenDueMs(): number | null {
    const due = [...this.#closed.values()].map(({ dueMs }) => dueMs);
    return due.length === 0 ? null : Math.min(...due);
  }

  problems(): EventProblem[] {
    const closed = [...this.#closed].map(
      ([month, one]): EventProblem => ({ status: 'red', reason: closedText(month, one) }),
    );
    const reasons = this.ledger.keptReasons();
    const others = readdirSync(this.#folder).flatMap((name): EventProblem[] => {
      if (isKept(name)) {
        return name.endsWith('-wal') && reasons.get(name) === undefined
          ? []
          : [{ status: 'yellow', reason: reasons.get(name) ?? `${name} is a damaged file that is kept` }];
      }
      return isOwn(name) ? [] : [{ status: 'yellow', reason: `${name} is none of the files of the store` }];
    });
    const recounting: EventProblem = { status: 'yellow', reason: 'Figures are counted again from raw events' };
    const older: EventProblem[] = this.#olderLedger === null ? [] : [{ status: 'yellow', reason: this.#olderLedger }];
    return [...closed, ...others, ...older, ...(this.isRecounting ? [recounting] : [])];
  }

  /**
   * Files that hold events or names, but cannot be read: nobody knows whose.
   * @returns their names
   */
  unreadable(): string[] {
    const kept = readdirSync(this.#folder).filter((name) => isKept(name) && !name.startsWith(FIGURES_FILE));
    const withBytes = kept.filter(
      (name) => (statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0) > 0,
    );
    return [...[...this.#closed.keys()].map(fileOfMonth), ...withBytes];
  }

  /** Closes every file, whichever of them fails. */
  close(): void {
    const closings = [
      () => this.noteMonths(),
      ...[...this.months.values()].map((file) => () => this.#closeMonth(file)),
      () => closeFigures(this.#folder, this.figures),
      () => this.ledger.close(),
    ];
    const errors = closings.flatMap((close) => {
      try {
        close();
        return [];
      } catch (error) {
        return [error];
      }
    });
    if (errors.length > 0) throw errors[0];
  }

  #closeMonth(file: MonthFile): void {
    file.close();
    const sum = sumOfFile(this.#folder, file.name, SUMMED_BYTES_MAX);
    if (sum !== null) this.ledger.noteSum(file.month, sum);
  }

  /** Keeps the reason for a damaged file: it is noted once there is a ledger, and told at once. */
  #keep(kept: string, reason: string): void {
    this.#keptReasons.set(kept, reason);
    this.#report(reason);
    (this.ledger as LedgerFile | undefined)?.noteKept(kept, reason);
  }

  #openLedger(isNew: boolean): LedgerFile {
    const broken = this.#keepBrokenLog(LEDGER_FILE);
    const bytes = this.#bytesOf(LEDGER_FILE);
    try {
      if (bytes > 0) return new LedgerFile(this.#folder);
      if (isNew && readCopy(this.#folder) === null) return new LedgerFile(this.#folder);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return this.#makeLedgerAnew((error as Error).message);
    }
    return this.#makeLedgerAnew(broken ?? (bytes === 0 && this.#has(LEDGER_FILE) ? 'it was empty' : 'it was gone'));
  }

  #makeLedgerAnew(reason: string): LedgerFile {
    const kept = this.#keepAside(LEDGER_FILE);
    const copy = readCopy(this.#folder);
    const ledger = new LedgerFile(this.#folder, copy ?? undefined);
    const outcome =
      copy !== null
        ? `was made anew from ${COPY_FILE}`
        : 'could not be made anew: how long events are kept, and who is to be erased, is to be said again';
    this.#keep(kept, `${LEDGER_FILE} is damaged (${reason}); it ${outcome}, and what was there is kept as ${kept}`);
    return ledger;
  }

  #openFigures(isNew: boolean, isSuspect: boolean): FiguresFile {
    try {
      if (isNew || this.#bytesOf(FIGURES_FILE) > 0) {
        const figures = openFigures(this.#folder, isSuspect, this.#report);
        this.#cleanFigures(figures);
        return figures;
      }
      const gone = this.#isAllGone ? 'it was gone, and all events are lost that were stored' : 'it was gone';
      return this.#makeFiguresAnew(this.#has(FIGURES_FILE) ? 'it was empty' : gone);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return this.#makeFiguresAnew((error as Error).message);
    }
  }

  #makeFiguresAnew(reason: string): FiguresFile {
    const kept = this.#keepAside(FIGURES_FILE);
    const isWhole = makeFiguresAnew(this.#folder, kept);
    const lost = isWhole ? '' : ', but for those of events that are kept no longer';
    const text = `${FIGURES_FILE} is damaged (${reason}); figures are counted again from raw events${lost}`;
    this.#keep(kept, `${text}, and what was there is kept as ${kept}`);
    this.isRecounting = true;
    const figures = openFigures(this.#folder, false);
    figures.noteCleaned(this.ledger.finishedCount());
    return figures;
  }

  /** Counts figures again that are older than an erasure: they hold what was taken out of them. */
  #cleanFigures(figures: FiguresFile): void {
    const [cleaned, finished] = [figures.cleanedBy(), this.ledger.finishedCount()];
    // Those of before this was noted are of the time of the ledger.
    if (cleaned !== null && cleaned < finished) {
      this.#report(
        `${FIGURES_FILE} is older than erasures that were carried out: figures are counted again from raw events`,
      );
      figures.reset();
      this.isRecounting = true;
    }
    if (cleaned === null || cleaned < finished) figures.noteCleaned(finished);
  }

  /** Takes users out of the file of a month again whose erasure was carried out, as a file that was put back has them. */
  #cleanMonth(file: MonthFile): void {
    const [cleaned, finished] = [file.cleanedBy(), this.ledger.finishedCount()];
    if ((cleaned ?? 0) < finished) {
      const erased = [];
      for (const { customer, name } of file.users()) {
        const erasure = this.ledger.erasureOf(customer, name);
        if (erasure !== undefined) erased.push({ customer, name, ...erasure });
      }
      let removed = 0;
      for (const one of erased) removed += file.removeUserUntil(one.customer, one.name, one.created, one.finished);
      if (removed > 0) {
        file.removeTraces();
        this.#report(
          `${file.name} is older than erasures that were carried out: ${removed} events of erased users are removed again`,
        );
      }
    }
    if (cleaned !== null && cleaned > finished && this.#olderLedger === null) {
      this.#olderLedger = `${LEDGER_FILE} is older than ${file.name}: who was to be erased since, and how long events are kept, is to be said again`;
      this.#report(this.#olderLedger);
    }
    file.noteCleaned(finished);
  }

  #openMonths(suspect: string | undefined): void {
    this.#finishSalvages();
    const expected = new Set([...this.ledger.monthNotes().keys(), ...this.figures.watermarks().keys()]);
    const names = readdirSync(this.#folder);
    const found = names.map(monthOfFile).filter((month) => month !== undefined);
    const sums = this.ledger.takeSums();
    let leftBytes = CHECKED_BYTES_MAX;
    for (const month of [...new Set([...found, ...expected])].sort().reverse()) {
      const name = fileOfMonth(month);
      const bytes = this.#bytesOf(name) + this.#bytesOf(`${name}-wal`);
      const sum = sums.get(month);
      const isKnown = sum !== undefined && sum === sumOfFile(this.#folder, name, SUMMED_BYTES_MAX);
      const isSuspect = suspect === name || (sum !== undefined && !isKnown);
      const isChecked = isSuspect || (!isKnown && bytes <= leftBytes);
      if (isChecked) leftBytes -= bytes;
      this.#openMonth(month, isChecked);
    }
  }

  #openMonth(month: string, isChecked: boolean): void {
    const name = fileOfMonth(month);
    const lastSeq = this.#lastSeqOf(month);
    try {
      // SQLite drops a log beside an empty file, in which all of its pages may be.
      if (this.#bytesOf(name) === 0 && this.#bytesOf(`${name}-wal`) > 0) {
        writeFileSync(join(this.#folder, name), Buffer.alloc(PAGE_BYTES));
      }
      if (this.#bytesOf(name) === 0) {
        if (lastSeq > 0) this.#tellLostMonth(month, lastSeq);
        if (!this.#has(name)) return;
      }
      const broken = this.#keepBrokenLog(name);
      const file = this.#openedMonth(month, lastSeq, isChecked);
      try {
        this.#cleanMonth(file);
      } catch (error) {
        file.close();
        throw error;
      }
      this.#closed.delete(month);
      this.#add(file);
      if (file.lastSeq() < lastSeq) this.#tellLostEvents(file, lastSeq, broken);
    } catch (error) {
      const attempts = (this.#closed.get(month)?.attempts ?? 0) + 1;
      const waitMs = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(attempts - 1, 20));
      const closed = { reason: (error as Error).message, attempts, dueMs: this.#clock() + waitMs };
      this.#closed.set(month, closed);
      this.#report(closedText(month, closed));
    }
  }

  #openedMonth(month: string, lastSeq: number, isChecked: boolean): MonthFile {
    let file: MonthFile | undefined;
    try {
      file = new MonthFile(this.#folder, month);
      if (isChecked) file.check();
      return file;
    } catch (error) {
      file?.close();
      if (!isDamage(error)) throw error;
      const { kept, saved } = salvageMonth(this.#folder, month, { lastSeq, now: this.#clock() });
      const lost = Math.max(0, lastSeq - this.ledger.removedOf(month) - saved);
      this.ledger.noteRemoved(month, lost);
      const outcome = `${saved} of its events could be read and go on, up to ${lost} are lost`;
      const name = fileOfMonth(month);
      this.#keep(
        kept,
        `${name} is damaged (${(error as Error).message}); ${outcome}, and what was there is kept as ${kept}`,
      );
      return new MonthFile(this.#folder, month);
    }
  }

  /** The number of events that a month had at least. */
  #lastSeqOf(month: string): number {
    return Math.max(this.ledger.monthNotes().get(month) ?? 0, this.figures.watermarks().get(month) ?? 0);
  }

  #tellLostMonth(month: string, lastSeq: number): void {
    const name = fileOfMonth(month);
    const state = this.#has(name) ? 'empty' : 'gone';
    const kept = this.#keepAside(name);
    const lost = Math.max(0, lastSeq - this.ledger.removedOf(month));
    this.figures.forgetMonth(month);
    this.ledger.forgetMonth(month);
    this.#keep(kept, `${name} is ${state}: its events, ${lost} at least, are lost; ${kept} stands for it`);
  }

  #tellLostEvents(file: MonthFile, lastSeq: number, broken: string | null): void {
    const kept = broken ?? this.#mark(file.name);
    const text = `${file.name} ends with event ${file.lastSeq()}: those up to ${lastSeq}, which were stored, are lost`;
    file.continueAfter(lastSeq);
    this.#keep(kept, `${text}; ${kept} stands for them`);
  }

  /** Keeps a copy of a log of which SQLite reads a part alone. Answers its name; null where there is none to keep. */
  #keepBrokenLog(name: string): string | null {
    const path = join(this.#folder, `${name}-wal`);
    if (!isLogBroken(path)) return null;
    const kept = `${keptName(this.#folder, name, this.#clock())}-wal`;
    copyFileSync(path, join(this.#folder, kept));
    this.#keep(kept, `The log of ${name} is damaged, and read up to there alone; ${kept} is a copy of it`);
    return kept;
  }

  /** Moves a file aside; where there is none, an empty one stands for it. */
  #keepAside(name: string): string {
    if (!this.#has(name)) writeFileSync(join(this.#folder, name), '');
    return keepAside(this.#folder, name, this.#clock());
  }

  #mark(name: string): string {
    const kept = keptName(this.#folder, name, this.#clock());
    writeFileSync(join(this.#folder, kept), '');
    return kept;
  }

  /** A file that was made anew is put in its place if that was broken off; one that is not whole is removed. */
  #finishSalvages(): void {
    for (const name of readdirSync(this.#folder)) {
      const month = monthOfFile(name.replace(/\.new$/, ''));
      if (month === undefined || name !== unfinished(fileOfMonth(month))) continue;
      if (this.#has(fileOfMonth(month))) removeFile(this.#folder, name);
      else renameSync(join(this.#folder, name), join(this.#folder, fileOfMonth(month)));
    }
    syncFolder(this.#folder);
  }

  #add(file: MonthFile): void {
    const all = [...this.months, [file.month, file] as const].sort(([a], [b]) => (a < b ? -1 : 1));
    this.months.clear();
    for (const [name, one] of all) this.months.set(name, one);
  }

  #has(name: string): boolean {
    return statSync(join(this.#folder, name), { throwIfNoEntry: false }) !== undefined;
  }

  #bytesOf(name: string): number {
    return statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
}

function closedText(month: string, { reason }: ClosedMonth): string {
  return `${fileOfMonth(month)} cannot be used, and will be tried again: ${reason}`;
}

/** Tells whether a file is one that a store has. Hidden ones are the system's. */
function isOwn(name: string): boolean {
  const file = name.replace(/-(wal|shm)$/, '').replace(/\.new$/, '');
  const own = [LEDGER_FILE, FIGURES_FILE, COPY_FILE, 'figures.sum'];
  return name.startsWith('.') || own.includes(file) || monthOfFile(file) !== undefined;
}
