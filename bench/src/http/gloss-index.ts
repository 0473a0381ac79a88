import { readFileSync } from 'node:fs';
import { Connection } from '../server/connection.ts';
import type { ServerProcess } from '../server/server-process.ts';
import { embeddedGlosses, MODEL } from '../text/embedded-glosses.ts';

const INDEX = 'glosses';
export const searchPath = `/indexes/${INDEX}/search`;

/** Every so many glosses one is a query and in no document. */
const HELD_OUT_EVERY = 118;
/** Documents of one request. */
const BATCH = 128;
/** Words of a query that is a text. */
const WORDS = 3;

/** What is asked of the index: glosses that it does not hold. */
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
  const { results } = await server.call<{ results: { indexName: string }[] }>('GET', '/indexes');
  if (results.some(({ indexName }) => indexName === INDEX)) await server.call('DELETE', `/indexes/${INDEX}`);
  await server.call('POST', `/indexes/${INDEX}`, { model: MODEL });
  const document = (at: number) =>
    `{"_id":"${at}","gloss":${JSON.stringify(texts[at])},"number":${at % 1000},"embedding":{"vector":${vector(at)}}}`;
  const rest = '"tensorFields":["embedding"],"mappings":{"embedding":{"type":"custom_vector"}}';
  let next = 0;
  const lane = async () => {
    const connection = new Connection(server.address);
    while (next < documents.length) {
      const part = documents.slice(next, next + BATCH);
      next += part.length;
      const body = `{"documents":[${part.map(document).join(',')}],${rest}}`;
      const answer = JSON.parse(await connection.post(`/indexes/${INDEX}/documents`, body)) as { errors: boolean };
      if (answer.errors) throw new Error('a document was refused');
    }
    connection.close();
  };
  await Promise.all([lane(), lane()]);
  await server.untilIdle();
  return heldOut.map((at) => ({ words: wordsOf(texts[at] ?? ''), vector: vector(at) }));
}

/** The first words of a gloss that are no function words, or all of it. */
function wordsOf(gloss: string): string {
  const words = gloss.split(/[^\p{L}]+/u).filter((word) => word.length > 3);
  return words.slice(0, WORDS).join(' ') || gloss;
}
