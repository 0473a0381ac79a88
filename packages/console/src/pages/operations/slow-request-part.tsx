import { Empty, Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { PartsBar } from '../../parts/parts-bar.js';
import { TableScroll } from '../../parts/table-scroll.js';
import { useLoad } from '../../server/load.js';
import { formatMoment, formatMs, formatNumber, t } from '../../strings/strings.js';

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
export function SlowRequestPart() {
  const { data, failure, reload } = useLoad(
    (client, signal) =>
      client.call<{ slowRequests: readonly SlowRequest[] }>('GET', '/slow-requests', undefined, { signal }),
    [],
    EVERY_MS,
  );
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      <div class="panel">
        {data === undefined ? (
          failure === undefined && <Skeleton />
        ) : data.slowRequests.length === 0 ? (
          <Empty title={t.operations.slowNone}>
            <p>{t.operations.slowNoneHint}</p>
          </Empty>
        ) : (
          <TableScroll label={t.operations.slow}>
            <thead>
              <tr>
                <th scope="col" class="number">
                  {t.operations.time}
                </th>
                <th scope="col">{t.operations.operation}</th>
                <th scope="col">{t.operations.index}</th>
                <th scope="col">{t.operations.stages}</th>
                <th scope="col">{t.operations.shape}</th>
                <th scope="col">{t.operations.at}</th>
              </tr>
            </thead>
            <tbody>
              {data.slowRequests.map((request) => (
                <tr key={request.requestId}>
                  <td class="number strong">{formatMs(request.ms)}</td>
                  <td>
                    {request.operation ?? '–'}
                    {request.status >= 300 && <span class="badge">{request.status}</span>}
                  </td>
                  <td>{request.index ?? '–'}</td>
                  <td class="stage-times">
                    <Stages stages={request.stagesMs} />
                  </td>
                  <td class="faint">{shapeOf(request)}</td>
                  <td class="faint">
                    {formatMoment(request.at)}
                    <code class="request-id">{request.requestId}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </TableScroll>
        )}
      </div>
    </>
  );
}

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
