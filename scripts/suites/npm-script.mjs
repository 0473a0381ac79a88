import { npm, run } from '../command.mjs';
import { settle } from './tally.mjs';

const CLOSING = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;
const TROUBLE = /^FAILED {2}(.+)$/;

/** The result of `npm test`, read from its output: the closing line, and the troubles above it. */
export function readTests(lines, exitCode) {
  const [, passed, failed, skipped = 0] = lines.findLast((line) => CLOSING.test(line))?.match(CLOSING) ?? [0, 0, 0];
  const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
  return { ...settle(counts, exitCode), troubles: troublesOf(lines) };
}

/** The same of `npm run lint`, which counts nothing: each check that found faults is one that failed. */
export function readChecks(lines, exitCode) {
  const troubles = troublesOf(lines);
  const counts = { passed: 0, failed: troubles.length, skipped: 0, troubles };
  return exitCode === 0 ? counts : settle(counts, exitCode);
}

const troublesOf = (lines) => lines.flatMap((line) => TROUBLE.exec(line)?.[1] ?? []);

/** Runs a script of package.json as a person would type it, and reads what it came to; `options` are those of `run`. */
export async function runScript(args, read, options = {}) {
  const lines = [];
  const [command, all] = npm(args);
  const exitCode = await run(command, all, { ...options, onLine: (line) => lines.push(line) });
  return read(lines, exitCode);
}
