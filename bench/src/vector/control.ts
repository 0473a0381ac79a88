import type { Control } from './engine.ts';
import type { Engine } from './measured-engine.ts';

/** Past this change of the control's speed within a set, its figures are marked. */
const DRIFT_MAX = 0.15;

/** The speed of a fixed piece of work over the time of a measurement. */
export class Controls {
  readonly #engine: Engine;
  readonly #times: Control[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async take(): Promise<void> {
    const time = await this.#engine.ask<Control>({ op: 'control' });
    if (time !== null) this.#times.push(time);
  }

  /** The largest relative change; 0 when it was not taken twice. */
  get drift(): number {
    const spread = (values: number[]) => (values.length > 1 ? Math.max(...values) / Math.min(...values) - 1 : 0);
    const { scanSeconds, multiplySeconds } = this;
    return Math.max(spread(scanSeconds), spread(multiplySeconds));
  }

  get isDisturbed(): boolean {
    return this.drift > DRIFT_MAX;
  }

  private get scanSeconds(): number[] {
    return this.#times.map((time) => time.scanSeconds);
  }

  private get multiplySeconds(): number[] {
    return this.#times.map((time) => time.multiplySeconds);
  }
}
