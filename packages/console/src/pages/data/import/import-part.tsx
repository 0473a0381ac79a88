import { useEffect, useState } from 'preact/hooks';
import { FailureNotice } from '../../../parts/notice.js';
import type { Failure } from '../../../server/failure.js';
import { useLoad } from '../../../server/load.js';
import { useStore } from '../../../store.js';
import { formatBytes, t } from '../../../strings/strings.js';
import type { FileRow } from '../files/file-row.js';
import { openFile, sampleOf, type TableFile, WHOLE_BYTES_MAX } from '../files/table-file.js';
import type { ImportPlan } from './columns.js';
import { FileDrop } from './file-drop.js';
import { readFailureOf } from './first-look.js';
import { ImportForm } from './import-form.js';
import { ImportProgress } from './import-progress.js';
import { importing, runImport } from './import-run.js';
import { takeFileFor } from './new-index.js';

interface Opened {
  readonly file: TableFile;
  readonly rows: readonly FileRow[];
  /** The choices of an import of the file that was tried. */
  readonly plan: ImportPlan | undefined;
}

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
      setFailure(readFailureOf(name, error));
    } finally {
      setOpening(false);
    }
  };
  useEffect(() => {
    const file = takeFileFor(index);
    if (file === undefined) return;
    if (importing.value?.end !== 'running') importing.set(undefined);
    open(file.name, () => openFile(file));
  }, [index]);
  if (settings.failure !== undefined) return <FailureNotice failure={settings.failure} retry={settings.reload} />;
  // The outcome of an import into another index says nothing here, and one that goes on keeps others waiting.
  if (run !== undefined && (run.index === index || run.end === 'running')) {
    const back = (plan: ImportPlan) => {
      importing.set(undefined);
      open(run.file.name, async () => run.file, plan);
    };
    const again = () => {
      importing.set(undefined);
      setOpened(undefined);
    };
    return <ImportProgress state={run} onAgain={again} onBack={run.index === index ? back : undefined} />;
  }
  return (
    <>
      <FileDrop
        hint={t.data.dropHint(formatBytes(WHOLE_BYTES_MAX))}
        isBusy={isOpening}
        onFile={(file) => open(file.name, () => openFile(file))}
      />
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
