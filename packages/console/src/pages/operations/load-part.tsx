import { Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { TableScroll } from '../../parts/table-scroll.js';
import { useLoad } from '../../server/load.js';
import { formatNumber, t } from '../../strings/strings.js';

interface CpuInfo {
  readonly cpu_usage_percent: string;
  readonly memory_used_percent: string;
  readonly process_cpu_percent: string;
  readonly requests: number;
  readonly searches: number;
  readonly http_threads: readonly {
    readonly thread: number;
    readonly busy_percent: string;
    readonly requests: number;
    readonly searches: number;
  }[];
}

const EVERY_MS = 3_000;

/** The load of the machine and of the threads that answer requests. */
export function LoadPart() {
  const { data, failure, reload } = useLoad(
    (client, signal) => client.call<CpuInfo>('GET', '/device/cpu', undefined, { signal }),
    [],
    EVERY_MS,
  );
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      <section class="panel" aria-label={t.operations.load}>
        {data === undefined ? (
          failure === undefined && <Skeleton />
        ) : (
          <>
            <div class="panel-body">
              <dl class="facts">
                <Fact label={t.operations.machineCpu} value={data.cpu_usage_percent} />
                <Fact label={t.operations.processCpu} value={data.process_cpu_percent} />
                <Fact label={t.operations.machineMemory} value={data.memory_used_percent} />
                <Fact label={t.operations.requests} value={formatNumber(data.requests)} />
                <Fact label={t.operations.searches} value={formatNumber(data.searches)} />
              </dl>
              <p class="field-hint">{t.operations.loadHint}</p>
            </div>
            <TableScroll label={t.operations.threads}>
              <thead>
                <tr>
                  <th scope="col">{t.operations.thread}</th>
                  <th scope="col" class="number">
                    {t.operations.busy}
                  </th>
                  <th scope="col" class="number">
                    {t.operations.requests}
                  </th>
                  <th scope="col" class="number">
                    {t.operations.searches}
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.http_threads.map(({ thread, busy_percent, requests, searches }) => (
                  <tr key={thread}>
                    <td>{thread}</td>
                    <td class="number">{busy_percent}</td>
                    <td class="number">{formatNumber(requests)}</td>
                    <td class="number">{formatNumber(searches)}</td>
                  </tr>
                ))}
              </tbody>
            </TableScroll>
          </>
        )}
      </section>
    </>
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
