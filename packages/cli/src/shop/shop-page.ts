import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Call, callerOf } from '../api.js';
import { requireFreePort } from '../serve/free-port.js';
import { MARKUP } from './page-markup.js';
import { STYLE } from './page-style.js';
import { ICON, Pictures } from './pictures.js';

interface ShopPage {
  /** The server's address. */
  readonly address: string;
  /** The name of the shop's index; its events belong to the customer of the same name. */
  readonly name: string;
  readonly indexId: string;
  readonly key: string | undefined;
  readonly port: number;
}

/** The scripts that the page loads, by their paths. */
export type Scripts = ReadonlyMap<string, string>;

/** The key that the page sends events with, by its name. */
const KEY_NAME = 'page of the sample shop';
const SCRIPT = 'text/javascript; charset=utf-8';
const PICTURE = 'image/svg+xml';

/**
 * Serves a page that searches a shop and, once its visitor agrees, tells the server what they do: a shop's own site, on an
 * origin of its own. Resolves when it can be opened.
 */
export async function serveShopPage({ address, name, indexId, key, port }: ShopPage): Promise<void> {
  await requireFreePort('127.0.0.1', port);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const trackingKey = await trackingKeyOf(callerOf(address, key), name, origin);
  server.on('request', answersOf(pageOf({ address, name, indexId, trackingKey }), scripts(), address));
  console.log(`The shop is open at ${origin}\nIts figures: ${address}/console/#/shops/${encodeURIComponent(name)}`);
}

/** The tracker, and the modules of the page as they were compiled. */
function scripts(): Scripts {
  const folder = new URL('page/', import.meta.url);
  const modules = readdirSync(folder).filter((file) => file.endsWith('.js'));
  return new Map([
    ['/tracker.js', readFileSync(fileURLToPath(import.meta.resolve('@pelorus/tracker/tracker.js')), 'utf8')],
    ...modules.map((file): [string, string] => [`/page/${file}`, readFileSync(new URL(file, folder), 'utf8')]),
  ]);
}

/** Answers for the page, with any query, and for what it loads; 404 for all else. */
export function answersOf(page: string, scripts: Scripts, address: string): RequestListener {
  const pictures = new Pictures();
  const headers = { 'content-security-policy': policyOf(address), 'x-content-type-options': 'nosniff' };
  const files = new Map<string, readonly [type: string, body: string]>([
    ['/', ['text/html; charset=utf-8', page]],
    ['/page.css', ['text/css; charset=utf-8', STYLE]],
    ['/icon.svg', [PICTURE, ICON]],
    ...[...scripts].map(([path, script]) => [path, [SCRIPT, script]] as const),
  ]);
  return ({ url = '/' }, response) => {
    const path = url.split('?', 1)[0] ?? '/';
    const [type, body] = files.get(path) ?? [PICTURE, pictureOf(pictures, path)];
    if (body === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': type, ...headers }).end(body);
  };
}

/** The picture at a path: of a product by its id, or of a department by its name. */
function pictureOf(pictures: Pictures, path: string): string | undefined {
  const [, folder, name = ''] = /^\/(pictures|departments)\/([\w%-]+)\.svg$/.exec(path) ?? [];
  if (folder === 'pictures') return pictures.ofProduct(name);
  try {
    return folder === undefined ? undefined : pictures.ofShelf(decodeURIComponent(name));
  } catch {
    // A percent sign without its digits.
    return undefined;
  }
}

/** A secret that pages of `origin` may send events with. One made for an earlier page is replaced. */
async function trackingKeyOf(call: Call, customerId: string, origin: string): Promise<string> {
  const { results } = (await call('GET', '/api/v2/keys')) as { results: { id: string; name: string }[] };
  for (const { id } of results.filter((one) => one.name === KEY_NAME)) await call('DELETE', `/api/v2/keys/${id}`);
  const order = { kind: 'tracking', name: KEY_NAME, customerId, origins: [origin], allowsNoOrigin: false };
  const { secret } = (await call('POST', '/api/v2/keys', order)) as { secret: string };
  return secret;
}

/** The content security policy of the page: it loads what is served beside it, and calls the server, and nothing else. */
function policyOf(address: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${new URL(address).origin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export function pageOf(shop: { address: string; name: string; indexId: string; trackingKey: string }): string {
  return MARKUP.replace('{shop}', () => JSON.stringify(shop).replaceAll('<', '\\u003c'));
}
