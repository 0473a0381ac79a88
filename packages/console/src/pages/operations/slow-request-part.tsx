import { type Column, TablePanel } from '../../parts/data-table.js';
import { PartsBar } from '../../parts/parts-bar.js';
import { useLoad } from '../../server/load.js';
import { formatMoment, formatMs, formatNumber, t } from '../../strings/strings.js';
import { clientOf, type ProcessProps } from './process.js';

interface SlowRequest {
  readonly at: string;
  readonly requestId: string;
  readonly operation: string | null;
  readonly index: string | null;
  readonly status: number;
  readonly ms: number;
  readonly stagesMs: Readonly<Record<string, number>>;
  readonly documents?: number;
  readonly search?: Readonly<Record<string, unknown>>;
}

const EVERY_MS = 10_000;

/** The slowest requests of the last day, with the time of each stage. */
export function SlowRequestPart({ index }: ProcessProps) {
  const { data, failure, reload } = useLoad(
    (client, signal) =>
      clientOf(client, index).call<{ slowRequests: readonly SlowRequest[] }>('GET', '/slow-requests', undefined, {
        signal,
      }),
    [index],
    EVERY_MS,
  );
  return (
    <TablePanel
      label={t.operations.slow}
      rows={data?.slowRequests}
      failure={failure}
      reload={reload}
      none={{ title: t.operations.slowNone, hint: t.operations.slowNoneHint }}
      columns={COLUMNS}
      keyOf={({ requestId }) => requestId}
    />
  );
}

const COLUMNS: readonly Column<SlowRequest>[] = [
  { title: t.operations.time, kind: 'number', class: 'strong', cell: ({ ms }) => formatMs(ms) },
  {
    title: t.operations.operation,
    cell: ({ operation, status }) => (
      <>
        {operation ?? '–'}
        {status >= 300 && <span class="badge">{status}</span>}
      </>
    ),
  },
  { title: t.operations.index, cell: ({ index }) => index ?? '–' },
  { title: t.operations.stages, class: 'stage-times', cell: ({ stagesMs }) => <Stages stages={stagesMs} /> },
  { title: t.operations.shape, class: 'faint', cell: shapeOf },
  {
    title: t.operations.at,
    class: 'faint',
    cell: ({ at, requestId }) => (
      <>
        {formatMoment(at)}
        <code class="request-id">{requestId}</code>
      </>
    ),
  },
];

const STAGES = ['plan', 'embed', 'search'] as const;

function Stages({ stages }: { stages: Readonly<Record<string, number>> }) {
  const parts = STAGES.flatMap((stage, colour) => {
    const value = stages[stage];
    return value === undefined ? [] : [{ label: t.search.stages[stage], value, shown: formatMs(value), colour }];
  });
  return parts.length === 0 ? <>–</> : <PartsBar parts={parts} caption={t.search.times} />;
}

/** The shape of a request: neither words nor values are ever told. */
function shapeOf({ documents, search }: SlowRequest): string {
  if (documents !== undefined) return t.operations.documents(documents);
  if (search === undefined) return '';
  const { retrieval, limit, offset, filterLength, facets, sort } = search;
  return [
    String(retrieval),
    t.operations.page(formatNumber(Number(limit)), formatNumber(Number(offset))),
    Number(filterLength) > 0 && t.operations.filter(Number(filterLength)),
    facets === true && t.operations.facets,
    sort === true && t.operations.sort,
  ]
    .filter(Boolean)
    .join(', ');
}
