import { type Pelorus, PelorusError, type types } from '@pelorus/client';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Empty, Skeleton } from '../../parts/empty.js';
import { Field } from '../../parts/field.js';
import { FailureNotice } from '../../parts/notice.js';
import { PageHead } from '../../parts/page-head.js';
import { Status } from '../../parts/status.js';
import { address, go } from '../../router.js';
import { hostedIndexes } from '../../server/hosted-index.js';
import { useLoad } from '../../server/load.js';
import { isHosted, session } from '../../server/session.js';
import { useStore } from '../../store.js';
import { formatBytes, formatNumber, t } from '../../strings/strings.js';
import { CreateDialog } from './create-dialog.js';

interface Row {
  readonly name: string;
  readonly status: types.Health['status'];
  /** Why it is not well, or nothing else is known of it. */
  readonly reason?: string | undefined;
  /** The work of the hosted form on it just now. */
  readonly work?: string | undefined;
  readonly documents?: number | undefined;
  readonly vectors?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly model?: string | undefined;
  readonly aliases?: readonly string[] | undefined;
}

const EVERY_MS = 10_000;
/** Rows that are asked for at once: a server may have thousands of indexes. */
const AT_ONCE = 6;

export function IndexList() {
  const { data, failure, reload } = useLoad(isHosted ? loadHostedRows : loadRows, [], EVERY_MS);
  const hasKey = useStore(session).key !== '';
  const [isCreating, setCreating] = useState(false);
  const [filter, setFilter] = useState('');
  const models = [...new Set(data?.flatMap(({ model }) => model ?? []) ?? [])];
  const shown = data?.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <>
      <PageHead title={t.indexes.title}>
        <Button tone="primary" onClick={() => setCreating(true)}>
          {t.indexes.create}
        </Button>
      </PageHead>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      {data !== undefined && data.length > 8 && (
        <div class="indexes-filter">
          <Field label={t.indexes.filter}>
            {(control) => (
              <input
                {...control}
                type="search"
                value={filter}
                onInput={({ currentTarget }) => setFilter(currentTarget.value)}
              />
            )}
          </Field>
        </div>
      )}
      <div class="panel">
        {shown === undefined ? (
          failure === undefined && <Skeleton />
        ) : data?.length === 0 ? (
          <Empty title={hasKey ? t.indexes.emptyForKey : t.indexes.emptyTitle}>
            <p>{hasKey ? t.indexes.emptyForKeyHint : t.indexes.empty}</p>
            <Button tone="primary" onClick={() => setCreating(true)}>
              {t.indexes.create}
            </Button>
          </Empty>
        ) : shown.length === 0 ? (
          <p class="panel-body muted">{t.indexes.filterNone}</p>
        ) : (
          <IndexTable rows={shown} />
        )}
      </div>
      {isCreating && (
        <CreateDialog
          models={models}
          onClose={() => setCreating(false)}
          onCreated={(name) => {
            setCreating(false);
            go(['indexes', name]);
          }}
        />
      )}
    </>
  );
}

function IndexTable({ rows }: { rows: readonly Row[] }) {
  return (
    <div class="scroll">
      <table class="indexes">
        <caption class="unseen">{t.indexes.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t.indexes.name}</th>
            <th scope="col">{t.indexes.health}</th>
            <th scope="col" class="number">
              {t.indexes.documents}
            </th>
            <th scope="col" class="number">
              {t.indexes.vectors}
            </th>
            <th scope="col" class="number">
              {t.indexes.memory}
            </th>
            <th scope="col">{t.indexes.model}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, status, reason, work, documents, vectors, memoryBytes, model, aliases }) => (
            <tr key={name}>
              <td>
                <a class="index-name" href={address(['indexes', name])}>
                  {name}
                </a>
                {aliases?.map((alias) => (
                  <span key={alias} class="badge">
                    {alias}
                  </span>
                ))}
              </td>
              <td>
                <Status status={status} />
                {work !== undefined && <span class="badge">{work}</span>}
                {reason !== undefined && <p class="field-hint">{reason}</p>}
              </td>
              <td class="number" data-label={t.indexes.documents}>
                {documents === undefined ? '–' : formatNumber(documents)}
              </td>
              <td class="number" data-label={t.indexes.vectors}>
                {vectors === undefined ? '–' : formatNumber(vectors)}
              </td>
              <td class="number" data-label={t.indexes.memory}>
                {memoryBytes === undefined ? '–' : formatBytes(memoryBytes)}
              </td>
              <td class="index-model">{model ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

async function loadRows(client: Pelorus, signal: AbortSignal): Promise<readonly Row[]> {
  const names = await client.listIndexes({ signal });
  const { backend } = await client.health({ signal });
  const known = new Map(backend.indexes?.map((one) => [one.indexName, one] as const));
  const rows: Row[] = [];
  for (let first = 0; first < names.length; first += AT_ONCE) {
    const some = names.slice(first, first + AT_ONCE).map((name) => loadRow(client, name, known.get(name), signal));
    rows.push(...(await Promise.all(some)).filter((row) => row !== undefined));
  }
  return rows;
}

/** The rows of the hosted form: an index that is made or deleted just now cannot be asked, and its record tells of it. */
async function loadHostedRows(client: Pelorus, signal: AbortSignal): Promise<readonly Row[]> {
  const [records, { backend }] = await Promise.all([hostedIndexes(client, signal), client.health({ signal })]);
  const faults = new Map(backend.indexes?.map((one) => [one.indexName, one] as const));
  return records.map(({ indexName: name, indexStatus, errorMsg, model, ...counts }) => {
    const { status = indexStatus === 'FAILED' ? 'red' : 'green', reason = errorMsg } = faults.get(name) ?? {};
    const work = indexStatus === 'READY' ? undefined : t.hosted.states[indexStatus];
    const [documents, memoryBytes] = [Number(counts['docs.count']), Number(counts['store.size'])];
    return { name, status, reason, work, documents, memoryBytes, model };
  });
}

type Fault = NonNullable<types.Health['backend']['indexes']>[number];

/** A row; undefined where the index was deleted meanwhile. */
async function loadRow(
  client: Pelorus,
  name: string,
  fault: Fault | undefined,
  signal: AbortSignal,
): Promise<Row | undefined> {
  const index = client.index(name);
  const { status = 'green', reason } = fault ?? {};
  try {
    const [stats, settings] = await Promise.all([index.stats({ signal }), index.settings({ signal })]);
    const { numberOfDocuments: documents, numberOfVectors: vectors, backend, aliases } = stats;
    const { memoryBytes } = backend;
    return { name, status, reason, documents, vectors, memoryBytes, model: settings.model, aliases };
  } catch (error) {
    if (!(error instanceof PelorusError)) throw error;
    if (error.code === 'index_not_found') return undefined;
    return { name, status: 'red', reason: reason ?? error.message };
  }
}
