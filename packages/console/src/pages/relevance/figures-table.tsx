import { TableScroll } from '../../parts/table-scroll.js';
import {
  DECIDING_MIN,
  METRICS,
  type Metric,
  type MetricComparison,
  type Verdict,
  verdictOf,
} from '../../relevance/comparison.js';
import type { Estimate } from '../../relevance/paired-bootstrap.js';
import { formatFigure, t } from '../../strings/strings.js';

interface FiguresTableProps {
  readonly metrics: Readonly<Record<Metric, MetricComparison>>;
  readonly depth: number;
  /** Queries that have figures. */
  readonly count: number;
}

/** Means of all metrics with their intervals, and what they say. */
export function FiguresTable({ metrics, depth, count }: FiguresTableProps) {
  const [first, second] = t.relevance.sides;
  return (
    <TableScroll label={t.relevance.figureTable}>
      <thead>
        <tr>
          <th scope="col">{t.relevance.metric}</th>
          <th scope="col">{t.relevance.verdict}</th>
          <th scope="col" class="number">
            {first}
          </th>
          <th scope="col" class="number">
            {second}
          </th>
          <th scope="col" class="number">
            {t.relevance.difference}
          </th>
          <th scope="col" class="number">
            {t.relevance.wonLostTied}
          </th>
        </tr>
      </thead>
      <tbody>
        {METRICS.map((metric) => {
          const { first: a, second: b, difference, won, lost, tied } = metrics[metric];
          return (
            <tr key={metric}>
              <th scope="row">{metric === 'recall' ? t.relevance.recallAt(depth) : t.relevance.metrics[metric]}</th>
              <td>{verdictText(verdictOf(difference, count))}</td>
              <td class="number">
                <Interval estimate={a} show={figure} hasBounds={count > 1} />
              </td>
              <td class="number">
                <Interval estimate={b} show={figure} hasBounds={count > 1} />
              </td>
              <td class="number">
                <Interval estimate={difference} show={signed} hasBounds={count > 1} />
              </td>
              <td class="number">{t.relevance.outcomeCounts(won, lost, tied)}</td>
            </tr>
          );
        })}
      </tbody>
    </TableScroll>
  );
}

interface IntervalProps {
  readonly estimate: Estimate;
  readonly show: (value: number) => string;
  /** False where there is one query alone: nothing can be drawn from it. */
  readonly hasBounds: boolean;
}

function Interval({ estimate: { mean, low, high }, show, hasBounds }: IntervalProps) {
  return (
    <>
      <strong>{show(mean)}</strong>
      {hasBounds && <span class="interval">{t.relevance.interval(show(low), show(high))}</span>}
    </>
  );
}

function verdictText(verdict: Verdict): string {
  const [first, second] = t.relevance.sides;
  switch (verdict) {
    case 'first':
    case 'second':
      return t.relevance.better(verdict === 'first' ? first : second);
    case 'maybeFirst':
    case 'maybeSecond':
      return t.relevance.maybeBetter(verdict === 'maybeFirst' ? first : second);
    case 'tooFew':
      return t.relevance.tooFew(DECIDING_MIN);
    default:
      return t.relevance.chance;
  }
}

export const figure = (value: number): string => formatFigure(value);

/** A difference with its sign; one that is shown as 0 has none. */
export function signed(value: number): string {
  const shown = formatFigure(Math.abs(value));
  if (shown === formatFigure(0)) return shown;
  return `${value > 0 ? '+' : '−'}${shown}`;
}
