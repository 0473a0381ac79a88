import schema from 'virtual:schema/key-request';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Code } from '../../parts/code.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { TablePanel } from '../../parts/data-table.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { FailureNotice, Notice } from '../../parts/notice.js';
import { isUnfinished, type Values } from '../../parts/schema-form/schema.js';
import { SchemaMembers } from '../../parts/schema-form/schema-form.js';
import { useAction, useLoad } from '../../server/load.js';
import { changeKey, isHosted, session } from '../../server/session.js';
import { formatMoment, t } from '../../strings/strings.js';
import { nameDoubtOf } from './key-names.js';

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
  /** Secrets that it was rotated from and that are still good. */
  readonly overlapping: readonly { readonly prefix: string; readonly expiresAt: string }[];
}

const KEYS = '/api/v2/keys';
const pathOf = ({ id }: Key): string => `${KEYS}/${encodeURIComponent(id)}`;
/** Members of an API key, and those of the hosted form, which has keys that send events besides. */
const MEMBERS = ['name', 'scope', 'indexes', 'filter', 'origins', 'expiresAt'];
const MOMENTS = ['expiresAt'];
const HOSTED_MEMBERS = ['kind', ...MEMBERS, 'customerId', 'allowsNoOrigin'];

/** The keys of the server, without their secrets. */
export function KeyPart() {
  const { data, failure, reload } = useLoad(
    (client, signal) => client.call<{ results: readonly Key[] }>('GET', KEYS, undefined, { signal }),
    [],
  );
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const [rotated, setRotated] = useState<Key>();
  return (
    <>
      <TablePanel
        label={t.operations.keys}
        rows={data?.results}
        failure={failure}
        reload={reload}
        none={{ title: t.operations.keysNone, hint: t.operations.keysNoneHint }}
        keyOf={({ id }) => id}
        head={
          <>
            <h2>{t.operations.keys}</h2>
            <Button size="small" onClick={() => setCreating(true)}>
              {t.operations.keyCreate}
            </Button>
          </>
        }
        columns={[
          { title: t.operations.name, class: 'strong', cell: ({ name }) => name },
          { title: t.operations.scope, cell: ({ scope }) => scope ?? '–' },
          {
            title: t.operations.begins,
            cell: ({ prefix, overlapping }) => (
              <>
                <code>{prefix}…</code>
                {overlapping.map((old) => (
                  <p key={old.prefix} class="field-hint">
                    {t.operations.overlapping(old.prefix, formatMoment(old.expiresAt))}
                  </p>
                ))}
              </>
            ),
          },
          {
            title: t.indexes.title,
            cell: ({ indexes, filter }) => (
              <>
                {indexes === null ? t.operations.allIndexes : indexes.join(', ')}
                {filter !== null && <code class="key-filter">{filter}</code>}
              </>
            ),
          },
          { title: t.operations.lastUsed, cell: ({ lastUsedAt }) => momentOr(lastUsedAt) },
          { title: t.operations.expires, cell: ({ expiresAt }) => momentOr(expiresAt) },
          {
            title: t.operations.actions,
            kind: 'actions',
            cell: (key) => (
              <div class="actions">
                <Button size="small" aria-label={t.operations.rotateOf(key.name)} onClick={() => setRotated(key)}>
                  {t.operations.rotate}
                </Button>
                <Button size="small" aria-label={t.operations.revokeOf(key.name)} onClick={() => setRevoked(key)}>
                  {t.operations.revoke}
                </Button>
              </div>
            ),
          },
        ]}
      />
      {/* A key in use that is not listed is the operator's, of the environment of the server. */}
      {isCreating && (
        <CreateKey
          isFirst={data?.results.length === 0 && session.value.key === ''}
          onClose={() => setCreating(false)}
          onDone={reload}
        />
      )}
      {rotated !== undefined && <RotateKey rotated={rotated} onClose={() => setRotated(undefined)} onDone={reload} />}
      {revoked !== undefined && <RevokeKey revoked={revoked} onClose={() => setRevoked(undefined)} onDone={reload} />}
    </>
  );
}

const momentOr = (moment: string | null): string => (moment === null ? t.operations.never : formatMoment(moment));

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
  const known = useLoad(async (client, signal) => {
    const names = await client.listIndexes({ signal });
    const aliases = isHosted ? [] : await client.listAliases({ signal });
    return [...names, ...aliases.map(({ aliasName }) => aliasName)];
  }, []);
  const doubt = nameDoubtOf(values.indexes, known.data);
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
    <Dialog title={t.operations.keyCreate} onClose={close} canClose={secret === undefined} isWide>
      {secret !== undefined ? (
        <Secret secret={secret} title={t.operations.keyMade} onNoted={close} />
      ) : (
        <form class="stack" onSubmit={submit}>
          {create.failure !== undefined && <FailureNotice failure={create.failure} />}
          {isFirst && (
            <Notice tone="warn" title={t.operations.keyFirst}>
              {t.operations.keyFirstHint}
            </Notice>
          )}
          <div class="form-grid">
            <SchemaMembers
              schema={schema}
              names={isHosted ? HOSTED_MEMBERS : MEMBERS}
              values={values}
              onChange={setValues}
              problems={problems}
              moments={MOMENTS}
              offers={{ indexes: known.data ?? [] }}
              doubts={doubt === undefined ? undefined : new Map([['indexes', doubt]])}
            />
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

/** A secret that is shown this once. */
function Secret({ secret, title, onNoted }: { secret: string; title: string; onNoted: () => void }) {
  return (
    <div class="stack">
      <Notice tone="good" title={title}>
        {t.operations.keyOnce}
      </Notice>
      <Code label={t.operations.secret} text={secret} />
      <div class="actions">
        <Button tone="primary" onClick={onNoted}>
          {t.operations.keyNoted}
        </Button>
      </div>
    </div>
  );
}

/** Seconds for which the secret of before may stay good. */
const OVERLAPS = [0, 3_600, 86_400, 604_800] as const;

function RotateKey({ rotated, onClose, onDone }: ChangeProps & { rotated: Key }) {
  const [overlap, setOverlap] = useState<number>(3_600);
  const [secret, setSecret] = useState<string>();
  const rotate = useAction(async (client) => {
    const issued = await client.call<{ secret: string }>('POST', `${pathOf(rotated)}/rotate`, {
      overlapSeconds: overlap,
    });
    setSecret(issued.secret);
    // The page goes on with a key of its own that was rotated.
    if (session.value.key.startsWith(rotated.prefix)) changeKey(issued.secret, false);
  });
  const close = () => {
    onClose();
    if (secret !== undefined) onDone();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    rotate.run();
  };
  return (
    <Dialog title={t.operations.rotateOf(rotated.name)} onClose={close} canClose={secret === undefined}>
      {secret !== undefined ? (
        <Secret secret={secret} title={t.operations.rotated(rotated.name)} onNoted={close} />
      ) : (
        <form class="stack" onSubmit={submit}>
          {rotate.failure !== undefined && <FailureNotice failure={rotate.failure} />}
          <p>{t.operations.rotateHint}</p>
          <Field label={t.operations.overlap}>
            {(control) => (
              <select
                {...control}
                value={String(overlap)}
                onChange={({ currentTarget }) => setOverlap(Number(currentTarget.value))}
              >
                {OVERLAPS.map((seconds, place) => (
                  <option key={seconds} value={seconds}>
                    {t.operations.overlaps[place]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <div class="actions">
            <Button tone="primary" type="submit" isBusy={rotate.isRunning}>
              {t.operations.rotate}
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
    await client.call('DELETE', pathOf(revoked));
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
