/** A terminal's Ctrl-C reaches us twice: from the terminal and passed on by npm. Both are one wish. */
const SAME_WISH_MS = 300;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `stop` at the first signal that asks for an end, then ends the process with code 0. A second
 * signal does not wait: it ends the process at once. Nothing acknowledged is lost either way.
 */
export function stopOnSignal(stop: () => Promise<void>, say: (text: string) => void): void {
  let asked: number | undefined;
  const onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    const now = performance.now();
    if (asked !== undefined) {
      if (now - asked > SAME_WISH_MS) process.exit(1);
      return;
    }
    asked = now;
    say(`${signal}: finishing what is under way; once more to quit at once`);
    try {
      await stop();
      process.exit(0);
    } catch (error) {
      say(`stopping failed: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, (received) => void onSignal(received));
}
