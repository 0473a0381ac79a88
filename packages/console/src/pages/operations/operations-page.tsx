import type { ComponentType } from 'preact';
import type { PageProps } from '../../pages.js';
import { Lacking } from '../../parts/lacking.js';
import { PageHead } from '../../parts/page-head.js';
import { address, go, route } from '../../router.js';
import { isHosted } from '../../server/session.js';
import { useStore } from '../../store.js';
import { t } from '../../strings/strings.js';
import { AliasPart } from './alias-part.js';
import { BackupPart } from './backup-part.js';
import { KeyPart } from './key-part.js';
import { LoadPart } from './load-part.js';
import { LogPart } from './log-part.js';
import { ModelPart } from './model-part.js';
import type { ProcessProps } from './process.js';
import { ProcessChoice } from './process-choice.js';
import { QueuePart } from './queue-part.js';
import { SlowRequestPart } from './slow-request-part.js';
import './operations.css';

interface OperationsPart {
  readonly title: string;
  readonly Part: ComponentType<ProcessProps>;
  /** Tells that each process of the hosted form has its own. */
  readonly isOfProcess?: boolean;
  /** Tells, where the control plane of the hosted form has no such part, what there is in its place. */
  readonly lacking?: string;
}

/** The parts of the page by their segment of the address, the first of which is shown at the bare one. */
const PARTS: Readonly<Record<string, OperationsPart>> = {
  slow: { title: t.operations.slow, Part: SlowRequestPart, isOfProcess: true, lacking: t.hosted.slowLacking },
  load: { title: t.operations.load, Part: LoadPart, isOfProcess: true },
  queues: { title: t.operations.queues.title, Part: QueuePart, isOfProcess: true },
  log: { title: t.operations.log, Part: LogPart, isOfProcess: true },
  models: { title: t.operations.models, Part: ModelPart, lacking: t.hosted.modelsLacking },
  aliases: { title: t.operations.aliases, Part: AliasPart, lacking: t.hosted.aliasesLacking },
  keys: { title: t.operations.keys, Part: KeyPart },
  backups: { title: t.operations.backups, Part: BackupPart },
};

/** The work of the server, and the things that its operator decides. */
export default function OperationsPage({ segments }: PageProps) {
  const [segment = 'slow'] = segments;
  const { title, Part, lacking, isOfProcess = false } = PARTS[segment] ?? (PARTS.slow as OperationsPart);
  const chosen = useStore(route).parameters.get('index') ?? undefined;
  const index = isHosted && isOfProcess ? chosen : undefined;
  return (
    <>
      <PageHead title={t.operations.title} />
      <nav class="tabs" aria-label={t.operations.parts}>
        {Object.entries(PARTS).map(([own, { title, isOfProcess }]) => (
          <a
            key={own}
            href={address(['operations', own], isOfProcess && index !== undefined ? { index } : {})}
            aria-current={own === segment ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {isHosted && isOfProcess && (
        <ProcessChoice
          index={index}
          onChoose={(next) => go(['operations', segment], next === undefined ? {} : { index: next })}
        />
      )}
      {isHosted && lacking !== undefined && index === undefined ? (
        <Lacking title={title}>{lacking}</Lacking>
      ) : (
        <Part key={index} index={index} />
      )}
    </>
  );
}
