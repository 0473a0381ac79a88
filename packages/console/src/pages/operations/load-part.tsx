import { DataTable } from '../../parts/data-table.js';
import { Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { useLoad } from '../../server/load.js';
import { formatNumber, t } from '../../strings/strings.js';
import { clientOf, type ProcessProps } from './process.js';

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
export function LoadPart({ index }: ProcessProps) {
  const { data, failure, reload } = useLoad(
    (client, signal) => clientOf(client, index).call<CpuInfo>('GET', '/device/cpu', undefined, { signal }),
    [index],
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
            <DataTable
              label={t.operations.threads}
              rows={data.http_threads}
              keyOf={({ thread }) => thread}
              columns={[
                { title: t.operations.thread, cell: ({ thread }) => thread },
                { title: t.operations.busy, kind: 'number', cell: ({ busy_percent }) => busy_percent },
                { title: t.operations.requests, kind: 'number', cell: ({ requests }) => formatNumber(requests) },
                { title: t.operations.searches, kind: 'number', cell: ({ searches }) => formatNumber(searches) },
              ]}
            />
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
