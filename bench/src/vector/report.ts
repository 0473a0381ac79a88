import { type Better, compare, type Row, type Target } from '../row.ts';
import type { Curve, Point } from './curve.ts';
import type { QuerySet } from './engine.ts';
import type { Engine } from './measured-engine.ts';

/** A target of the definitions; absent members match everything. */
export interface TargetDefinition extends Target {
  metric: string;
  sets?: string[];
  recalls?: number[];
  passRates?: number[];
  /** Engines by name, `other` for any that no earlier target names, `best` for the row of the best one. */
  peers?: string[] | 'other' | 'best';
}

/** The subject of a row, for its target. */
export interface Subject {
  metric: string;
  recall?: number;
  passRate?: number;
  /** The name of an engine, or `best`. */
  peer?: string;
}

/** The first target that matches. */
export function targetOf(targets: readonly TargetDefinition[], set: string, subject: Subject): Target | undefined {
  const { recall, passRate, peer } = subject;
  const found = targets.find(
    (target) =>
      target.metric === subject.metric &&
      (target.sets?.includes(set) ?? true) &&
      (recall === undefined || (target.recalls?.includes(recall) ?? true)) &&
      (passRate === undefined || (target.passRates?.includes(passRate) ?? true)) &&
      matchesPeer(target.peers, peer),
  );
  return found && { reach: found.reach, chase: found.chase };
}

function matchesPeer(peers: TargetDefinition['peers'], peer: string | undefined): boolean {
  if (peers === undefined) return true;
  if (peers === 'other') return peer !== undefined && peer !== 'best';
  if (peers === 'best') return peer === 'best';
  return peer !== undefined && peers.includes(peer);
}

/** One figure of a report. */
export interface Figure {
  subject: Subject;
  /** With the unit last. */
  text: string;
  better: Better;
  ours: number | null;
  peer?: string | null;
  theirs?: number | null;
  recall?: number | null;
  /** In place of the quotient of both figures: the median of the rounds' ratios. */
  ratio?: number | null;
}

/** All that was measured of one engine's recall and rate. */
export interface EngineCurve {
  set: string;
  queries: QuerySet;
  engine: string;
  points: Point[];
}

/** On one line: recall and rate at each effort. */
export function curveText({ set, queries, engine, points }: EngineCurve): string {
  const each = points.map(({ ef, recall, qps }) => `${ef}: ${recall.toFixed(3)} ${Math.round(qps)}`);
  return `${set}, ${queries}, ${engine} (effort: recall QPS): ${each.join(', ')}`;
}

/** The rows of one set, as they are measured. */
export class Report {
  readonly rows: Row[] = [];
  readonly notes: string[] = [];
  readonly curves: EngineCurve[] = [];
  readonly #set: { name: string; title: string };
  readonly #targets: readonly TargetDefinition[];

  constructor(set: { name: string; title: string }, targets: readonly TargetDefinition[]) {
    this.#set = set;
    this.#targets = targets;
  }

  add({ subject, text, better, ours, peer = null, theirs = null, recall = null, ratio }: Figure): void {
    const row = compare(text, better, ours, peer, theirs, recall === null ? null : Number(recall.toFixed(4)));
    const target = targetOf(this.#targets, this.#set.name, subject);
    this.rows.push({
      set: this.#set.title,
      ...row,
      ...(ratio !== undefined && { ratio }),
      ...(target && { target }),
    });
  }

  addCurves(queries: QuerySet, curves: ReadonlyMap<Engine, Curve>): void {
    for (const [{ name }, curve] of curves) {
      this.curves.push({ set: this.#set.title, queries, engine: name, points: curve.medians() });
    }
  }

  note(line: string): void {
    this.notes.push(`${this.#set.title}: ${line}`);
  }

  /** Tells of engines that ended before their time. */
  noteFailures(engines: readonly Engine[]): void {
    for (const { failure } of engines) if (failure !== null) this.note(failure);
  }
}
