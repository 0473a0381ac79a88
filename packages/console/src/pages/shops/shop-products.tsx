import type { Curator } from '../../curation/curator.js';
import { DataTable } from '../../parts/data-table.js';
import { useLoad } from '../../server/load.js';
import { formatNumber, t } from '../../strings/strings.js';
import type { ProductFigures } from './analytics.js';
import { moneyOf } from './money.js';

interface ShopProductsProps {
  readonly curator: Curator;
  readonly products: readonly ProductFigures[];
}

/** Figures of products: how often shoppers took each, told by its title where the shop still has it. */
export function ShopProducts({ curator, products }: ShopProductsProps) {
  const ids = products.map(({ docId }) => docId);
  const { data: titles } = useLoad(
    async (client, signal) => (ids.length === 0 ? new Map<string, string>() : curator.titlesOf(client, ids, signal)),
    [curator.key, ids],
  );
  const titleOf = (id: string) => (titles?.get(id) === id ? undefined : titles?.get(id));
  return (
    <section class="panel" aria-labelledby="products">
      <header class="panel-head">
        <h2 id="products">{t.shops.productTable}</h2>
      </header>
      {products.length === 0 ? (
        <p class="panel-body muted">{t.shops.productsNone}</p>
      ) : (
        <DataTable
          label={t.asTable(t.shops.productTable)}
          rows={products}
          keyOf={({ docId }) => docId}
          columns={[
            {
              title: t.shops.product,
              cell: ({ docId }) => (
                <>
                  {titleOf(docId)} <code>{docId}</code>
                </>
              ),
            },
            { title: t.shops.shown, kind: 'number', cell: ({ impressions }) => formatNumber(impressions) },
            { title: t.shops.clicks, kind: 'number', cell: ({ clicks }) => formatNumber(clicks) },
            { title: t.shops.carts, kind: 'number', cell: ({ addToCarts }) => formatNumber(addToCarts) },
            { title: t.shops.bought, kind: 'number', cell: ({ purchases }) => formatNumber(purchases) },
            { title: t.shops.revenue, kind: 'number', cell: (one) => moneyOf(one.revenue) },
          ]}
        />
      )}
    </section>
  );
}
