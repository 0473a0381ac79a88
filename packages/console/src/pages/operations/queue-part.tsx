import type { types } from '@pelorus/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { DataTable } from '../../parts/data-table.js';
import { Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { useLoad } from '../../server/load.js';
import { formatBytes, formatNumber, t } from '../../strings/strings.js';
import { clientOf, type ProcessProps } from './process.js';

const EVERY_MS = 3_000;

/** The work that is under way or waits at this moment. */
export function QueuePart({ index }: ProcessProps) {
  const [isPaused, setPaused] = useState(false);
  const { data, failure, reload } = useLoad(
    (client, signal) => clientOf(client, index).queues({ signal }),
    [index],
    isPaused ? undefined : EVERY_MS,
  );
  const go = () => {
    setPaused(!isPaused);
    if (isPaused) reload();
  };
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      <p>
        <Button size="small" onClick={go}>
          {isPaused ? t.operations.logGo : t.operations.logPause}
        </Button>
      </p>
      {data === undefined ? failure === undefined && <Skeleton lines={6} /> : <Queues queues={data} />}
    </>
  );
}

function Queues({ queues }: { queues: types.Queues }) {
  // A server of another version may not tell all of them.
  const { requests, models = [], indexes = [], backups = [], hostedIndexes = [], eventsWaiting } = queues;
  const { queues: words } = t.operations;
  return (
    <>
      <Section title={words.requests}>
        <DataTable
          label={t.asTable(words.requests)}
          rows={requests}
          keyOf={({ load }) => load}
          columns={[
            { title: words.load, class: 'strong', cell: ({ load }) => words.loads[load] },
            { title: words.underWay, kind: 'number', cell: ({ underWay }) => formatNumber(underWay) },
            { title: words.max, kind: 'number', cell: ({ max }) => formatNumber(max) },
          ]}
        />
      </Section>
      <Section title={words.models}>
        <DataTable
          label={t.asTable(words.models)}
          rows={models}
          keyOf={({ device, encoder }) => `${device} ${encoder}`}
          columns={[
            { title: t.operations.encoder, class: 'strong', cell: ({ encoder }) => encoder },
            { title: t.operations.device, cell: ({ device }) => device },
            { title: words.waiting, kind: 'number', cell: ({ waiting }) => formatNumber(waiting) },
          ]}
        />
        {eventsWaiting !== undefined && <p class="panel-body">{words.events(eventsWaiting)}</p>}
      </Section>
      <Section title={words.indexes} none={indexes.length + hostedIndexes.length === 0 && words.indexesNone}>
        {indexes.length > 0 && (
          <DataTable
            label={t.asTable(words.indexes)}
            rows={indexes}
            keyOf={({ indexName }) => indexName}
            columns={[
              { title: t.operations.index, class: 'strong', cell: ({ indexName }) => indexName },
              { title: words.writes, kind: 'number', cell: (one) => formatNumber(one.queuedWrites) },
              { title: words.unlinked, kind: 'number', cell: (one) => formatNumber(one.unlinkedVectors) },
              { title: words.relink, kind: 'number', cell: (one) => formatNumber(one.vectorsToRelink) },
              { title: words.unflushed, kind: 'number', cell: (one) => formatNumber(one.unflushedDocuments) },
            ]}
          />
        )}
        {hostedIndexes.length > 0 && (
          <DataTable
            label={t.asTable(words.hosted)}
            rows={hostedIndexes}
            keyOf={({ indexName }) => indexName}
            columns={[
              { title: t.operations.index, class: 'strong', cell: ({ indexName }) => indexName },
              { title: words.state, cell: ({ state }) => state },
            ]}
          />
        )}
      </Section>
      <Section title={words.backups} none={backups.length === 0 && words.backupsNone}>
        {backups.length > 0 && (
          <DataTable
            label={t.asTable(words.backups)}
            rows={backups}
            keyOf={({ work, backupId, indexName }) => `${work} ${backupId} ${indexName}`}
            columns={[
              { title: words.work, class: 'strong', cell: ({ work }) => words.works[work] },
              { title: words.backup, cell: ({ backupId }) => <code>{backupId}</code> },
              { title: t.operations.index, cell: ({ indexName }) => indexName ?? '–' },
              { title: words.bytes, kind: 'number', cell: (one) => progressOf(one.bytes, one.bytesOfAll) },
            ]}
          />
        )}
      </Section>
    </>
  );
}

const progressOf = (bytes: number, all: number | null): string =>
  all === null ? formatBytes(bytes) : t.operations.queues.bytesOf(formatBytes(bytes), formatBytes(all));

interface SectionProps {
  readonly title: string;
  /** Stands in the place of what is not there. */
  readonly none?: string | false;
  readonly children: ComponentChildren;
}

function Section({ title, none = false, children }: SectionProps) {
  return (
    <section class="panel" aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
      </header>
      {children}
      {none !== false && <p class="panel-body muted">{none}</p>}
    </section>
  );
}
