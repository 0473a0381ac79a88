import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundleOf } from '../../../client/test/bundle.js';
import { findChromium, visitPage } from './chromium.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const chromium = findChromium();
if (chromium === undefined) console.warn('SKIPPED: no Chromium, so the client is not tried in a page');

const client = fileURLToPath(new URL('../../../client/dist/index.js', import.meta.url));

/** The program of the page, which tells the outcome to the site that it came from. */
const program = (url: string, apiKey: string): string => `
import { Pelorus, PelorusSearch } from ${JSON.stringify(client)};

const [url, apiKey] = ${JSON.stringify([url, apiKey])};
const failureOf = (promise) => promise.then(() => 'none', ({ name, code, status, requestId }) => ({ name, code, status, requestId }));

async function outcome() {
  const pelorus = new Pelorus({ url, apiKey });
  const notes = await pelorus.createIndex('notes', { model: 'random/small' });
  const documents = Array.from({ length: 10 }, (_, place) => ({ _id: 'é ' + place, title: 'note ' + place }));
  const { stored } = await notes.add(documents, { tensorFields: ['title'], batchSize: 4 });
  const scanned = [];
  for await (const { title } of notes.scan({ limit: 3 })) scanned.push(title);
  const { hits } = await new PelorusSearch({ url, apiKey }).index('notes').search('note 7');
  return {
    ...{ stored, scanned: scanned.length, best: hits[0], one: await notes.get('é 3') },
    absent: await failureOf(pelorus.index('absent').search('x')),
    keyless: await failureOf(new Pelorus({ url }).listIndexes()),
    aborted: await failureOf(notes.search('x', { signal: AbortSignal.abort(new Error('enough')) })),
    late: await failureOf(new Pelorus({ url: location.origin + '/silent', apiKey, timeoutMs: 50 }).health()),
    redirected: await failureOf(new Pelorus({ url: location.origin + '/elsewhere', apiKey }).health()),
    other: await failureOf(new Pelorus({ url: location.origin, apiKey }).health()),
  };
}

const told = await outcome().catch((error) => String(error.stack));
await fetch('/outcome', { method: 'POST', body: JSON.stringify(told) });
`;

test.skipIf(chromium === undefined)('the client works in a page of a real browser', async () => {
  const { promise: outcome, resolve } = Promise.withResolvers<any>();
  const followed: unknown[] = [];
  let code = '';
  const site = createServer((request, response) => {
    if (request.url === '/outcome') return void json(request).then(resolve);
    if (request.url?.startsWith('/silent')) return;
    if (request.url?.startsWith('/elsewhere')) return void response.writeHead(307, { location: '/followed' }).end();
    if (request.url === '/followed') followed.push(request.headers);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><script type="module">${code.replaceAll('</script', '<\\/script')}</script>`);
  }).listen(0, 'localhost');
  await once(site, 'listening');
  const origin = `http://localhost:${(site.address() as AddressInfo).port}`;
  const data = emptyFolder('client-in-page');
  const server = await ServerProcess.start(['--data', data, '--allowed-origins', origin], { env: withAdminKey });
  try {
    code = await bundleOf(program(server.address, withAdminKey.PELORUS_ADMIN_KEY));
    const told = await visitPage(chromium as string, origin, outcome);
    expect(told).toEqual({
      ...{ stored: 10, scanned: 10, best: expect.objectContaining({ _id: 'é 7', title: 'note 7' }) },
      one: { _id: 'é 3', title: 'note 3' },
      absent: { name: 'NotFoundError', code: 'index_not_found', status: 404, requestId: expect.any(String) },
      keyless: { name: 'AuthenticationError', code: 'missing_api_key', status: 401, requestId: expect.any(String) },
      aborted: { name: 'Error' },
      late: { name: 'TimeoutError', code: 'timeout' },
      redirected: { name: 'UnexpectedAnswerError', code: 'unexpected_answer', status: 0 },
      other: { name: 'UnexpectedAnswerError', code: 'unexpected_answer', status: 200 },
    });
    expect(followed).toEqual([]);
  } finally {
    site.closeAllConnections();
    site.close();
    await server.end();
    rmSync(data, { recursive: true });
  }
});
