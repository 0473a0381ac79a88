import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import { chromiumFlags, endGroup } from './chromium.js';
import { emptyFolder } from './server-process.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Size {
  readonly width: number;
  readonly height: number;
}

type Reply = { readonly id?: number; readonly result?: any; readonly error?: { readonly message: string } };

/** A page of a browser without a window, which a test looks at and acts on through the debugging pipe. */
export class DrivenPage {
  readonly #browser: ChildProcess;
  readonly #profile: string;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #session: string | undefined;
  #last = 0;
  #rest = '';
  /** Errors and refused loads that the browser told of. */
  readonly complaints: string[] = [];
  /** Addresses that the page asked for. */
  readonly requests: string[] = [];

  private constructor(chromium: string) {
    this.#profile = emptyFolder('driven');
    const flags = [...chromiumFlags, '--remote-debugging-pipe', `--user-data-dir=${this.#profile}`, 'about:blank'];
    this.#browser = spawn(chromium, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true });
    (this.#browser.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    this.#browser.once('close', () => {
      for (const resolve of this.#waiting.values()) resolve({ error: { message: 'the browser ended' } });
    });
  }

  /** Opens a browser with an empty page of a size, in light or dark. */
  static async open(chromium: string, size: Size, scheme: 'light' | 'dark' = 'light'): Promise<DrivenPage> {
    const page = new DrivenPage(chromium);
    const { targetId } = await page.#send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await page.#send('Target.attachToTarget', { targetId, flatten: true });
    page.#session = sessionId;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.#send(`${domain}.enable`);
    await page.show(size, scheme);
    return page;
  }

  /** Shows the page in a size, in light or dark. */
  async show(size: Size, scheme: 'light' | 'dark'): Promise<void> {
    const metrics = { ...size, deviceScaleFactor: 1, mobile: size.width < 600 };
    await this.#send('Emulation.setDeviceMetricsOverride', metrics);
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await this.#send('Emulation.setEmulatedMedia', { features });
  }

  /** Breaches of the rules of accessibility that the page has as it is now. */
  async violations(): Promise<unknown[]> {
    // As the debugger says, whose scripts no policy of a page refuses.
    if ((await this.value('typeof axe')) === 'undefined') await this.value(`${AXE}; true`);
    return this.value(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, any }) => [html, any[0]?.message])]))`);
  }

  async goTo(url: string): Promise<void> {
    await this.#send('Page.navigate', { url });
  }

  /** The value of an expression in the page; a promise is awaited. */
  async value(expression: string): Promise<any> {
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.#send('Runtime.evaluate', asked);
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? 'it threw');
    return result.value;
  }

  /** Resolves when an expression holds in the page; only a hang of it is ended, by the time limit of the test. */
  async until(expression: string): Promise<void> {
    while (!(await this.value(`Boolean(${expression})`).catch(() => false))) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Types a text into what has the focus, as a keyboard does. */
  async type(text: string): Promise<void> {
    for (const character of text) await this.#send('Input.dispatchKeyEvent', { type: 'char', text: character });
  }

  /** Writes a picture of the page as a PNG. */
  async picture(file: string): Promise<void> {
    const { data } = await this.#send('Page.captureScreenshot', { format: 'png' });
    writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async close(): Promise<void> {
    const ended = once(this.#browser, 'close');
    endGroup(this.#browser.pid as number);
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  async #send(method: string, params: object = {}): Promise<any> {
    this.#last += 1;
    const id = this.#last;
    const reply = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    const message = { id, method, params, ...(this.#session !== undefined && { sessionId: this.#session }) };
    (this.#browser.stdio[3] as Writable).write(`${JSON.stringify(message)}\0`);
    const { result, error } = await reply;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  #receive(text: string): void {
    const messages = (this.#rest + text).split('\0');
    this.#rest = messages.pop() ?? '';
    for (const message of messages) this.#take(JSON.parse(message));
  }

  #take({ id, method, params, ...reply }: Reply & { readonly method?: string; readonly params?: any }): void {
    if (id !== undefined) {
      this.#waiting.get(id)?.({ id, ...reply });
      this.#waiting.delete(id);
    }
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    if (method === 'Runtime.exceptionThrown') this.complaints.push(params.exceptionDetails.exception?.description);
    if (method === 'Log.entryAdded' && params.entry.level === 'error') {
      this.complaints.push(`${params.entry.text} ${params.entry.url ?? ''}`);
    }
  }
}
