// Finds pictures of a folder: pictures.ts FOLDER TEXT, or pictures.ts FOLDER FILE
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, extname, join } from 'node:path';
import { Pelorus } from '@pelorus/client';

const TYPES: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg', '.webp': 'image/webp' };

const [, , folder = '.', query = ''] = process.argv;
const names = readdirSync(folder).filter((name) => extname(name) in TYPES);

// The server fetches the pictures from here while they are added.
const files = createServer(({ url = '/' }, response) => {
  const name = names.find((one) => `/${encodeURIComponent(one)}` === url);
  if (name === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': TYPES[extname(name)] }).end(readFileSync(join(folder, name)));
});
await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;

const pelorus = new Pelorus({ url: process.env.PELORUS_URL ?? 'http://127.0.0.1:8882' });
const model = process.env.MODEL ?? 'open_clip/ViT-B-32/laion2b_s34b_b79k';
const { results = [] } = (await pelorus.call('GET', '/indexes')) as { results?: { indexName: string }[] };
if (results.some(({ indexName }) => indexName === 'pictures')) await pelorus.deleteIndex('pictures');
const pictures = await pelorus.createIndex<{ picture: string }>('pictures', {
  model,
  treatUrlsAndPointersAsImages: true,
});

const documents = names.map((name) => ({ _id: name, picture: `${address}/${encodeURIComponent(name)}` }));
const { failed, outcomes } = await pictures.add(documents, { tensorFields: ['picture'] });
files.close();
for (const { id, message } of outcomes.filter(({ status }) => status >= 400)) console.error(`${id}: ${message}`);
console.log(`${documents.length - failed} pictures`);

const q = existsSync(query) ? dataUri(query) : query;
const { hits } = await pictures.search({ q, limit: 3 });
for (const { _id, _score } of hits) console.log(`${_score.toFixed(3)}  ${basename(_id)}`);

function dataUri(file: string): string {
  return `data:${TYPES[extname(file)]};base64,${readFileSync(file).toString('base64')}`;
}
