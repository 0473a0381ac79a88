import { spawn, spawnSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { SetupFailure } from './failure.mjs';
import { ROOT } from './paths.mjs';

/**
 * Runs a command with the terminal shared. Resolves to its exit code; a signal counts as 1. Where `onLine` takes what
 * the command prints, `isShown` says whether the terminal gets it too. One that `yields`, with all that it starts, takes
 * the processor when nothing else wants it.
 */
export function run(command, args, { env = {}, onLine, isShown = true, cwd = ROOT, yields = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', onLine ? 'pipe' : 'inherit', 'inherit'],
    });
    child.on('error', (error) => reject(new SetupFailure(`${command} could not be started: ${error.message}`)));
    if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    if (onLine) forwardLines(child.stdout, onLine, isShown);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** Runs a command apart from the terminal. Resolves to its exit code and to all that it said, on both streams. */
export function runApart(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
    }
    child.on('error', (error) => reject(new SetupFailure(`${command} could not be started: ${error.message}`)));
    child.on('close', (code) => resolve({ exitCode: code ?? 1, said }));
  });
}

/** As `run`, but anything but success ends the set-up with what failed. */
export async function mustRun(command, args, options) {
  const code = await run(command, args, options);
  if (code !== 0) throw new SetupFailure(`"${[command, ...args].join(' ')}" failed with exit code ${code}.`);
}

/** Returns the output of a command, or null when it is missing, fails, or says more than `bytesMax`. */
export function output(command, args, { cwd = ROOT, bytesMax = 2 ** 20 } = {}) {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: bytesMax });
  return result.status === 0 ? result.stdout.trim() : null;
}

/** The npm that started us, run on the Node that runs it, so that no shell is needed on any system. */
export function npm(args) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) return [process.env.npm_node_execpath ?? process.execPath, [cli, ...args]];
  return ['npm', args];
}

function forwardLines(stream, onLine, isShown) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    if (isShown) process.stdout.write(text);
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    lines.forEach(onLine);
  });
  stream.on('end', () => rest && onLine(rest));
}
