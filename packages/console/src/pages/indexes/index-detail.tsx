import type { types } from '@pelorus/client';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Code } from '../../parts/code.js';
import { Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { PageHead } from '../../parts/page-head.js';
import { PartsBar } from '../../parts/parts-bar.js';
import { Status } from '../../parts/status.js';
import { address } from '../../router.js';
import { useLoad } from '../../server/load.js';
import { isHosted } from '../../server/session.js';
import { formatBytes, formatNumber, t } from '../../strings/strings.js';
import { Aliases } from './aliases.js';
import { DeleteDialog } from './delete-dialog.js';
import { ModelDialog } from './model-dialog.js';

const EVERY_MS = 5_000;

/** One index: its state, its settings, its aliases, and its end. */
export function IndexDetail({ name }: { name: string }) {
  const stats = useLoad((client, signal) => client.index(name).stats({ signal }), [name], EVERY_MS);
  const settings = useLoad((client, signal) => client.index(name).settings({ signal }), [name]);
  const health = useLoad((client, signal) => client.index(name).health({ signal }), [name], EVERY_MS);
  const failure = stats.failure ?? settings.failure;
  const retry = () => {
    stats.reload();
    settings.reload();
    health.reload();
  };
  return (
    <>
      <PageHead title={name} above={<BackToIndexes />}>
        <a class="button button-plain" href={address(['search', name])}>
          {t.indexes.openSearch}
        </a>
        <a class="button button-plain" href={address(['data', name])}>
          {t.indexes.openData}
        </a>
        <a class="button button-plain" href={address(['data', name, 'import'])}>
          {t.indexes.openImport}
        </a>
        <a class="button button-plain" href={address(['indexes', name, 'rules'])}>
          {t.indexes.openRules}
        </a>
      </PageHead>
      {failure !== undefined && <FailureNotice failure={failure} retry={retry} />}
      <section class="panel" aria-labelledby="overview">
        <header class="panel-head">
          <h2 id="overview">{t.indexes.overview}</h2>
          {health.data !== undefined && <Status status={health.data.status} />}
        </header>
        {stats.data === undefined ? failure === undefined && <Skeleton lines={3} /> : <Figures stats={stats.data} />}
      </section>
      {settings.data !== undefined && <Settings name={name} settings={settings.data} onChange={settings.reload} />}
      {stats.data !== undefined && !isHosted && (
        <Aliases name={name} aliases={stats.data.aliases ?? []} onChange={stats.reload} />
      )}
      <Deletion name={name} stats={stats.data} />
    </>
  );
}

/** The way to the end of an index. */
export function Deletion({ name, stats }: { name: string; stats: types.IndexStats | undefined }) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <section class="panel" aria-labelledby="deletion">
        <header class="panel-head">
          <h2 id="deletion">{t.indexes.deleteTitle}</h2>
        </header>
        <div class="panel-body row deletion">
          <p class="muted">{t.indexes.deleteExplanation}</p>
          <Button onClick={() => setDeleting(true)}>{t.indexes.deleteOpen}</Button>
        </div>
      </section>
      {isDeleting && <DeleteDialog name={name} stats={stats} onClose={() => setDeleting(false)} />}
    </>
  );
}

export function BackToIndexes() {
  return (
    <p class="above">
      <a href={address(['indexes'])}>{t.indexes.back}</a>
    </p>
  );
}

function Figures({ stats }: { stats: types.IndexStats }) {
  const { numberOfDocuments, numberOfVectors, backend } = stats;
  const { memory, memoryBytes, memoryUsedPercentage, storageUsedPercentage, precision } = backend;
  const parts = Object.entries(memory ?? {}).map(([part, bytes], colour) => ({
    ...{ label: t.indexes.parts[part] ?? part, value: bytes, shown: formatBytes(bytes), colour },
  }));
  return (
    <div class="panel-body">
      <dl class="facts">
        <Fact label={t.indexes.documents} value={formatNumber(numberOfDocuments)} />
        <Fact label={t.indexes.vectors} value={formatNumber(numberOfVectors)} />
        {memoryBytes !== undefined && <Fact label={t.indexes.memory} value={formatBytes(memoryBytes)} />}
        {memoryUsedPercentage !== null && <Fact label={t.indexes.budgetUsed} value={percent(memoryUsedPercentage)} />}
        {storageUsedPercentage !== null && <Fact label={t.indexes.diskUsed} value={percent(storageUsedPercentage)} />}
        <Fact label={t.indexes.precision} value={precision ?? t.indexes.notLoaded} isText />
      </dl>
      {parts.length > 0 && (
        <div class="stack">
          <h3>{t.indexes.memoryParts}</h3>
          <PartsBar parts={parts} caption={t.indexes.memoryParts} />
        </div>
      )}
    </div>
  );
}

const percent = (value: number) => `${formatNumber(Math.round(value * 10) / 10)} %`;

function Fact({ label, value, isText = false }: { label: string; value: string; isText?: boolean }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class={isText ? 'fact-text' : undefined}>{value}</dd>
    </div>
  );
}

/** Settings that people look for first, by their name in the interface. */
const SHOWN = [
  'type',
  'model',
  'normalizeEmbeddings',
  'vectorNumericType',
  'textQueryPrefix',
  'textChunkPrefix',
  'tensorFields',
];

interface SettingsProps {
  readonly name: string;
  readonly settings: types.IndexSettingsResponse;
  readonly onChange: () => void;
}

function Settings({ name, settings, onChange }: SettingsProps) {
  const [isChanging, setChanging] = useState(false);
  const members = Object.entries(settings).filter(([member]) => SHOWN.includes(member));
  return (
    <section class="panel" aria-labelledby="settings">
      <header class="panel-head">
        <h2 id="settings">{t.indexes.settings}</h2>
        <Button size="small" onClick={() => setChanging(true)}>
          {t.indexes.modelOpen}
        </Button>
      </header>
      <div class="panel-body">
        <p class="muted">{t.indexes.fixed}</p>
        <dl class="definitions">
          {members.map(([member, value]) => (
            <div key={member}>
              <dt>{member}</dt>
              <dd>
                <code>{typeof value === 'string' ? value || '""' : JSON.stringify(value)}</code>
              </dd>
            </div>
          ))}
        </dl>
        <details>
          <summary>{t.indexes.settingsAsJson}</summary>
          <Code label={t.indexes.settings} text={JSON.stringify(settings, null, 2)} />
        </details>
      </div>
      {isChanging && (
        <ModelDialog name={name} settings={settings} onClose={() => setChanging(false)} onDone={onChange} />
      )}
    </section>
  );
}
