import type { SettingsVersion, ShopSettings } from '../../curation/shop-choices.js';
import { shopPath } from '../../curation/shop-curator.js';
import { Button } from '../../parts/button.js';
import { Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { useAction, useLoad } from '../../server/load.js';
import { clientOfVersion } from '../../server/session.js';
import { formatNumber, formatShare, t } from '../../strings/strings.js';

interface Weights {
  readonly fieldWeights: Readonly<Record<string, number>>;
  readonly alpha: number;
}

interface Outcomes {
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

interface Comparison {
  readonly from: number;
  readonly present: Weights;
  readonly proposed: Weights;
  readonly training: Outcomes;
  readonly heldOut: Outcomes;
  readonly interval: readonly [number, number];
}

interface Learning {
  readonly state: 'none' | 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly progress: number;
  readonly outcome: 'unchanged' | 'proposed' | 'applied' | null;
  readonly reason: string | null;
  readonly queries: number | null;
  readonly comparison: Comparison | null;
}

interface ShopLearningProps {
  readonly name: string;
  readonly days: number;
  readonly newest: SettingsVersion & { readonly settings: ShopSettings & { readonly learnsWeights?: boolean | null } };
  /** Loads the settings anew. */
  readonly reload: () => void;
}

const EVERY_MS = 2_000;

/** The weights that a shop learns from the choices of its shoppers, with the consent of who runs it. */
export function ShopLearning({ name, days, newest, reload }: ShopLearningProps) {
  const settings = `${shopPath(name)}/settings`;
  const path = `${settings}/learning`;
  const loaded = useLoad(
    (client, signal) => client.call<Learning>('GET', path, undefined, { signal }),
    [name],
    EVERY_MS,
  );
  const change = useAction(async (client, method: 'PATCH' | 'POST' | 'DELETE', to: string, body?: object) => {
    const isOfSettings = to !== path;
    await (isOfSettings ? clientOfVersion(newest.version) : client).call(method, to, body);
    if (isOfSettings) reload();
    loaded.reload();
  });
  const { data } = loaded;
  const consents = newest.settings.learnsWeights === true;
  const isUnderWay = data?.state === 'waiting' || data?.state === 'running';
  const failure = change.failure ?? loaded.failure;
  return (
    <section class="panel" aria-labelledby="learning">
      <header class="panel-head">
        <h2 id="learning">{t.shops.learning}</h2>
      </header>
      <div class="panel-body stack">
        <p>{t.shops.learningHint}</p>
        {failure !== undefined && <FailureNotice failure={failure} retry={loaded.reload} />}
        <p class="actions">
          <Button onClick={() => change.run('PATCH', settings, { learnsWeights: !consents })}>
            {consents ? t.shops.withdraw : t.shops.consent}
          </Button>
          {isUnderWay ? (
            <Button onClick={() => change.run('DELETE', path)}>{t.cancel}</Button>
          ) : (
            consents && (
              <Button tone="primary" isBusy={change.isRunning} onClick={() => change.run('POST', path, { days })}>
                {t.shops.compareWeights(days)}
              </Button>
            )
          )}
        </p>
        {data === undefined ? loaded.failure === undefined && <Skeleton lines={3} /> : <Outcome learning={data} />}
        {data?.comparison != null && data.outcome === 'proposed' && data.comparison.from === newest.version && (
          <p>
            <Button onClick={() => change.run('PATCH', settings, settingsOf(data.comparison as Comparison))}>
              {t.shops.applyWeights}
            </Button>
          </p>
        )}
        {data?.comparison != null && newest.version === data.comparison.from + 1 && (
          <p>
            <Button onClick={() => change.run('POST', `${settings}/roll-back`, { version: data.comparison?.from })}>
              {t.shops.takeBack}
            </Button>
          </p>
        )}
      </div>
    </section>
  );
}

function Outcome({ learning: { state, progress, outcome, reason, queries, comparison } }: { learning: Learning }) {
  return (
    <>
      <p role="status">
        {state === 'running' ? t.shops.learningShare(formatShare(progress)) : t.shops.learningStates[state]}
        {outcome !== null && ` ${t.shops.learningOutcomes[outcome]}`} {reason}
      </p>
      <dl class="facts">
        {queries !== null && <Fact name={t.shops.learningQueries} value={formatNumber(queries)} />}
        {comparison !== null && (
          <>
            <Fact name={t.shops.presentWeights} value={weightsText(comparison.present)} />
            <Fact name={t.shops.proposedWeights} value={weightsText(comparison.proposed)} />
            <Fact name={t.shops.onTraining} value={t.shops.winsLossesTies(comparison.training)} />
            <Fact name={t.shops.onHeldOut} value={t.shops.winsLossesTies(comparison.heldOut)} />
            <Fact name={t.shops.winInterval} value={comparison.interval.map(formatShare).join(' – ')} />
          </>
        )}
      </dl>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function weightsText({ fieldWeights, alpha }: Weights): string {
  const fields = Object.entries(fieldWeights).map(([field, weight]) => `${field} ${formatNumber(weight)}`);
  return [...fields, `${t.shops.meaning} ${formatNumber(alpha)}`].join(', ');
}

/** The change of settings that makes proposed weights theirs. */
function settingsOf({ proposed: { fieldWeights, alpha } }: Comparison): object {
  const named = Object.entries(fieldWeights).filter(([, weight]) => weight !== 1);
  return { fieldWeights: named.length === 0 ? null : Object.fromEntries(named), alpha };
}
