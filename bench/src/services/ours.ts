import { ServerProcess } from '../server/server-process.ts';
import { type Corpus, FILTERED, type Gloss, type GlossQuery, numbersOf } from './corpus.ts';
import type { Request } from './generator.ts';
import { OurScores } from './our-scores.ts';
import { type GraphSettings, type Service, single, type Workload } from './service.ts';
import { httpBody, httpRequest } from './wire.ts';

const INDEX = '/indexes/glosses';
const PAGE = '"limit":10,"showHighlights":false,"attributesToRetrieve":["number"]';
const FILTER: Partial<Record<Workload, string>> = {
  'kNN, a tenth passes': `"filter":"category:${FILTERED.category}",`,
  'kNN, a hundredth passes': `"filter":"number:[0 TO ${FILTERED.numberMax}]",`,
};

/** Our server, searched by requests that name only query and page, so that it decides itself how far it looks. */
export class Ours implements Service {
  readonly title = 'pelorus';
  readonly wire = 'http';
  readonly note = 'its own default effort; fuses by reciprocal ranks';
  readonly takesEffort = false;
  readonly scores = new OurScores(() => this.#running);
  readonly folder: string;
  #server: ServerProcess | null = null;

  constructor(folder: string) {
    this.folder = folder;
  }

  get #running(): ServerProcess {
    if (this.#server === null) throw new Error('the server does not run');
    return this.#server;
  }

  get port(): number {
    return Number(new URL(this.#running.address).port);
  }

  get pid(): number {
    return this.#running.pid;
  }

  async start(): Promise<void> {
    this.#server = await ServerProcess.start(this.folder);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = null;
  }

  async create({ dim }: Corpus, parameters: GraphSettings): Promise<void> {
    const modelProperties = { type: 'no_model', dimensions: dim };
    const annParameters = { spaceType: 'prenormalized-angular', parameters };
    await this.#running.call('POST', INDEX, { model: 'no_model', modelProperties, annParameters });
  }

  addition(glosses: readonly Gloss[]): Request {
    const documents = glosses.map(
      ({ id, text, category, number, vector }) =>
        `{"_id":"${id}","gloss":${JSON.stringify(text)},"category":"${category}","number":${number},` +
        `"embedding":{"vector":${numbersOf(vector)}}}`,
    );
    const rest = '"tensorFields":["embedding"],"mappings":{"embedding":{"type":"custom_vector"}}';
    return single(httpRequest('POST', `${INDEX}/documents`, `{"documents":[${documents.join(',')}],${rest}}`));
  }

  checkAdded(answer: Buffer): void {
    const { errors } = JSON.parse(httpBody(answer)) as { errors: boolean };
    if (errors) throw new Error('a document was refused');
  }

  async settle(): Promise<void> {
    await this.#running.untilIdle();
  }

  async tune(): Promise<void> {}

  greeting(): readonly Uint8Array[] {
    return [];
  }

  search(workload: Workload, { words, vector }: GlossQuery): Request {
    return single(httpRequest('POST', `${INDEX}/search`, `{${queryOf(workload, words, vector)},${PAGE}}`));
  }

  idsOf(answer: Buffer): number[] {
    const { hits } = JSON.parse(httpBody(answer)) as { hits: { _id: string }[] };
    return hits.map(({ _id }) => Number(_id));
  }
}

function queryOf(workload: Workload, words: string, vector: Float32Array): string {
  const text = JSON.stringify(words);
  const searched = '"searchableAttributes":["gloss"]';
  if (workload === 'words') return `"q":${text},"searchMethod":"LEXICAL",${searched}`;
  const numbers = `"vector":${numbersOf(vector)}`;
  if (workload !== 'hybrid') return `${FILTER[workload] ?? ''}"q":{"customVector":{${numbers}}}`;
  const hybrid = '"searchMethod":"HYBRID","hybridParameters":{"searchableAttributesLexical":["gloss"]}';
  return `"q":{"customVector":{${numbers},"content":${text}}},${hybrid}`;
}
