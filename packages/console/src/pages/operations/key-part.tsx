import schema from 'virtual:schema/key-request';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Code } from '../../parts/code.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { Dialog } from '../../parts/dialog.js';
import { Empty, Skeleton } from '../../parts/empty.js';
import { FailureNotice, Notice } from '../../parts/notice.js';
import { isUnfinished, type Values } from '../../parts/schema-form/schema.js';
import { SchemaMembers } from '../../parts/schema-form/schema-form.js';
import { TableScroll } from '../../parts/table-scroll.js';
import { useAction, useLoad } from '../../server/load.js';
import { changeKey } from '../../server/session.js';
import { formatMoment, t } from '../../strings/strings.js';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly scope: string | null;
  readonly prefix: string;
  readonly indexes: readonly string[] | null;
  readonly filter: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
}

const KEYS = '/api/v2/keys';
/** Members of an API key; tracking keys are of the hosted form. */
const MEMBERS = ['name', 'scope', 'indexes', 'filter', 'origins', 'expiresAt'];

/** The keys of the server, without their secrets. */
export function KeyPart() {
  const { data, failure, reload } = useLoad(
    (client, signal) => client.call<{ results: readonly Key[] }>('GET', KEYS, undefined, { signal }),
    [],
  );
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      <section class="panel" aria-labelledby="keys">
        <header class="panel-head">
          <h2 id="keys">{t.operations.keys}</h2>
          <Button size="small" onClick={() => setCreating(true)}>
            {t.operations.keyCreate}
          </Button>
        </header>
        {data === undefined ? (
          failure === undefined && <Skeleton />
        ) : data.results.length === 0 ? (
          <Empty title={t.operations.keysNone}>
            <p>{t.operations.keysNoneHint}</p>
          </Empty>
        ) : (
          <TableScroll label={t.operations.keyTable}>
            <thead>
              <tr>
                <th scope="col">{t.operations.name}</th>
                <th scope="col">{t.operations.scope}</th>
                <th scope="col">{t.operations.begins}</th>
                <th scope="col">{t.indexes.title}</th>
                <th scope="col">{t.operations.lastUsed}</th>
                <th scope="col">{t.operations.expires}</th>
                <th scope="col">
                  <span class="unseen">{t.operations.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.results.map((key) => (
                <tr key={key.id}>
                  <td class="strong">{key.name}</td>
                  <td>{key.scope ?? '–'}</td>
                  <td>
                    <code>{key.prefix}…</code>
                  </td>
                  <td>
                    {key.indexes === null ? t.operations.allIndexes : key.indexes.join(', ')}
                    {key.filter !== null && <code class="key-filter">{key.filter}</code>}
                  </td>
                  <td>{key.lastUsedAt === null ? t.operations.never : formatMoment(key.lastUsedAt)}</td>
                  <td>{key.expiresAt === null ? t.operations.never : formatMoment(key.expiresAt)}</td>
                  <td class="number">
                    <Button size="small" aria-label={t.operations.revokeOf(key.name)} onClick={() => setRevoked(key)}>
                      {t.operations.revoke}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </TableScroll>
        )}
      </section>
      {isCreating && (
        <CreateKey isFirst={data?.results.length === 0} onClose={() => setCreating(false)} onDone={reload} />
      )}
      {revoked !== undefined && <RevokeKey revoked={revoked} onClose={() => setRevoked(undefined)} onDone={reload} />}
    </>
  );
}

interface ChangeProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function CreateKey({ isFirst, onClose, onDone }: ChangeProps & { isFirst: boolean }) {
  const [values, setValues] = useState<Values>(isFirst ? { scope: 'admin' } : { scope: 'read' });
  const [secret, setSecret] = useState<string>();
  const create = useAction(async (client) => {
    const issued = await client.call<{ secret: string }>('POST', KEYS, values);
    setSecret(issued.secret);
  });
  const problems = new Map(create.failure?.problems.map(({ field, message }) => [field, message] as const));
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isUnfinished(values)) create.run();
  };
  const close = () => {
    onClose();
    if (secret === undefined) return;
    // From now on this page needs a key as well.
    if (isFirst) changeKey(secret, false);
    onDone();
  };
  return (
    <Dialog title={t.operations.keyCreate} onClose={close} isWide>
      {secret !== undefined ? (
        <div class="stack">
          <Notice tone="good" title={t.operations.keyMade}>
            {t.operations.keyOnce}
          </Notice>
          <Code label={t.operations.secret} text={secret} />
          <div class="actions">
            <Button tone="primary" onClick={close}>
              {t.operations.keyNoted}
            </Button>
          </div>
        </div>
      ) : (
        <form class="stack" onSubmit={submit}>
          {create.failure !== undefined && <FailureNotice failure={create.failure} />}
          {isFirst && (
            <Notice tone="warn" title={t.operations.keyFirst}>
              {t.operations.keyFirstHint}
            </Notice>
          )}
          <div class="form-grid">
            <SchemaMembers schema={schema} names={MEMBERS} values={values} onChange={setValues} problems={problems} />
          </div>
          <div class="actions">
            <Button tone="primary" type="submit" isBusy={create.isRunning} disabled={isUnfinished(values)}>
              {t.operations.keyCreate}
            </Button>
            <Button onClick={close}>{t.cancel}</Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function RevokeKey({ revoked, onClose, onDone }: ChangeProps & { revoked: Key }) {
  const action = useAction(async (client) => {
    await client.call('DELETE', `${KEYS}/${encodeURIComponent(revoked.id)}`);
  });
  return (
    <ConfirmDialog
      title={t.operations.revokeOf(revoked.name)}
      label={t.operations.revoke}
      action={action}
      done={t.operations.revoked(revoked.name)}
      onClose={onClose}
      onDone={onDone}
    >
      {t.operations.revokeSure}
    </ConfirmDialog>
  );
}
