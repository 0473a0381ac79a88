import type { Curator } from '../../curation/curator.js';
import { Empty, Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { Plot } from '../../parts/plot.js';
import { useLoad } from '../../server/load.js';
import { formatMoney, formatNumber, formatShare, t } from '../../strings/strings.js';
import { Analytics, type Metrics, type Money } from './analytics.js';
import { ShopProducts } from './shop-products.js';

interface ShopFiguresProps {
  readonly curator: Curator;
  readonly customerId: string;
  readonly days: number;
}

const PRODUCTS = 20;

/** The searches, finds and purchases of shoppers, as figures and by day. */
export function ShopFigures({ curator, customerId, days }: ShopFiguresProps) {
  const { data, failure, reload } = useLoad(
    async (client, signal) => {
      const analytics = new Analytics(client, customerId, days, signal);
      const summary = await analytics.summary();
      const currency = mainCurrency(summary.metrics.totalRevenue);
      const [queries, clickRate, orders, revenue, products] = await Promise.all([
        analytics.byDay('totalQueries'),
        analytics.byDay('clickThroughRate'),
        analytics.byDay('totalPurchases'),
        currency === undefined ? undefined : analytics.byDay('totalRevenue', currency),
        analytics.products(PRODUCTS),
      ]);
      return { ...summary, currency, queries, clickRate, orders, revenue, products };
    },
    [customerId, days],
  );
  if (data === undefined) {
    return failure === undefined ? <Skeleton lines={8} /> : <FailureNotice failure={failure} retry={reload} />;
  }
  const { metrics, previous, currency, queries, clickRate, orders, revenue, products } = data;
  if (metrics.totalQueries === 0 && previous.totalQueries === 0) {
    return (
      <div class="panel">
        <Empty title={t.shops.noEvents}>
          <p>{t.shops.noEventsHint(customerId)}</p>
        </Empty>
      </div>
    );
  }
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      <section class="panel" aria-labelledby="figures">
        <header class="panel-head">
          <h2 id="figures">{t.shops.glance}</h2>
          <span class="faint">{t.shops.beside(days)}</span>
        </header>
        <dl class="facts panel-body">
          <Figure name={t.shops.searches} of={({ totalQueries }) => totalQueries} {...{ metrics, previous }} />
          <Figure name={t.shops.sessions} of={({ totalSessions }) => totalSessions} {...{ metrics, previous }} />
          <Figure
            name={t.shops.clickRate}
            of={({ clickThroughRate }) => clickThroughRate}
            format={formatShare}
            {...{ metrics, previous }}
          />
          <Figure
            name={t.shops.cartRate}
            of={({ addToCartRate }) => addToCartRate}
            format={formatShare}
            {...{ metrics, previous }}
          />
          <Figure
            name={t.shops.conversion}
            of={({ conversionRate }) => conversionRate}
            format={formatShare}
            {...{ metrics, previous }}
          />
          <Figure name={t.shops.pieces} of={({ totalPurchases }) => totalPurchases} {...{ metrics, previous }} />
          {Object.keys(metrics.totalRevenue).map((one) => (
            <Figure
              key={one}
              name={t.shops.revenueIn(one)}
              of={({ totalRevenue }) => totalRevenue[one] ?? 0}
              format={(amount) => formatMoney(amount, one)}
              {...{ metrics, previous }}
            />
          ))}
        </dl>
      </section>
      <section class="panel" aria-labelledby="by-day">
        <header class="panel-head">
          <h2 id="by-day">{t.shops.byDay}</h2>
        </header>
        <div class="panel-body plots">
          <Plot title={t.shops.searches} points={queries} format={formatNumber} colour={0} />
          <Plot title={t.shops.clickRate} points={clickRate} format={formatShare} colour={1} />
          <Plot title={t.shops.pieces} points={orders} format={formatNumber} colour={2} />
          {revenue !== undefined && currency !== undefined && (
            <Plot
              title={t.shops.revenueIn(currency)}
              points={revenue}
              format={(amount) => formatMoney(amount, currency)}
              colour={3}
            />
          )}
        </div>
      </section>
      <ShopProducts curator={curator} products={products} />
    </>
  );
}

interface FigureProps {
  readonly name: string;
  readonly metrics: Metrics;
  readonly previous: Metrics;
  readonly of: (metrics: Metrics) => number;
  readonly format?: (value: number) => string;
}

function Figure({ name, metrics, previous, of, format = formatNumber }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {format(of(metrics))} <small class="faint">{t.shops.before(format(of(previous)))}</small>
      </dd>
    </div>
  );
}

/** The currency in which most was bought; currencies are never added up. */
function mainCurrency(revenue: Money): string | undefined {
  const [most] = Object.entries(revenue).sort(([, one], [, other]) => other - one);
  return most?.[0];
}
