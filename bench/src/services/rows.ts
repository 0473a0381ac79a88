import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH } from '../paths.ts';
import { median } from '../quantile.ts';
import { type Better, compare, type Row } from '../row.ts';
import { medianRatio } from '../vector/rounds.ts';
import type { Entrant } from './entrant.ts';
import type { Field } from './field.ts';
import type { Load } from './load.ts';
import type { Workload } from './service.ts';

interface NamedTarget {
  workload: Workload;
  figure: keyof Load;
  connections: number;
  /** The beginning of the name of a service; null for the best of them. */
  peer: string | null;
  reach: number;
  chase: number;
}

const TARGETS = JSON.parse(
  readFileSync(join(BENCH, 'definitions', 'services-targets.json'), 'utf8'),
) as readonly NamedTarget[];

const FIGURES: readonly { figure: keyof Load; unit: string; better: Better }[] = [
  { figure: 'rate', unit: 'requests/s', better: 'higher' },
  { figure: 'p99', unit: 'p99, ms', better: 'lower' },
  { figure: 'cpu', unit: 'CPU us of a request', better: 'lower' },
];

export const cellOf = (workload: Workload, connections: number) => `${workload}, ${connections}`;

/** Ours beside each service that has a workload; medians over rounds. */
export function loadRows({ ours, peers }: Field, workload: Workload, connections: number): Row[] {
  const cell = cellOf(workload, connections);
  const title = `${workload}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`;
  return FIGURES.flatMap(({ figure, unit, better }) => {
    const mine = figuresOf(ours, cell, figure);
    const metric = `${title} (${unit})`;
    const recall = ours.recalls.get(workload) ?? null;
    if (peers.length === 0) return [compare(metric, better, middle(mine), null, null, recall)];
    const rows = peers
      .filter((peer) => peer.has(workload))
      .map((peer) => {
        const theirs = figuresOf(peer, cell, figure);
        const ratio = better === 'higher' ? medianRatio(mine, theirs) : medianRatio(theirs, mine);
        const beside = compare(metric, better, middle(mine), peer.titleIn(workload), middle(theirs), recall);
        return { ...beside, ratio };
      });
    const targets = TARGETS.filter(
      (each) => each.workload === workload && each.figure === figure && each.connections === connections,
    );
    return targets.reduce((aimed, target) => aim(aimed, target), rows);
  });
}

/** The same rows, with a target at the service that it names, or at the one that comes nearest. */
export function aim<R extends Row>(rows: readonly R[], { peer, reach, chase }: NamedTarget): R[] {
  const least = Math.min(...rows.map(({ ratio }) => ratio ?? Number.POSITIVE_INFINITY));
  const isMeant = (row: R) => (peer === null ? row.ratio === least : (row.peer ?? '').startsWith(peer));
  return rows.map((row) => (isMeant(row) ? { ...row, target: { reach, chase } } : row));
}

/** One figure of ours beside that of each service. */
export function besideAll<T>(
  { ours, peers }: Field,
  metric: string,
  better: Better,
  measured: ReadonlyMap<Entrant, T>,
  pick: (each: T) => number | null,
): Row[] {
  const of = (entrant: Entrant) => {
    const found = measured.get(entrant);
    return found === undefined ? null : pick(found);
  };
  const beside = peers.map((peer) => compare(metric, better, of(ours), peer.service.title, of(peer)));
  return beside.length > 0 ? beside : [compare(metric, better, of(ours))];
}

const figuresOf = ({ loads }: Entrant, cell: string, figure: keyof Load) =>
  (loads.get(cell) ?? []).map((load) => load[figure]);

function middle(values: readonly (number | null)[]): number | null {
  const measured = values.filter((value) => value !== null);
  return measured.length === 0 ? null : median(measured);
}
