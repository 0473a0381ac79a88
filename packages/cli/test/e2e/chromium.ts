import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { emptyFolder } from './server-process.js';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium: the one that `PELORUS_CHROMIUM` names, else the first on the path; undefined where there is none. */
export function findChromium(): string | undefined {
  const { PELORUS_CHROMIUM: named, PATH = '' } = process.env;
  if (named) return named;
  return PATH.split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(canRun);
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The flags of every browser of a test. */
export const chromiumFlags = [
  '--headless',
  '--no-first-run',
  '--disable-gpu',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-dev-shm-usage',
  // Its sandbox needs rights that a container seldom has; the pages are ours.
  '--no-sandbox',
  '--host-resolver-rules=MAP evil.test 127.0.0.1',
];

/** Time that the scripts of a page may run before its text is taken, in milliseconds of the page's own clock. */
const scriptsMaxMs = 5_000;

/** Opens `url` in a browser of its own, without a window, and returns the page as its scripts have left it. */
export async function readPage(chromium: string, url: string): Promise<string> {
  const dump = [`--virtual-time-budget=${scriptsMaxMs}`, '--dump-dom', url];
  return withBrowser(chromium, dump, (browser) => text(browser.stdout as Readable));
}

/** Opens `url` in a browser of its own, without a window, for as long as it takes `outcome` to come. */
export async function visitPage<Outcome>(chromium: string, url: string, outcome: Promise<Outcome>): Promise<Outcome> {
  // With a pipe for debugging it stays until it is ended, or until whoever holds the other end is gone.
  return withBrowser(chromium, ['--remote-debugging-pipe', url], async (browser) => {
    const ended = once(browser, 'close').then(() => Promise.reject(new Error(`${chromium} ended before its page did`)));
    return Promise.race([outcome, ended]);
  });
}

async function withBrowser<Outcome>(
  chromium: string,
  args: readonly string[],
  work: (browser: ChildProcess) => Promise<Outcome>,
): Promise<Outcome> {
  const profile = emptyFolder('chromium');
  const browser = spawn(chromium, [...chromiumFlags, `--user-data-dir=${profile}`, ...args], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe'],
    // The browser is a family of processes: they are ended as one.
    detached: true,
  });
  const ended = once(browser, 'close');
  try {
    return await work(browser);
  } finally {
    endGroup(browser.pid as number);
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Ends a browser, which is a family of processes. */
export function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
