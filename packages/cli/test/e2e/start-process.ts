import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { endGroup, isGroupAlive } from '../../../../scripts/processes/process-group.mjs';

const WATCHDOG = fileURLToPath(new URL('../../../../scripts/processes/watchdog.mjs', import.meta.url));

const running = new Set<number>();
let watchdog: ChildProcess | undefined;

/**
 * Starts a process that never outlives the tests of this file, with all that it starts itself: processes of a failed
 * test are ended after the last one, and a watchdog ends those of a run that was killed.
 */
export function startProcess(command: string, args: string[], options: SpawnOptions): ChildProcess {
  watchdog ??= startWatchdog();
  // A group of its own, so that npm and the server behind it are ended alike.
  const child = spawn(command, args, { ...options, detached: process.platform !== 'win32' });
  const { pid } = child;
  if (pid === undefined) return child;
  running.add(pid);
  watchdog.stdin?.write(`+${pid}\n`);
  child.once('exit', () => {
    if (!isGroupAlive(pid)) forget(pid);
  });
  return child;
}

afterAll(() => {
  for (const pid of running) {
    endGroup(pid);
    forget(pid);
  }
});

/** The number may soon belong to a process of somebody else. */
function forget(pid: number): void {
  running.delete(pid);
  watchdog?.stdin?.write(`-${pid}\n`);
}

function startWatchdog(): ChildProcess {
  const child = spawn(process.execPath, [WATCHDOG], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
  child.unref();
  return child;
}
