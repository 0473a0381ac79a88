import { useMemo, useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Skeleton } from '../../parts/empty.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { TableScroll } from '../../parts/table-scroll.js';
import {
  compareRankings,
  isRough,
  leadOf,
  meanJudgedPart,
  outcomeOf,
  type QueryComparison,
} from '../../relevance/comparison.js';
import { useStore } from '../../store.js';
import { formatPart, t } from '../../strings/strings.js';
import { type ComparisonRun, type FoundIds, SIDES } from './comparison-run.js';
import { FiguresTable, figure, signed } from './figures-table.js';
import type { JudgedQuery } from './judged-queries.js';
import { KeepWinner } from './keep-winner.js';
import { QueryHits } from './query-hits.js';
import type { SetEditor } from './set-editor.js';
import { useMetrics } from './use-metrics.js';

/** A query of the run with its figures by the grades of now. */
interface Row {
  readonly query: JudgedQuery;
  readonly found: FoundIds;
  readonly comparison: QueryComparison;
  readonly outcome: Outcome;
}

const OUTCOMES = ['lost', 'won', 'tied', 'unjudged', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** Rows that are drawn at first, and with each further step. */
const ROWS = 100;

/** The outcome of a comparison: means of all queries, and each query with its hits. */
export function ComparisonResult({ editor, run }: { editor: SetEditor; run: ComparisonRun }) {
  const { queries } = useStore(editor.state);
  const rows = useMemo(() => rowsOf(queries, run), [queries, run]);
  const metrics = useMetrics(useMemo(() => rows.map(({ comparison }) => comparison), [rows]));
  const [opened, setOpened] = useState<string>();
  const row = rows.find(({ query }) => query.q === opened);
  const count = rows.filter(({ comparison }) => comparison !== undefined).length;
  const lead = metrics && leadOf(metrics.ndcg.difference, count);
  return (
    <>
      <section class="panel" aria-label={t.relevance.figures}>
        <header class="panel-head">
          <h2>{t.relevance.figures}</h2>
          <p class="field-hint">{t.relevance.figuresOf(count, rows.length)}</p>
        </header>
        {count > 0 && metrics === undefined ? (
          <Skeleton lines={3} />
        ) : count === 0 || metrics === undefined ? (
          <div class="panel-body">
            <Notice tone="info" title={t.relevance.noFigures}>
              {t.relevance.noFiguresHint}
            </Notice>
          </div>
        ) : (
          <FiguresTable metrics={metrics} depth={run.depth} count={count} />
        )}
        <p class="panel-body field-hint">
          {SIDES.map((side) =>
            t.relevance.judgedPart(t.relevance.sides[side], formatPart(judgedPartOf(rows, side))),
          ).join(' ')}{' '}
          {t.relevance.method95} {isRough(count) && t.relevance.few}
        </p>
      </section>
      {lead !== undefined && run.end === 'done' && <KeepWinner key={lead.side} {...lead} {...{ run, count }} />}
      <QueryTable rows={rows} opened={opened} onOpen={(q) => setOpened(q === opened ? undefined : q)} />
      {row !== undefined && (
        <QueryHits key={row.query.q} editor={editor} run={run} query={row.query} found={row.found} />
      )}
    </>
  );
}

function rowsOf(queries: readonly JudgedQuery[], { found, depth }: ComparisonRun): readonly Row[] {
  return queries.flatMap((query): Row[] => {
    const ids = found.get(query.q);
    if (ids === undefined) return [];
    if ('message' in ids) return [{ query, found: ids, comparison: undefined, outcome: 'failed' }];
    const comparison = compareRankings(ids[0], ids[1], query.grades, depth);
    const outcome = comparison === undefined ? 'unjudged' : outcomeOf(comparison, 'ndcg');
    return [{ query, found: ids, comparison, outcome }];
  });
}

function judgedPartOf(rows: readonly Row[], side: 0 | 1): number {
  return meanJudgedPart(
    rows.flatMap(({ found, query }) => ('message' in found ? [] : [[found[side], query.grades] as const])),
  );
}

interface QueryTableProps {
  readonly rows: readonly Row[];
  readonly opened: string | undefined;
  readonly onOpen: (q: string) => void;
}

/** Each query with its figures, those that lost most first. */
function QueryTable({ rows, opened, onOpen }: QueryTableProps) {
  const [shown, setShown] = useState<Outcome | 'all'>('all');
  const [count, setCount] = useState(ROWS);
  const chosen = useMemo(() => {
    const differenceOf = ({ comparison }: Row) =>
      comparison === undefined ? Number.POSITIVE_INFINITY : comparison[1].ndcg - comparison[0].ndcg;
    return rows
      .filter(({ outcome }) => shown === 'all' || outcome === shown)
      .toSorted((a, b) => differenceOf(a) - differenceOf(b) || 0);
  }, [rows, shown]);
  return (
    <section class="panel" aria-label={t.relevance.byQuery}>
      <header class="panel-head">
        <h2>{t.relevance.byQuery}</h2>
        <div class="outcome-choice">
          <Field label={t.relevance.show}>
            {(control) => (
              <select
                {...control}
                value={shown}
                onChange={({ currentTarget }) => {
                  setShown(currentTarget.value as Outcome | 'all');
                  setCount(ROWS);
                }}
              >
                {(['all', ...OUTCOMES] as const).map((one) => (
                  <option key={one} value={one}>
                    {t.relevance.outcomesOf[one]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
      </header>
      <TableScroll label={t.relevance.queryTable}>
        <thead>
          <tr>
            <th scope="col">{t.relevance.query}</th>
            <th scope="col">{t.relevance.outcome}</th>
            {(['ndcg', 'recall', 'reciprocalRank'] as const).map((metric) => (
              <th key={metric} scope="col" class="number">
                {t.relevance.metricOfBoth(t.relevance.metrics[metric])}
              </th>
            ))}
            <th scope="col" class="number">
              {t.relevance.ndcgDifference}
            </th>
          </tr>
        </thead>
        <tbody>
          {chosen.slice(0, count).map(({ query: { q }, comparison, outcome }) => (
            <tr key={q}>
              <td class="query-cell">
                <button type="button" class="query-button" aria-expanded={q === opened} onClick={() => onOpen(q)}>
                  {q}
                </button>
              </td>
              <td>
                <span class={`badge outcome-${outcome}`}>{t.relevance.outcomes[outcome]}</span>
              </td>
              {(['ndcg', 'recall', 'reciprocalRank'] as const).map((metric) => (
                <td key={metric} class="number">
                  {comparison === undefined
                    ? '–'
                    : `${figure(comparison[0][metric])} / ${figure(comparison[1][metric])}`}
                </td>
              ))}
              <td class="number">{comparison === undefined ? '–' : signed(comparison[1].ndcg - comparison[0].ndcg)}</td>
            </tr>
          ))}
        </tbody>
      </TableScroll>
      {chosen.length === 0 && <p class="panel-body muted">{t.relevance.nothingShown}</p>}
      {chosen.length > count && (
        <p class="panel-body">
          <Button size="small" onClick={() => setCount(count + ROWS)}>
            {t.relevance.showMore(Math.min(ROWS, chosen.length - count))}
          </Button>
        </p>
      )}
    </section>
  );
}
