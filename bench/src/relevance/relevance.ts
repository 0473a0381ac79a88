import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { localModels } from '@pelorus/inference';
import { ndcg } from '../../../packages/console/src/relevance/figures.ts';
import type { Bench } from '../bench.ts';
import { LUCENE, type LuceneProgram, lucene } from '../lucene.ts';
import { CACHE } from '../paths.ts';
import { compare, type Row } from '../row.ts';
import { ServerProcess } from '../server/server-process.ts';
import { type Collection, collections } from './collection.ts';
import { type Ranking, typoRows } from './typos.ts';

const MODEL = 'hf/all-MiniLM-L6-v2';
const DEPTH = 10;
/** Documents of one request. */
const BATCH = 64;

/** The agreement of rankings with the judgement of people: words beside Lucene, and the gain by vectors. */
export const relevance: Bench = async ({ quick, collections: folder, say }) => {
  if (folder === null) throw new Error('name the folder of the judged collections: --collections FOLDER');
  const notes: string[] = [];
  const peer = await installed(say, notes);
  const model = quick ? null : await localModel(notes);
  await mkdir(CACHE, { recursive: true });
  const data = await mkdtemp(join(CACHE, 'relevance-'));
  const server = await ServerProcess.start(data);
  try {
    const rows: Row[] = [];
    const lines: string[] = [];
    for (const collection of collections(folder)) {
      say(`${collection.name}: ${collection.documents.length} documents, ${collection.queries.length} queries`);
      rows.push(...(await wordRows(server, collection, peer)));
      say(`${collection.name}: queries with typos`);
      const typed = await withTypos(server, collection, peer);
      rows.push(...typed.rows);
      lines.push(...typed.lines);
      if (model !== null) rows.push(...(await hybridRows(server, collection, model)));
    }
    return { rows, lines, notes, dataset: { folder, depth: DEPTH, model } };
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
};

function installed(say: (line: string) => void, notes: string[]): Promise<LuceneProgram | null> {
  return lucene('Rank.java', say).catch((error: Error) => {
    notes.push(`${LUCENE} DOES NOT RUN HERE: ${error.message}`);
    return null;
  });
}

async function localModel(notes: string[]): Promise<string | null> {
  const found = (await localModels()).some(({ name, folder }) => name === MODEL && folder !== null);
  if (!found) notes.push(`${MODEL} is not on this machine: run \`npm run setup\` first`);
  return found ? MODEL : null;
}

type Fields = (document: Collection['documents'][number]) => Record<string, string>;
/** All of a document in one field, and a field for each part of it. */
const FORMS: Readonly<Record<string, Fields>> = {
  'one field': ({ title, text }) => ({ text: `${title} ${text}` }),
  'two fields': ({ title, text }) => ({ title, text }),
};

async function wordRows(server: ServerProcess, collection: Collection, peer: LuceneProgram | null): Promise<Row[]> {
  const rows: Row[] = [];
  const texts = collection.queries.map(({ text }) => text);
  for (const [form, fields] of Object.entries(FORMS)) {
    const index = await filled(server, collection, fields, null);
    const ours = mean(collection, await idsOf(server, index, texts, { searchMethod: 'LEXICAL' }));
    const theirs = peer && mean(collection, luceneRanks(peer, collection, fields, texts, false));
    rows.push({
      ...compare(`words in ${form}, nDCG@${DEPTH}`, 'higher', ours, peer && `${LUCENE} english`, theirs),
      set: collection.name,
      target: { reach: 1, chase: 1.05 },
    });
    await server.call('DELETE', `/indexes/${index}`);
  }
  return rows;
}

async function withTypos(server: ServerProcess, collection: Collection, peer: LuceneProgram | null) {
  const fields = FORMS['one field'] as Fields;
  const index = await filled(server, collection, fields, null);
  const ours: Ranking = (texts, typoTolerance) =>
    idsOf(server, index, texts, { searchMethod: 'LEXICAL', typoTolerance });
  const theirs: Ranking = async (texts, forgives) =>
    luceneRanks(peer as LuceneProgram, collection, fields, texts, forgives);
  const beside = peer && { name: `${LUCENE} english, fuzzy`, rank: theirs };
  const result = await typoRows(collection, DEPTH, ours, beside);
  await server.call('DELETE', `/indexes/${index}`);
  return result;
}

async function hybridRows(server: ServerProcess, collection: Collection, model: string): Promise<Row[]> {
  const index = await filled(server, collection, FORMS['one field'] as Fields, model);
  const texts = collection.queries.map(({ text }) => text);
  const score = async (searchMethod: string) => mean(collection, await idsOf(server, index, texts, { searchMethod }));
  const [words, vectors, both] = [await score('LEXICAL'), await score('TENSOR'), await score('HYBRID')];
  await server.call('DELETE', `/indexes/${index}`);
  const row = (metric: string, ours: number, peer: string | null, theirs: number | null) => ({
    ...compare(`${metric}, nDCG@${DEPTH}`, 'higher', ours, peer, theirs),
    set: collection.name,
  });
  return [row('vectors', vectors, 'words', words), row('both', both, 'the better of them', Math.max(words, vectors))];
}

/** An index with the documents of a collection; gives its name. */
async function filled(server: ServerProcess, { name, documents }: Collection, fields: Fields, model: string | null) {
  const without = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 1 } };
  await server.call('POST', `/indexes/${name}`, model === null ? without : { model });
  for (let first = 0; first < documents.length; first += BATCH) {
    const some = documents.slice(first, first + BATCH).map((document) => ({ _id: document.id, ...fields(document) }));
    const { errors } = await server.call<{ errors: boolean }>('POST', `/indexes/${name}/documents`, {
      documents: some,
      tensorFields: model === null ? [] : ['text'],
    });
    if (errors) throw new Error(`a document of ${name} was refused`);
  }
  return name;
}

/** The best documents of each text, in its order. */
async function idsOf(server: ServerProcess, index: string, texts: readonly string[], search: object) {
  const ranked: string[][] = [];
  for (const q of texts) {
    const body = { q, ...search, limit: DEPTH, attributesToRetrieve: [], showHighlights: false };
    const { hits } = await server.call<{ hits: { _id: string }[] }>('POST', `/indexes/${index}/search`, body);
    ranked.push(hits.map(({ _id }) => _id));
  }
  return ranked;
}

function mean({ queries }: Collection, ranked: readonly (readonly string[])[]): number {
  const gains = queries.map(({ grades }, place) => ndcg(ranked[place] ?? [], grades, DEPTH));
  return gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
}

function luceneRanks(
  { command, args }: LuceneProgram,
  { documents }: Collection,
  fields: Fields,
  texts: readonly string[],
  forgivesTypos: boolean,
): string[][] {
  const line = (...parts: readonly string[]) => `${parts.map((part) => part.replaceAll(/\s+/g, ' ')).join('\t')}\n`;
  const input = [
    ...documents.map((document) => line('doc', document.id, ...Object.values(fields(document)))),
    ...texts.map((text) => line(forgivesTypos ? 'fuzzy' : 'query', text)),
  ];
  const answer = execFileSync(command, args, { input: input.join(''), stdio: ['pipe', 'pipe', 2] });
  return answer
    .toString('utf8')
    .split('\n')
    .map((ids) => ids.split('\t'));
}
