import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../../parts/button.js';
import { FailureNotice, Notice } from '../../../parts/notice.js';
import { address } from '../../../router.js';
import { formatBytes, formatNumber, t } from '../../../strings/strings.js';
import type { ImportPlan } from './columns.js';
import { type FailedRow, type ImportState, stopImport } from './import-run.js';

const SHOWN_MAX = 200;
/** So much of a value that is no date is shown. */
const UNDATED_LENGTH = 60;

interface ImportProgressProps {
  readonly state: ImportState;
  /** Forgets the import, for another file. */
  readonly onAgain: () => void;
  /** Shows the choices for the file again; undefined where they are of another index. */
  readonly onBack: ((plan: ImportPlan) => void) | undefined;
}

/** An import under way or over: how far it is, and the rows that failed, with reasons. */
export function ImportProgress({ state, onAgain, onBack }: ImportProgressProps) {
  const {
    index,
    plan,
    bytes,
    bytesDone,
    stored,
    failed,
    failedRows,
    replaced,
    undated,
    startedMs,
    endedMs,
    end,
    failure,
  } = state;
  const file = state.file.name;
  // A second import of the file stores no document twice.
  const isRepeatable = plan.id !== undefined;
  const isRunning = end === 'running';
  const seconds = Math.max(((endedMs ?? Date.now()) - startedMs) / 1000, 0.001);
  return (
    <section class="panel" aria-labelledby="import-title">
      <header class="panel-head">
        <h2 id="import-title" class="file-name">
          {t.data.importOf(file, index)}
        </h2>
        {isRunning ? (
          <Button size="small" onClick={stopImport}>
            {t.data.stop}
          </Button>
        ) : (
          <div class="actions">
            {onBack !== undefined && (failed > 0 || end !== 'done') && (
              <Button size="small" onClick={() => onBack(plan)}>
                {t.data.back}
              </Button>
            )}
            <Button size="small" onClick={onAgain}>
              {t.data.another}
            </Button>
          </div>
        )}
      </header>
      <div class="panel-body">
        <progress max={bytes} value={bytesDone} aria-label={t.data.handled} />
        <dl class="facts">
          <Fact label={t.data.stored} value={formatNumber(stored)} />
          <Fact label={t.data.failed} value={formatNumber(failed)} />
          <Fact label={t.data.handled} value={t.data.ofAll(formatBytes(bytesDone), formatBytes(bytes))} />
          <Fact label={t.data.speed} value={t.data.perSecond(formatNumber(Math.round(stored / seconds)))} />
        </dl>
        <div role="status">
          {end === 'done' && (
            <Notice tone={failed === 0 ? 'good' : 'warn'} title={t.data.done(stored, failed, replaced)}>
              <p class="row">
                <a href={address(['search', index])}>{t.data.searchThem}</a>
                <a href={address(['data', index])}>{t.data.seeDocuments}</a>
              </p>
            </Notice>
          )}
        </div>
        {end === 'stopped' && (
          <Notice tone="warn" title={t.data.stopped(stored)}>
            {t.data.goOn(isRepeatable)}
          </Notice>
        )}
        {failure !== undefined && (
          <>
            <FailureNotice failure={failure} />
            {failure.isModelMissing === true && onBack !== undefined && (
              <div class="actions">
                <Button tone="primary" onClick={() => onBack({ ...plan, tensorColumns: [] })}>
                  {t.data.withoutMeaning}
                </Button>
              </div>
            )}
            <Notice tone="warn" title={t.data.stopped(stored)}>
              {t.data.goOn(isRepeatable)}
            </Notice>
          </>
        )}
        {undated !== undefined && !isRunning && (
          <Notice tone="info" title={t.data.undated(undated.count)}>
            {t.data.undatedFirst(undated.column, undated.value.slice(0, UNDATED_LENGTH), undated.row)}
          </Notice>
        )}
        {failedRows.length > 0 && <FailedRows rows={failedRows} all={failed} file={file} />}
      </div>
    </section>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function FailedRows({ rows, all, file }: { rows: readonly FailedRow[]; all: number; file: string }) {
  return (
    <div class="stack">
      <div class="row">
        <h3>{t.data.failedRows}</h3>
        <SaveLink rows={rows} file={file} />
      </div>
      {all > SHOWN_MAX && <p class="field-hint">{t.data.firstOf(Math.min(SHOWN_MAX, rows.length), all)}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reached by the keyboard */}
      <section class="scroll failed-rows" tabIndex={0} aria-label={t.data.failedRows}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                {t.data.row}
              </th>
              <th scope="col">_id</th>
              <th scope="col">{t.data.reason}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN_MAX).map(({ row, id, reason }) => (
              <tr key={`${row} ${id}`}>
                <td class="number">{formatNumber(row)}</td>
                <td class="mono">{id}</td>
                <td>{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

/** A link that saves the failed rows with their reasons. */
function SaveLink({ rows, file }: { rows: readonly FailedRow[]; file: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([rows.map((row) => JSON.stringify(row)).join('\n')]));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [rows]);
  return (
    <a href={url} download={`${file}.failed.jsonl`}>
      {t.data.saveFailed}
    </a>
  );
}
