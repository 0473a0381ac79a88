import type { Controls } from './control.ts';
import type { Engine } from './measured-engine.ts';
import type { NamedSet, Plan } from './plan.ts';
import type { Report } from './report.ts';

/** The parts that every measurement of a set works with. */
export interface Measurement {
  set: NamedSet;
  /** The data set's folder. */
  directory: string;
  /** The folder of our index. */
  folder: string;
  plan: Plan;
  ours: Engine;
  peers: readonly Engine[];
  controls: Controls;
  report: Report;
  say(line: string): void;
}
