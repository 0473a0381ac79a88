import { useState } from 'preact/hooks';
import { FailureNotice } from '../../../parts/notice.js';
import { type Failure, failureOf } from '../../../server/failure.js';
import { useLoad } from '../../../server/load.js';
import { useStore } from '../../../store.js';
import { formatBytes, t } from '../../../strings/strings.js';
import type { FileRow } from '../files/file-row.js';
import { openFile, type TableFile } from '../files/table-file.js';
import type { ImportPlan } from './columns.js';
import { ImportForm } from './import-form.js';
import { ImportProgress } from './import-progress.js';
import { importing, runImport } from './import-run.js';

interface Opened {
  readonly file: TableFile;
  readonly rows: readonly FileRow[];
  /** The choices of an import of the file that was tried. */
  readonly plan: ImportPlan | undefined;
}

/** Rows that types are guessed by. */
const SAMPLE = 500;

/** The import of a file: its choice, its columns, and the way it goes. */
export function ImportPart({ index }: { index: string }) {
  const run = useStore(importing);
  const settings = useLoad((client, signal) => client.index(index).settings({ signal }), [index]);
  const [opened, setOpened] = useState<Opened>();
  const [failure, setFailure] = useState<Failure>();
  const [isOpening, setOpening] = useState(false);
  const open = async (name: string, opening: () => Promise<TableFile>, plan?: ImportPlan) => {
    setOpening(true);
    setFailure(undefined);
    setOpened(undefined);
    try {
      const file = await opening();
      setOpened({ file, rows: await sampleOf(file), plan });
    } catch (error) {
      setFailure({ ...failureOf(error), message: t.data.fileUnreadable(name), advice: failureOf(error).message });
    } finally {
      setOpening(false);
    }
  };
  if (settings.failure !== undefined) return <FailureNotice failure={settings.failure} retry={settings.reload} />;
  if (run !== undefined) {
    const back = () => {
      importing.set(undefined);
      open(run.file.name, async () => run.file, run.plan);
    };
    const again = () => {
      importing.set(undefined);
      setOpened(undefined);
    };
    return <ImportProgress state={run} onAgain={again} onBack={run.index === index ? back : undefined} />;
  }
  return (
    <>
      <FileDrop onFile={(file) => file && open(file.name, () => openFile(file))} isBusy={isOpening} />
      {failure !== undefined && <FailureNotice failure={failure} />}
      {opened !== undefined && settings.data !== undefined && (
        <ImportForm
          key={opened.file.name}
          {...opened}
          settings={settings.data}
          onImport={(plan) => runImport(index, opened.file, plan, settings.data?.type === 'structured')}
        />
      )}
    </>
  );
}

async function sampleOf(file: TableFile): Promise<readonly FileRow[]> {
  const rows: FileRow[] = [];
  for await (const row of file.rows()) {
    rows.push(row);
    if (rows.length === SAMPLE) break;
  }
  return rows;
}

function FileDrop({ onFile, isBusy }: { onFile: (file: File | undefined) => void; isBusy: boolean }) {
  const [isOver, setOver] = useState(false);
  return (
    <section
      class={`drop ${isOver ? 'drop-over' : ''}`}
      aria-label={t.data.dropLabel}
      aria-busy={isBusy}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFile(event.dataTransfer?.files[0]);
      }}
    >
      <p class="drop-title">{t.data.drop}</p>
      <p class="muted">{t.data.dropHint(formatBytes(256 * 1024 * 1024))}</p>
      <label class="button button-primary">
        {t.data.choose}
        <input
          type="file"
          class="unseen"
          accept=".csv,.tsv,.json,.jsonl,.ndjson,.parquet"
          onChange={({ currentTarget }) => {
            onFile(currentTarget.files?.[0]);
            // The same file may be chosen again, once it is mended.
            currentTarget.value = '';
          }}
        />
      </label>
      {isBusy && <span class="faint">{t.loading}…</span>}
    </section>
  );
}
