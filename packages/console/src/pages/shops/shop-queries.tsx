import { useState } from 'preact/hooks';
import { useChoices } from '../../curation/choices.js';
import type { Curator } from '../../curation/curator.js';
import { RedirectForm } from '../../curation/redirect-form.js';
import { SynonymForm } from '../../curation/synonym-form.js';
import { Button } from '../../parts/button.js';
import { type Column, TablePanel } from '../../parts/data-table.js';
import { Dialog } from '../../parts/dialog.js';
import { FailureNotice } from '../../parts/notice.js';
import { address } from '../../router.js';
import { useLoad } from '../../server/load.js';
import { formatDay, formatNumber, formatShare, t } from '../../strings/strings.js';
import { Analytics, type LackingTerm, type TermFigures } from './analytics.js';
import { moneyOf } from './money.js';

interface ShopQueriesProps {
  readonly name: string;
  readonly curator: Curator;
  readonly customerId: string;
  readonly days: number;
}

const ROWS = 50;

/** A form that is open about a query. */
interface Open {
  readonly form: 'synonyms' | 'redirect';
  readonly query: string;
}

/** The queries of shoppers: the most frequent, those that found nothing, and those that nobody clicked for. */
export function ShopQueries({ name, curator, customerId, days }: ShopQueriesProps) {
  const about = [customerId, days];
  const terms = useLoad((client, signal) => new Analytics(client, customerId, days, signal).terms(ROWS), about);
  const empty = useLoad((client, signal) => new Analytics(client, customerId, days, signal).noResults(ROWS), about);
  const unclicked = useLoad((client, signal) => new Analytics(client, customerId, days, signal).noClicks(ROWS), about);
  const [open, setOpen] = useState<Open>();
  const shown = useChoices(curator);
  const query = {
    title: t.search.query,
    cell: ({ term }: { term: string }) => (
      <a class="strong" href={address(['shops', name, 'rules'], { q: term })}>
        {term === '' ? t.curation.browsed : term}
      </a>
    ),
  };
  const actions = {
    title: t.operations.actions,
    kind: 'actions' as const,
    cell: ({ term }: { term: string }) => (
      <div class="actions">
        <Button
          size="small"
          aria-label={t.shops.synonymsFor(term)}
          onClick={() => setOpen({ form: 'synonyms', query: term })}
        >
          {t.shops.addSynonyms}
        </Button>
        <Button
          size="small"
          aria-label={t.shops.redirectFor(term)}
          onClick={() => setOpen({ form: 'redirect', query: term })}
        >
          {t.shops.addRedirect}
        </Button>
      </div>
    ),
  };
  const close = () => setOpen(undefined);
  return (
    <>
      <TablePanel
        label={t.shops.emptyQueries}
        rows={empty.data}
        failure={empty.failure}
        reload={empty.reload}
        none={{ title: t.shops.emptyNone, hint: t.shops.emptyHint }}
        keyOf={({ term }) => term}
        head={<h2>{t.shops.emptyQueries}</h2>}
        columns={[query, ...SEEN, actions]}
      />
      <TablePanel
        label={t.shops.topQueries}
        rows={terms.data}
        failure={terms.failure}
        reload={terms.reload}
        none={{ title: t.shops.noEvents, hint: t.shops.noEventsHint(customerId) }}
        keyOf={({ term }) => term}
        head={<h2>{t.shops.topQueries}</h2>}
        columns={[query, ...FIGURES]}
      />
      <TablePanel
        label={t.shops.unclicked}
        rows={unclicked.data}
        failure={unclicked.failure}
        reload={unclicked.reload}
        none={{ title: t.shops.unclickedNone }}
        keyOf={({ term }) => term}
        head={<h2>{t.shops.unclicked}</h2>}
        columns={[query, ...SEEN, actions]}
      />
      {open !== undefined && (
        <Dialog
          title={open.form === 'synonyms' ? t.shops.synonymsFor(open.query) : t.shops.redirectFor(open.query)}
          onClose={close}
        >
          <div class="stack">
            {shown.failure !== undefined && <FailureNotice failure={shown.failure} retry={shown.reload} />}
            {open.form === 'synonyms' ? (
              <SynonymForm shown={shown} query={open.query} onDone={close} />
            ) : (
              <RedirectForm shown={shown} query={open.query} onDone={close} />
            )}
          </div>
        </Dialog>
      )}
    </>
  );
}

const SEEN: readonly Column<LackingTerm>[] = [
  { title: t.shops.searches, kind: 'number', cell: ({ count }) => formatNumber(count) },
  { title: t.shops.sessions, kind: 'number', cell: ({ sessions }) => formatNumber(sessions) },
  { title: t.shops.lastSeen, cell: ({ lastSeen }) => formatDay(lastSeen) },
];

const FIGURES: readonly Column<TermFigures>[] = [
  { title: t.shops.searches, kind: 'number', cell: ({ totalQueries }) => formatNumber(totalQueries) },
  { title: t.shops.clickRate, kind: 'number', cell: ({ clickThroughRate }) => formatShare(clickThroughRate) },
  { title: t.shops.cartRate, kind: 'number', cell: ({ addToCartRate }) => formatShare(addToCartRate) },
  { title: t.shops.conversion, kind: 'number', cell: ({ conversionRate }) => formatShare(conversionRate) },
  { title: t.shops.pieces, kind: 'number', cell: ({ totalPurchases }) => formatNumber(totalPurchases) },
  { title: t.shops.revenue, kind: 'number', cell: ({ totalRevenue }) => moneyOf(totalRevenue) },
];
