import { readFileSync } from 'node:fs';
import { Connection } from '../server/connection.ts';
import type { ServerProcess } from '../server/server-process.ts';
import { embeddedGlosses, MODEL } from '../text/embedded-glosses.ts';
import { firstWords } from '../text/first-words.ts';

/** The indexes that are searched: of glosses, and of long texts made of them. */
export type GlossIndex = 'glosses' | 'articles';

export const searchPath = (index: GlossIndex) => `/indexes/${index}/search`;

/** Every so many glosses one is a query and in no document. */
const HELD_OUT_EVERY = 118;
/** Documents of one request. */
const BATCH = 128;
/** Glosses of one long text: about a thousand words, 7 kB. */
const ARTICLE_GLOSSES = 100;

/** A query to the index: a gloss that it does not hold. */
export interface GlossQuery {
  /** Some words of the gloss. */
  words: string;
  /** Its vector, as JSON. */
  vector: string;
}

/** Fills an index with `count` glosses and the vectors that its model makes of them, and gives queries for it. */
export async function fillGlosses(
  server: ServerProcess,
  count: number,
  queries: number,
  say: (line: string) => void,
): Promise<GlossQuery[]> {
  const { texts, file, dim } = await embeddedGlosses(say);
  const { buffer, byteOffset, byteLength } = readFileSync(file);
  const vectors = new Float32Array(buffer, byteOffset, byteLength / 4);
  const vector = (at: number) => `[${vectors.subarray(at * dim, (at + 1) * dim).join(',')}]`;
  const all = texts.map((_, at) => at);
  const documents = all.filter((at) => at % HELD_OUT_EVERY !== 0).slice(0, count);
  const heldOut = all.filter((at) => at % HELD_OUT_EVERY === 0).slice(0, queries);

  say(`adding ${documents.length} glosses`);
  const document = (at: number) =>
    `{"_id":"${at}","gloss":${JSON.stringify(texts[at])},"number":${at % 1000},"embedding":{"vector":${vector(at)}}}`;
  const rest = '"tensorFields":["embedding"],"mappings":{"embedding":{"type":"custom_vector"}}';
  await fill(server, 'glosses', documents, document, rest);
  await server.untilIdle();
  return heldOut.map((at) => ({ words: firstWords(texts[at] ?? ''), vector: vector(at) }));
}

/** Fills an index with `count` long texts, each of many glosses, which are searched by words alone. */
export async function fillArticles(server: ServerProcess, count: number, say: (line: string) => void): Promise<void> {
  const { texts } = await embeddedGlosses(say);
  const all = texts.map((_, at) => at);
  const starts = all.filter((at) => at % ARTICLE_GLOSSES === 0).slice(0, count);
  say(`adding ${starts.length} long texts`);
  const text = (at: number) => JSON.stringify(texts.slice(at, at + ARTICLE_GLOSSES).join('. '));
  await fill(server, 'articles', starts, (at) => `{"_id":"${at}","text":${text(at)}}`, '"tensorFields":[]');
  await server.untilIdle();
}

/** Makes `index` anew, of documents that are written out when their turn comes, on two connections. */
async function fill(
  server: ServerProcess,
  index: GlossIndex,
  documents: readonly number[],
  document: (at: number) => string,
  rest: string,
): Promise<void> {
  const { results } = await server.call<{ results: { indexName: string }[] }>('GET', '/indexes');
  if (results.some(({ indexName }) => indexName === index)) await server.call('DELETE', `/indexes/${index}`);
  await server.call('POST', `/indexes/${index}`, { model: MODEL });
  let next = 0;
  const lane = async () => {
    const connection = new Connection(server.address);
    while (next < documents.length) {
      const part = documents.slice(next, next + BATCH);
      next += part.length;
      const body = `{"documents":[${part.map(document).join(',')}],${rest}}`;
      const answer = JSON.parse(await connection.post(`/indexes/${index}/documents`, body)) as { errors: boolean };
      if (answer.errors) throw new Error('a document was refused');
    }
    connection.close();
  };
  await Promise.all([lane(), lane()]);
}
