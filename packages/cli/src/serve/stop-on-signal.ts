import { exit } from './exit.js';

/** A terminal's Ctrl-C reaches us twice: from the terminal and passed on by npm. Both are one wish. */
const SAME_WISH_MS = 300;

/** Time between two looks at our parent. */
const ORPHAN_CHECK_MS = 200;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `stop` at the first signal that asks for an end, then ends the process with code 0. A second
 * signal does not wait: it ends the process at once. Nothing acknowledged is lost either way.
 * Behind npm the end of npm is a signal too.
 */
export function stopOnSignal(stop: () => Promise<void>, say: (text: string) => void): void {
  let asked: number | undefined;
  const onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    const now = performance.now();
    if (asked !== undefined) {
      if (now - asked > SAME_WISH_MS) exit(1);
      return;
    }
    asked = now;
    say(`${signal}: finishing what is under way; once more to quit at once`);
    try {
      await stop();
      exit(0);
    } catch (error) {
      say(`stopping failed: ${error instanceof Error ? error.message : String(error)}`);
      exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, (received) => void onSignal(received));
  // After a Ctrl-C the shell ends too: that is no second signal.
  if (isRunByNpm(process.env)) onceOrphaned(() => asked === undefined && void onSignal('SIGTERM'));
}

/**
 * Tells whether npm has a shell run the command, alone and in the foreground: `npx pelorus serve`, or a script of a
 * package that is this command. A server that a script leaves in the background outlives its shell by design.
 */
export function isRunByNpm({ npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv): boolean {
  return /^'?pelorus(?:'|\s|$)[^&;|]*$/.test(script);
}

/** npm passes a SIGTERM to the shell between us, and that one dies without a word: its end is the signal. */
function onceOrphaned(act: () => unknown): void {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    act();
  }, ORPHAN_CHECK_MS);
  check.unref();
}
