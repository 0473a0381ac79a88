import type { StorageEngine } from '@pelorus/engine';

type Held = { method: keyof StorageEngine; reach: () => void; opened: Promise<void> };

/** Stops a call on its way to the real engine for as long as a test wants, so that others meet it there. */
export class Gate {
  #held: Held | undefined;

  /** The engine behind this gate. */
  before(engine: StorageEngine): StorageEngine {
    return new Proxy(engine, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          const held = this.#held;
          if (held?.method !== name) return member.apply(target, args);
          this.#held = undefined;
          held.reach();
          return held.opened.then(() => member.apply(target, args));
        };
      },
    });
  }

  /** Stops the next call of `method`: `reached` resolves when it has come, `open` lets it through. */
  hold(method: Held['method']): { reached: Promise<void>; open: () => void } {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    this.#held = { method, reach, opened };
    return { reached, open };
  }
}
