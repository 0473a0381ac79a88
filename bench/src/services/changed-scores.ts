import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { medianRatio } from '../vector/rounds.ts';
import type { Entrant } from './entrant.ts';
import type { Field } from './field.ts';
import type { Generator, Request } from './generator.ts';
import { type Load, loadOf } from './load.ts';
import { SCORE_KINDS, type ScoreKind, type Scores, scoredDocuments, WORDS } from './scored.ts';

const BATCH = 128;
const READY = 16;

export interface ScoredPlan {
  /** Documents whose scores are changed; all match. */
  scored: number;
  rounds: number;
  seconds: number;
  addConnections: number;
  warmUpSearches: number;
}

/** One way in which one service changes scores, with its figures. */
class Way {
  readonly title: string;
  readonly entrant: Entrant;
  /** Scores that are not changed are the same in all ways of a service. */
  readonly isFirst: boolean;
  readonly loads = new Map<ScoreKind, Load[]>();
  readonly hits = new Map<ScoreKind, number[][]>();
  readonly #scores: Scores;
  readonly #spelling: string;

  constructor(entrant: Entrant, scores: Scores, spelling: string) {
    const { title } = entrant.service;
    this.title = spelling === title ? title : `${title}, ${spelling}`;
    this.entrant = entrant;
    this.isFirst = scores.spellings[0] === spelling;
    this.#scores = scores;
    this.#spelling = spelling;
  }

  requests(kind: ScoreKind): Request[] {
    return WORDS.map((word) => this.#scores.search(kind, word, this.#spelling));
  }
}

/** Searches by words that all documents hold, with scores changed by their fields, beside services that can do so. */
export async function measureScores(
  field: Field,
  generator: Generator,
  plan: ScoredPlan,
  say: (line: string) => void,
): Promise<Row[]> {
  const ways = await field.each(async (entrant) => {
    const { scores } = entrant.service;
    if (scores === undefined) return [];
    say(`${entrant.service.title} adds ${plan.scored} documents whose scores are changed`);
    await fill(entrant, scores, generator, plan);
    const made = scores.spellings.map((spelling) => new Way(entrant, scores, spelling));
    for (const way of made) await prepare(way, generator, plan);
    return made;
  });
  for (let round = 1; round <= plan.rounds; round += 1) {
    say(`changed scores, round ${round} of ${plan.rounds}`);
    for (const kind of SCORE_KINDS) {
      await field.each(async (entrant) => {
        for (const way of ways.get(entrant) ?? []) {
          const load = await loadOf(generator, entrant.service, 0, way.requests(kind), 1, plan.seconds);
          way.loads.set(kind, [...(way.loads.get(kind) ?? []), load]);
        }
      }, round);
    }
  }
  const [ours] = ways.get(field.ours) ?? [];
  if (ours === undefined) return [];
  const others = field.peers.flatMap((peer) => ways.get(peer) ?? []);
  const rows = SCORE_KINDS.flatMap((kind) => rowsOf(kind, ours, others));
  return rows.map((row) => ({ ...row, set: `${plan.scored} matches` }));
}

async function fill(
  { service }: Entrant,
  scores: Scores,
  generator: Generator,
  { scored, addConnections: connections }: ScoredPlan,
): Promise<void> {
  await scores.create();
  const { wire, port } = service;
  const step = BATCH * READY;
  for (let first = 0; first < scored; first += step) {
    const starts = Array.from({ length: READY }, (_, at) => first + at * BATCH).filter((start) => start < scored);
    const batches = starts.map((start) => scoredDocuments(start, Math.min(start + BATCH, scored)));
    const requests = batches.map((batch) => scores.addition(batch));
    const order = { wire, port, greeting: [], requests, connections, seconds: null, keepsAnswers: true } as const;
    const { answers } = await generator.send(order);
    for (const answer of answers) service.checkAdded(Buffer.from(answer));
  }
  await scores.settle();
}

/** Looks at what each kind finds, and warms up. */
async function prepare(way: Way, generator: Generator, { warmUpSearches }: ScoredPlan): Promise<void> {
  const { service } = way.entrant;
  const { wire, port } = service;
  for (const kind of SCORE_KINDS) {
    const searches = way.requests(kind);
    const requests = Array.from({ length: warmUpSearches }, (_, at) => searches[at % searches.length] as Request);
    const order = { wire, port, greeting: [], requests, connections: 2, seconds: null, keepsAnswers: true } as const;
    const { answers } = await generator.send(order);
    const found = answers.slice(0, searches.length).map((answer) => service.idsOf(Buffer.from(answer)));
    if (found.some((ids) => ids.length === 0)) throw new Error(`${way.title} finds nothing with ${kind}`);
    way.hits.set(kind, found);
  }
}

function rowsOf(kind: ScoreKind, ours: Way, others: readonly Way[]): Row[] {
  const figures = (way: Way, figure: 'rate' | 'cpu') => (way.loads.get(kind) ?? []).map((load) => load[figure]);
  const row = (other: Way, metric: string, figure: 'rate' | 'cpu'): Row => {
    const [mine, theirs] = [figures(ours, figure), figures(other, figure)];
    const ratio = figure === 'rate' ? medianRatio(mine, theirs) : medianRatio(theirs, mine);
    const middle = (all: readonly (number | null)[]) => {
      const measured = all.filter((value) => value !== null);
      return measured.length === 0 ? null : median(measured);
    };
    const title = `${other.title} (${sameHits(ours.hits.get(kind) ?? [], other.hits.get(kind) ?? [])} same hits)`;
    const better = figure === 'rate' ? 'higher' : 'lower';
    return { ...compare(metric, better, middle(mine), title, middle(theirs)), ratio };
  };
  const shown = others.filter(({ isFirst }) => isFirst || kind !== 'plain');
  return shown.flatMap((other) => [
    row(other, `words, ${kind}, 1 connection (requests/s)`, 'rate'),
    row(other, `words, ${kind}, 1 connection (CPU us of a request)`, 'cpu'),
  ]);
}

/** The share of hits that both have; ties and rounded lengths may part them. */
export function sameHits(ours: readonly (readonly number[])[], theirs: readonly (readonly number[])[]): number {
  const all = ours.flatMap((ids, query) => ids.map((id) => theirs[query]?.includes(id) ?? false));
  return Number((all.filter((isSame) => isSame).length / all.length).toFixed(2));
}
