import { TablePanel } from '../../parts/data-table.js';
import { PageHead } from '../../parts/page-head.js';
import { address } from '../../router.js';
import type { HostedIndex } from '../../server/hosted-index.js';
import { useLoad } from '../../server/load.js';
import { formatNumber, t } from '../../strings/strings.js';

interface ShopRecord extends HostedIndex {
  readonly indexId: string;
  readonly 'search.queryTotal': string | number;
}

const EVERY_MS = 10_000;

export function ShopList() {
  const { data, failure, reload } = useLoad(
    (client, signal) =>
      client.call<{ results: readonly ShopRecord[] }>('GET', '/api/v1/indexes', undefined, { signal }),
    [],
    EVERY_MS,
  );
  return (
    <>
      <PageHead title={t.shops.title} />
      <TablePanel
        label={t.shops.title}
        rows={data?.results}
        failure={failure}
        reload={reload}
        none={{ title: t.shops.none, hint: t.shops.noneHint }}
        keyOf={({ indexName }) => indexName}
        columns={[
          {
            title: t.shops.shop,
            cell: ({ indexName }) => (
              <a class="strong" href={address(['shops', indexName])}>
                {indexName}
              </a>
            ),
          },
          { title: t.operations.state, cell: ({ indexStatus }) => t.hosted.states[indexStatus] },
          {
            title: t.shops.products,
            kind: 'number',
            cell: ({ 'docs.count': count }) => formatNumber(Number(count)),
          },
          {
            title: t.shops.searchesSince,
            kind: 'number',
            cell: ({ 'search.queryTotal': count }) => formatNumber(Number(count)),
          },
          { title: t.shops.indexId, cell: ({ indexId }) => <code>{indexId}</code> },
        ]}
      />
    </>
  );
}
