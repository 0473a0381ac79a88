import { useMemo } from 'preact/hooks';
import { CurationEditor } from '../../curation/curation-editor.js';
import type { SettingsVersion } from '../../curation/shop-choices.js';
import { shopCurator, shopPath } from '../../curation/shop-curator.js';
import { Skeleton } from '../../parts/empty.js';
import { Field } from '../../parts/field.js';
import { FailureNotice } from '../../parts/notice.js';
import { PageHead } from '../../parts/page-head.js';
import { address, go, route } from '../../router.js';
import { useLoad } from '../../server/load.js';
import { useStore } from '../../store.js';
import { t } from '../../strings/strings.js';
import { RANGES } from './analytics.js';
import { ShopFigures } from './shop-figures.js';
import { ShopLearning } from './shop-learning.js';
import { ShopQueries } from './shop-queries.js';

const PARTS = ['figures', 'queries', 'rules', 'learning'] as const;
type Part = (typeof PARTS)[number];

/** One shop: what its shoppers searched, found and bought, and the choices of people about it. */
export function ShopDetail({ name, part: given }: { name: string; part: string | undefined }) {
  const { parameters } = useStore(route);
  const part = PARTS.find((one) => one === given) ?? 'figures';
  const days = RANGES.find((one) => String(one) === parameters.get('days')) ?? 30;
  const settings = useLoad(
    (client, signal) => client.call<SettingsVersion>('GET', `${shopPath(name)}/settings`, undefined, { signal }),
    [name],
  );
  const customerId = settings.data === undefined ? undefined : (settings.data.settings.customerId ?? name);
  const curator = useMemo(() => shopCurator(name), [name]);
  const above = (
    <p class="above">
      <a href={address(['shops'])}>{t.shops.back}</a>
    </p>
  );
  const placeOf = (one: Part) => address(['shops', name, one], { ...(one !== 'rules' && { days: String(days) }) });
  return (
    <>
      <PageHead title={name} above={above}>
        <a class="button button-plain" href={address(['indexes', name])}>
          {t.shops.openIndex}
        </a>
      </PageHead>
      <div class="shop-bar">
        <nav class="tabs" aria-label={t.shops.parts}>
          {PARTS.map((one) => (
            <a key={one} href={placeOf(one)} aria-current={one === part ? 'page' : undefined}>
              {t.shops.partNames[one]}
            </a>
          ))}
        </nav>
        {part !== 'rules' && (
          <Field label={t.shops.range}>
            {(control) => (
              <select
                {...control}
                value={String(days)}
                onChange={({ currentTarget }) => go(['shops', name, part], { days: currentTarget.value })}
              >
                {RANGES.map((one) => (
                  <option key={one} value={one}>
                    {t.shops.lastDays(one)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
      </div>
      {settings.failure !== undefined && <FailureNotice failure={settings.failure} retry={settings.reload} />}
      {part === 'rules' ? (
        <CurationEditor
          curator={curator}
          query={parameters.get('q') ?? undefined}
          onQuery={(q) => go(['shops', name, 'rules'], { q })}
        />
      ) : customerId === undefined || settings.data === undefined ? (
        settings.failure === undefined && <Skeleton lines={6} />
      ) : part === 'figures' ? (
        <ShopFigures curator={curator} customerId={customerId} days={days} />
      ) : part === 'learning' ? (
        <ShopLearning name={name} days={days} newest={settings.data} reload={settings.reload} />
      ) : (
        <ShopQueries name={name} curator={curator} customerId={customerId} days={days} />
      )}
    </>
  );
}
