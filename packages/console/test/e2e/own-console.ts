import { rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { emptyFolder, ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { ConsolePage, chromiumPath, openBrowser } from './console-page.js';

/** The server of a group of tests. */
interface ServerOptions {
  /** Flags besides those that every such server has. */
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Fills it before the tests. */
  readonly fill?: (server: ServerProcess) => Promise<unknown>;
}

/** The console of a server of its own, in a browser; both end with the tests. */
export interface OwnConsole {
  readonly server: ServerProcess;
  /** The window that was opened last. */
  readonly shown: ConsolePage;
  /** Opens a place of the console in a new window; of another server where its address is given. */
  readonly open: (place: string, address?: string) => Promise<Page>;
  /** Starts another server, with an empty folder. */
  readonly startOther: (options?: Pick<ServerOptions, 'flags' | 'env'>) => Promise<ServerProcess>;
  /** An empty folder that goes with the tests. */
  readonly folder: () => string;
}

/** Tests of the console in a browser; skipped where there is none. */
export function describeConsole(title: string, options: ServerOptions, tests: (own: OwnConsole) => void): void {
  describe.skipIf(chromiumPath === undefined)(title, () => {
    const folders: string[] = [];
    let server: ServerProcess | undefined;
    let browser: Browser | undefined;
    let shown: ConsolePage | undefined;
    const folder = () => {
      const made = emptyFolder('console');
      folders.push(made);
      return made;
    };
    const startOther = ({ flags = [], env = {} }: Pick<ServerOptions, 'flags' | 'env'> = {}) =>
      ServerProcess.start(['--data', folder(), '--hub', 'none', ...flags], { env });
    beforeAll(async () => {
      server = await startOther(options);
      await options.fill?.(server);
      browser = await openBrowser();
    });
    afterEach(() => shown?.close());
    afterAll(async () => {
      await browser?.close();
      await server?.end();
      for (const made of folders) rmSync(made, { recursive: true, force: true });
    });
    tests({
      ...{ folder, startOther },
      get server() {
        return server as ServerProcess;
      },
      get shown() {
        return shown as ConsolePage;
      },
      open: async (place, address) => {
        shown = await ConsolePage.open(browser as Browser, address ?? (server as ServerProcess).address);
        await shown.go(place);
        return shown.page;
      },
    });
  });
}
