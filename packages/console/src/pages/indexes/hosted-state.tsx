import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from '../../parts/empty.js';
import { FailureNotice, Notice } from '../../parts/notice.js';
import { PageHead } from '../../parts/page-head.js';
import { type HostedIndex, hostedIndex } from '../../server/hosted-index.js';
import { useLoad } from '../../server/load.js';
import { t } from '../../strings/strings.js';
import { BackToIndexes, Deletion } from './index-detail.js';

const EVERY_MS = 10_000;
/** While an index is made, somebody waits for it. */
const WORKING_EVERY_MS = 1_000;

const serves = ({ indexStatus }: HostedIndex): boolean => indexStatus === 'READY' || indexStatus === 'MODIFYING';

/** Shows an index of the hosted form once it can be called, and what it does until then. */
export function HostedState({ name, children }: { name: string; children: ComponentChildren }) {
  const [everyMs, setEveryMs] = useState(EVERY_MS);
  const { data, failure, reload } = useLoad((client, signal) => hostedIndex(client, name, signal), [name], everyMs);
  const isWorking = data?.indexStatus === 'CREATING' || data?.indexStatus === 'DELETING';
  useEffect(() => setEveryMs(isWorking ? WORKING_EVERY_MS : EVERY_MS), [isWorking]);
  // A failure to ask again is told by what is shown of it.
  if (data !== undefined && serves(data)) return <>{children}</>;
  return (
    <>
      <PageHead title={name} above={<BackToIndexes />} />
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      {data === undefined ? failure === undefined && <Skeleton /> : failure === undefined && <State index={data} />}
    </>
  );
}

function State({ index: { indexName, indexStatus, errorMsg } }: { index: HostedIndex }) {
  if (indexStatus === 'FAILED') {
    return (
      <>
        <Notice tone="danger" title={t.hosted.failed}>
          <p>{errorMsg}</p>
          <p>{t.hosted.failedHint}</p>
        </Notice>
        <Deletion name={indexName} stats={undefined} />
      </>
    );
  }
  const isMade = indexStatus === 'CREATING';
  return (
    <Notice tone="info" title={isMade ? t.hosted.creating : t.hosted.deleting}>
      {isMade ? t.hosted.creatingHint : t.hosted.deletingHint}
    </Notice>
  );
}
