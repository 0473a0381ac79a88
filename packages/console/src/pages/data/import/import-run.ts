import { type Outcome, PelorusError } from '@pelorus/client';
import { type Failure, failureOf } from '../../../server/failure.js';
import { noteKeyWanted } from '../../../server/load.js';
import { session } from '../../../server/session.js';
import { type BackgroundWork, backgroundWork } from '../../../shell/background-work.js';
import { Store } from '../../../store.js';
import { t } from '../../../strings/strings.js';
import { FileFault } from '../files/file-row.js';
import type { TableFile } from '../files/table-file.js';
import { documentOf, type ImportPlan, shownOf, undatedOf } from './columns.js';
import { fieldOf } from './field-names.js';

/** A row that did not become a document. */
export interface FailedRow {
  readonly row: number;
  readonly id: string;
  readonly reason: string;
}

/** Values that were to be dates and are stored as the texts that they are: how many, and the first. */
export interface Undated {
  readonly count: number;
  readonly column: string;
  readonly value: string;
  readonly row: number;
}

/** A row on its way, and the bytes of the file that were read for it. */
interface SentRow {
  readonly row: number;
  readonly bytes: number;
}

/** An import, under way or over. */
export interface ImportState {
  readonly index: string;
  readonly file: TableFile;
  readonly plan: ImportPlan;
  readonly bytes: number;
  /** Bytes of the rows that are stored or have failed. */
  readonly bytesDone: number;
  readonly stored: number;
  readonly failed: number;
  /** Stored rows that took the place of an earlier one of the same id. */
  readonly replaced: number;
  readonly undated: Undated | undefined;
  /** The first of the failed rows. */
  readonly failedRows: readonly FailedRow[];
  readonly startedMs: number;
  readonly endedMs: number | undefined;
  readonly end: 'running' | 'done' | 'stopped' | 'failed';
  readonly failure: Failure | undefined;
}

/** The import of this page: it goes on while other pages are looked at. */
export const importing = new Store<ImportState | undefined>(undefined);

/** Rows that are kept to be shown and saved; all are counted. */
const FAILED_ROWS_MAX = 5_000;

/** So many ids are remembered to tell which rows replace earlier ones: a browser has no room for any number. */
const REMEMBERED_IDS_MAX = 4_000_000;

let stopper = new AbortController();

/** Ends the import under way: documents that were sent are stored. */
export function stopImport(): void {
  stopper.abort();
}

/** Imports a file and tells the store how far it is. */
export async function runImport(
  index: string,
  file: TableFile,
  plan: ImportPlan,
  isStructured: boolean,
): Promise<void> {
  stopper = new AbortController();
  const { signal } = stopper;
  let state: ImportState = {
    ...{ index, file, plan, bytes: file.bytes, bytesDone: 0, stored: 0, failed: 0, replaced: 0, failedRows: [] },
    undated: undefined,
    ...{ startedMs: Date.now(), endedMs: undefined, end: 'running', failure: undefined },
  };
  const set = (changes: Partial<ImportState>) => {
    state = { ...state, ...changes };
    importing.set(state);
    backgroundWork.set(workOf(state));
  };
  const fail = (rows: readonly FailedRow[], bytes = 0) => {
    const failedRows = [...state.failedRows, ...rows].slice(0, FAILED_ROWS_MAX);
    set({ failed: state.failed + rows.length, failedRows, bytesDone: state.bytesDone + bytes });
  };
  set({});
  addEventListener('beforeunload', warn);
  /** Rows by the place of their documents, until their outcomes are told. */
  const rowOf = new Map<number, SentRow>();
  async function* documents(): AsyncGenerator<Record<string, unknown>, void, void> {
    let [position, bytesRead, bytesOfRows] = [0, 0, 0];
    for await (const row of file.rows((bytes) => {
      bytesRead = bytes;
    })) {
      const made = documentOf(row, plan);
      const bytes = bytesRead - bytesOfRows;
      bytesOfRows = bytesRead;
      if ('fault' in made) {
        fail([{ row: row.row, id: made.id, reason: made.fault }], bytes);
        continue;
      }
      for (const column of undatedOf(row, plan)) {
        const { count, ...first } = state.undated ?? {
          ...{ count: 0, column, row: row.row, value: shownOf(row.fields?.[column]) },
        };
        set({ undated: { count: count + 1, ...first } });
      }
      rowOf.set(position, { row: row.row, bytes });
      position += 1;
      yield made.document;
    }
  }
  const storedIds = new Set<string>();
  const onOutcomes = (outcomes: readonly Outcome[]) => {
    const bad = outcomes.filter(({ status }) => status >= 300);
    const rows = bad.map(({ position, id, message = '' }) => ({
      row: rowOf.get(position)?.row ?? 0,
      id,
      reason: message,
    }));
    const bytes = outcomes.reduce((sum, { position }) => sum + (rowOf.get(position)?.bytes ?? 0), 0);
    for (const { position } of outcomes) rowOf.delete(position);
    let replaced = 0;
    for (const { id, status } of outcomes) {
      if (plan.id === undefined || status >= 300) continue;
      if (storedIds.has(id)) replaced += 1;
      else if (storedIds.size < REMEMBERED_IDS_MAX) storedIds.add(id);
    }
    const stored = state.stored + outcomes.length - bad.length;
    set({ stored, replaced: state.replaced + replaced, bytesDone: state.bytesDone + bytes });
    if (rows.length > 0) fail(rows);
  };
  try {
    const { client } = session.value;
    const fields = isStructured ? {} : { tensorFields: plan.tensorColumns.map((column) => fieldOf(column, plan)) };
    await client.index(index).add(documents(), { ...fields, signal, onOutcomes });
    set({ end: 'done', bytesDone: file.bytes });
  } catch (error) {
    if (signal.aborted) set({ end: 'stopped' });
    else {
      noteKeyWanted(error);
      set({ end: 'failed', failure: importFailureOf(error) });
    }
  } finally {
    removeEventListener('beforeunload', warn);
    set({ endedMs: Date.now() });
  }
}

/** The import as other pages tell of it. */
function workOf({
  index,
  file,
  bytes,
  bytesDone,
  stored,
  failed,
  replaced,
  end,
  endedMs,
}: ImportState): BackgroundWork {
  const outcome = end === 'done' ? t.data.done(stored, failed, replaced) : t.data.stopped(stored);
  return {
    title: t.data.importOf(file.name, index),
    share: bytes === 0 ? 0 : Math.min(bytesDone / bytes, 1),
    outcome: endedMs === undefined ? undefined : outcome,
    place: ['data', index, 'import'],
  };
}

/** The browser asks before it leaves a page with an import under way. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function importFailureOf(error: unknown): Failure {
  if (error instanceof FileFault) return { message: t.data.fileStopped, advice: error.message, problems: [] };
  if (error instanceof PelorusError) return failureOf(error);
  return { message: t.data.fileStopped, advice: (error as Error).message, problems: [] };
}
