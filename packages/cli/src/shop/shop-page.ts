import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Call, callerOf } from '../api.js';
import { requireFreePort } from '../serve/free-port.js';

interface ShopPage {
  /** The server's address. */
  readonly address: string;
  /** The name of the shop's index; its events belong to the customer of the same name. */
  readonly name: string;
  readonly indexId: string;
  readonly key: string | undefined;
  readonly port: number;
}

/** The key that the page sends events with, by its name. */
const KEY_NAME = 'page of the sample shop';

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
  const tracker = readFileSync(fileURLToPath(import.meta.resolve('@pelorus/tracker/tracker.js')));
  const page = pageOf({ address, name, indexId, trackingKey });
  server.on('request', answersOf(page, tracker, address));
  console.log(
    `The shop is open at ${origin}; its figures: ${address}/api/v1/analytics/summary?customerId=${name}&days=1&context=searches`,
  );
}

/** Answers for the page and its script, with any query; 404 for all else. */
export function answersOf(page: string, tracker: Buffer, address: string): RequestListener {
  const policy = policyOf(page, address);
  return ({ url = '/' }, response) => {
    const path = url.split('?', 1)[0];
    const [type, body] = path === '/tracker.js' ? ['text/javascript', tracker] : ['text/html; charset=utf-8', page];
    if (path !== '/' && path !== '/tracker.js') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': type, ...policy }).end(body);
  };
}

/** A secret that pages of `origin` may send events with. One made for an earlier page is replaced. */
async function trackingKeyOf(call: Call, customerId: string, origin: string): Promise<string> {
  const { results } = (await call('GET', '/api/v2/keys')) as { results: { id: string; name: string }[] };
  for (const { id } of results.filter((one) => one.name === KEY_NAME)) await call('DELETE', `/api/v2/keys/${id}`);
  const order = { kind: 'tracking', name: KEY_NAME, customerId, origins: [origin], allowsNoOrigin: false };
  const { secret } = (await call('POST', '/api/v2/keys', order)) as { secret: string };
  return secret;
}

/** The content security policy of the page: it may run and look as it was written, and call the server. */
function policyOf(page: string, address: string): Record<string, string> {
  const hashes = (tag: string) =>
    [...page.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes('script').join(' ')}`,
    `style-src ${hashes('style').join(' ')}`,
    `connect-src ${new URL(address).origin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return { 'content-security-policy': policy.join('; '), 'x-content-type-options': 'nosniff' };
}

export function pageOf(shop: { address: string; name: string; indexId: string; trackingKey: string }): string {
  return PAGE.replace('{shop}', () => JSON.stringify(shop).replaceAll('<', '\\u003c'));
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>The sample shop</title>
<style>
  body { font: 1rem/1.5 system-ui; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
  input { font: inherit; width: 60% }
  #agree { width: auto }
  li { cursor: pointer; margin: .5rem 0 }
</style>
<h1>The sample shop</h1>
<form><input name="q" placeholder="something warm for a snowy mountain" autofocus> <button>Search</button></form>
<p><label><input type="checkbox" id="agree"> What I do here may be counted</label></p>
<ol></ol>
<script src="/tracker.js"></script>
<script>
  const shop = {shop};
  const tracker = pelorusTracker({ url: shop.address, key: shop.trackingKey, customerId: shop.name, source: 'web_prod' });
  const list = document.querySelector('ol');

  async function search(q) {
    const answer = await fetch(shop.address + '/api/v1/indexes/' + shop.name + '/search', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-index-id': shop.indexId },
      body: JSON.stringify({ q, limit: 10, ...tracker.shopper() }),
    });
    const found = await answer.json();
    if (!answer.ok) return list.replaceChildren(found.message);
    tracker.search(q, found.hits.map((hit) => hit._id), found.queryId);
    list.replaceChildren(...found.hits.map(shown));
  }

  function shown({ _id, productTitle, price }) {
    const item = document.createElement('li');
    const cart = document.createElement('button');
    item.textContent = productTitle + ' (' + price + ') ';
    item.onclick = () => tracker.click(_id, productTitle);
    cart.textContent = 'Buy';
    cart.onclick = (event) => {
      event.stopPropagation();
      tracker.addToCart(_id, productTitle, 'EUR');
      tracker.purchase([{ docId: _id, title: productTitle, quantity: 1, price }], 'EUR');
    };
    item.append(cart);
    return item;
  }

  document.querySelector('#agree').onchange = (event) => tracker.consent(event.target.checked);
  document.querySelector('form').onsubmit = (event) => {
    event.preventDefault();
    void search(event.target.q.value);
  };

  // A link to what somebody searched for, such as /?q=tent.
  const asked = new URLSearchParams(location.search).get('q');
  if (asked) {
    document.querySelector('form').q.value = asked;
    void search(asked);
  }
</script>
</html>
`;
