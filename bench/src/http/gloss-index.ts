import { readFileSync } from 'node:fs';
import { fill } from '../server/fill.ts';
import type { ServerProcess } from '../server/server-process.ts';
import { embeddedGlosses, MODEL } from '../text/embedded-glosses.ts';
import { firstWords } from '../text/first-words.ts';

/** The indexes that are searched: of glosses, and of long texts made of them. */
export type GlossIndex = 'glosses' | 'articles';

export const searchPath = (index: GlossIndex) => `/indexes/${index}/search`;

/** Every so many glosses one is a query and in no document. */
const HELD_OUT_EVERY = 118;
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
  await fillBy(server, 'glosses', documents, document, rest);
  return heldOut.map((at) => ({ words: firstWords(texts[at] ?? ''), vector: vector(at) }));
}

/** Fills an index with `count` long texts, each of many glosses, which are searched by words alone. */
export async function fillArticles(server: ServerProcess, count: number, say: (line: string) => void): Promise<void> {
  const { texts } = await embeddedGlosses(say);
  const all = texts.map((_, at) => at);
  const starts = all.filter((at) => at % ARTICLE_GLOSSES === 0).slice(0, count);
  say(`adding ${starts.length} long texts`);
  const text = (at: number) => JSON.stringify(texts.slice(at, at + ARTICLE_GLOSSES).join('. '));
  await fillBy(server, 'articles', starts, (at) => `{"_id":"${at}","text":${text(at)}}`, '"tensorFields":[]');
}

/** Fills an index with the documents of some glosses. */
function fillBy(
  server: ServerProcess,
  index: GlossIndex,
  glosses: readonly number[],
  document: (gloss: number) => string,
  rest: string,
): Promise<void> {
  const filling = { count: glosses.length, document: (at: number) => document(glosses[at] as number), rest };
  return fill(server, index, { model: MODEL }, filling);
}
