import { useEffect, useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { Code } from '../../parts/code.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { TablePanel } from '../../parts/data-table.js';
import { Dialog } from '../../parts/dialog.js';
import { Empty } from '../../parts/empty.js';
import { Field } from '../../parts/field.js';
import { FailureNotice, Notice } from '../../parts/notice.js';
import { useAction, useLoad } from '../../server/load.js';
import { formatBytes, formatMoment, formatNumber, t } from '../../strings/strings.js';

interface Backup {
  readonly id: string;
  readonly state: 'creating' | 'ready' | 'failed' | 'damaged';
  readonly reason: string | null;
  readonly createdAt: string | null;
  readonly isWhole: boolean;
  readonly isScheduled: boolean;
  readonly indexes: readonly { readonly indexName: string; readonly documents: number; readonly bytes: number }[];
  readonly bytes: number;
  readonly newBytes: number;
  readonly verification: {
    readonly state: 'running' | 'sound' | 'damaged' | 'failed';
    readonly problems: readonly string[];
    readonly reason: string | null;
  } | null;
  readonly restores: readonly {
    readonly indexName: string;
    readonly state: 'running' | 'done' | 'failed';
    readonly reason: string | null;
  }[];
}

const EVERY_MS = 10_000;
/** While work is under way, somebody waits for its end. */
const WORKING_EVERY_MS = 500;
/** Options with a folder and numbers of docs/backups.md: a whole command would start on other data than this server's. */
const BACKUP_OPTIONS = '--backup-to ~/backups --backup-every 24h --backup-keep 14';
const pathOf = ({ id }: Backup): string => `/backups/${encodeURIComponent(id)}`;

/** Tells whether the server makes, reads or restores of it now. */
const isUnderWay = ({ state, verification, restores }: Backup): boolean =>
  state === 'creating' || verification?.state === 'running' || restores.some((one) => one.state === 'running');

/** The backups of the server: made, read, restored from, deleted. */
export function BackupPart() {
  const [everyMs, setEveryMs] = useState<number | undefined>(EVERY_MS);
  const { data, failure, reload } = useLoad(
    (client, signal) =>
      client.call<{ place: string; backups: readonly Backup[] }>('GET', '/backups', undefined, { signal }),
    [],
    everyMs,
  );
  // The list takes nothing that could be wrong: there is no place for backups, and nobody has to ask for one again.
  const isRefused = failure?.code === 'bad_request';
  const isWorking = data?.backups.some(isUnderWay) === true;
  useEffect(() => setEveryMs(isRefused ? undefined : isWorking ? WORKING_EVERY_MS : EVERY_MS), [isRefused, isWorking]);
  const [restored, setRestored] = useState<Backup>();
  const [deleted, setDeleted] = useState<Backup>();
  const begin = useAction(async (client) => {
    await client.call('POST', '/backups', {});
    announce(t.operations.backupBegun);
    reload();
  });
  const verify = useAction(async (client, backup: Backup) => {
    await client.call('POST', `${pathOf(backup)}/verify`, {});
    announce(t.operations.verifyBegun);
    reload();
  });
  if (isRefused) {
    return (
      <div class="panel">
        <Empty title={t.operations.backupsUnset}>
          <p>{t.operations.backupsUnsetHint}</p>
          <Code label={t.operations.backupsOptions} text={BACKUP_OPTIONS} />
        </Empty>
      </div>
    );
  }
  return (
    <>
      <TablePanel
        label={t.operations.backups}
        rows={data?.backups}
        failure={begin.failure ?? verify.failure ?? failure}
        reload={reload}
        none={{ title: t.operations.backupsNone, hint: t.operations.backupsNoneHint }}
        keyOf={({ id }) => id}
        head={
          <>
            <div>
              <h2>{t.operations.backups}</h2>
              {data !== undefined && <code class="faint">{data.place}</code>}
            </div>
            <Button size="small" tone="primary" isBusy={begin.isRunning} onClick={() => begin.run()}>
              {t.operations.backupNow}
            </Button>
          </>
        }
        columns={[
          {
            title: t.operations.at,
            cell: ({ id, createdAt }) => (
              <>
                {createdAt === null ? '–' : formatMoment(createdAt)}
                <code class="request-id">{id}</code>
              </>
            ),
          },
          { title: t.operations.state, cell: (backup) => <States backup={backup} /> },
          {
            title: t.operations.contents,
            class: 'faint',
            cell: ({ indexes }) =>
              indexes.map(({ indexName, documents }) => `${indexName} (${formatNumber(documents)})`).join(', '),
          },
          {
            title: t.operations.size,
            kind: 'number',
            cell: ({ bytes, newBytes }) => (
              <>
                {formatBytes(bytes)}
                <p class="field-hint">{t.operations.newBytes(formatBytes(newBytes))}</p>
              </>
            ),
          },
          {
            title: t.operations.actions,
            kind: 'actions',
            cell: (backup) =>
              backup.state === 'ready' && (
                <div class="actions">
                  <Button size="small" onClick={() => verify.run(backup)}>
                    {t.operations.verify}
                  </Button>
                  <Button size="small" onClick={() => setRestored(backup)}>
                    {t.operations.restore}
                  </Button>
                  <Button size="small" tone="quiet" onClick={() => setDeleted(backup)}>
                    {t.operations.delete}
                  </Button>
                </div>
              ),
          },
        ]}
      />
      {restored !== undefined && (
        <RestoreDialog backup={restored} onClose={() => setRestored(undefined)} onDone={reload} />
      )}
      {deleted !== undefined && <DeleteBackup backup={deleted} onClose={() => setDeleted(undefined)} onDone={reload} />}
    </>
  );
}

/** The state of a backup, of its reading, and of what was restored of it. */
function States({ backup }: { backup: Backup }) {
  const { state, reason, verification, restores } = backup;
  return (
    <div class="stack states">
      <span>{t.operations.states[state]}</span>
      {reason !== null && <span class="field-error">{reason}</span>}
      {verification !== null && <span>{t.operations.verified[verification.state]}</span>}
      {verification?.problems.map((problem) => (
        <span key={problem} class="field-error">
          {problem}
        </span>
      ))}
      {restores.map((one) => (
        <span key={one.indexName}>{t.operations.restored[one.state](one.indexName, one.reason ?? '')}</span>
      ))}
    </div>
  );
}

interface BackupDialogProps {
  readonly backup: Backup;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function RestoreDialog({ backup, onClose, onDone }: BackupDialogProps) {
  const [from, setFrom] = useState(backup.indexes[0]?.indexName ?? '');
  const [as, setAs] = useState('');
  const restore = useAction(async (client) => {
    const body = { indexName: from, ...(as.trim() !== '' && { as: as.trim() }) };
    await client.call('POST', `${pathOf(backup)}/restore`, body);
  });
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!(await restore.run())) return;
    announce(t.operations.restoreBegun);
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.operations.restoreTitle} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {restore.failure !== undefined && <FailureNotice failure={restore.failure} />}
        <Field label={t.operations.index}>
          {(control) => (
            <select {...control} value={from} onChange={({ currentTarget }) => setFrom(currentTarget.value)}>
              {backup.indexes.map(({ indexName }) => (
                <option key={indexName}>{indexName}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t.operations.restoreAs} hint={t.operations.restoreHint}>
          {(control) => (
            <input
              {...control}
              type="text"
              autocomplete="off"
              spellcheck={false}
              placeholder={from}
              value={as}
              onInput={({ currentTarget }) => setAs(currentTarget.value)}
            />
          )}
        </Field>
        <Notice tone="info" title={t.operations.restoreSafe} />
        <div class="actions">
          <Button tone="primary" type="submit" isBusy={restore.isRunning} disabled={from === ''}>
            {t.operations.restore}
          </Button>
          <Button onClick={onClose}>{t.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

function DeleteBackup({ backup, onClose, onDone }: BackupDialogProps) {
  const action = useAction(async (client) => {
    await client.call('DELETE', pathOf(backup));
  });
  return (
    <ConfirmDialog
      title={t.operations.backupDelete}
      label={t.operations.delete}
      action={action}
      done={t.operations.backupDeleted}
      onClose={onClose}
      onDone={onDone}
    >
      {t.operations.backupDeleteSure}
    </ConfirmDialog>
  );
}
