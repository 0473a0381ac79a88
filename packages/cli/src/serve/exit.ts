import { endProcessAfter } from '@pelorus/engine';

/** Time that Node may take to end its threads. */
const EXIT_MS = 2_000;

/** Ends the process with a code, soon even where a thread hangs in a call of a library: Node alone would wait for it. */
export function exit(code: number): never {
  endProcessAfter(code, EXIT_MS);
  process.exit(code);
}
