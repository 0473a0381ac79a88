import { Connection } from '../server/connection.ts';
import { ServerProcess } from '../server/server-process.ts';
import { rowText } from '../serving/vectors.ts';
import { batches, type Corpus } from './corpus.ts';
import { BATCH, type Database, K, type Searched, type State } from './database.ts';
import { folderBytes } from './disk.ts';

const NAME = 'documents';
const INDEX = `/indexes/${NAME}`;
const DOCUMENTS = `${INDEX}/documents`;
/** Documents of a page of a scan, the most there can be. */
const PAGE = 10_000;

/** A document as it is answered. */
export interface Shown {
  _id: string;
  title: string;
  number: number;
}

/** Our server in a process of its own, with one client that waits for each answer. */
export class Ours implements Database {
  readonly title = 'pelorus';
  readonly index = NAME;
  readonly links = true;
  readonly #corpus: Corpus;
  readonly #folder: string;
  #server: ServerProcess;
  #connection: Connection;

  private constructor(corpus: Corpus, folder: string, server: ServerProcess) {
    this.#corpus = corpus;
    this.#folder = folder;
    this.#server = server;
    this.#connection = new Connection(server.address);
  }

  static async start(corpus: Corpus, folder: string): Promise<Ours> {
    const ours = new Ours(corpus, folder, await startServer(folder));
    const modelProperties = { type: 'no_model', dimensions: corpus.vectors.dim };
    await ours.#server.call('POST', INDEX, { model: 'no_model', modelProperties });
    return ours;
  }

  get address(): string {
    return this.#server.address;
  }

  async add(first: number, count: number): Promise<number> {
    const rest = '"tensorFields":["embedding"],"mappings":{"embedding":{"type":"custom_vector"}}';
    const bodies = batches(first, first + count, BATCH).map((ids) => {
      const documents = ids.map((id) => this.#corpus.document(id));
      return `{"documents":[${documents.join(',')}],${rest}}`;
    });
    return this.#write('POST', bodies);
  }

  /** Gives documents new numbers, `ids` a request; seconds until the last is acknowledged. */
  update(requests: readonly number[][], number: (id: number) => number): Promise<number> {
    const bodies = requests.map((ids) =>
      JSON.stringify({ documents: ids.map((id) => ({ _id: `${id}`, number: number(id) })) }),
    );
    return this.#write('PATCH', bodies);
  }

  /** Sends one body after the other; seconds. Answers are read after the clock. */
  async #write(method: string, bodies: readonly string[]): Promise<number> {
    const answers: string[] = [];
    const started = performance.now();
    for (const body of bodies) answers.push(await this.#connection.send(method, DOCUMENTS, body));
    const seconds = (performance.now() - started) / 1000;
    for (const answer of answers) {
      const { errors } = JSON.parse(answer) as { errors: boolean };
      if (errors) throw new Error(`a document was refused: ${answer.slice(0, 500)}`);
    }
    return seconds;
  }

  /** Documents by id, in the order asked for, and the seconds of the answer. */
  async get(ids: readonly number[]): Promise<{ seconds: number; documents: Shown[] }> {
    const body = JSON.stringify({ documentIds: ids.map(String) });
    const { seconds, answer } = await this.#timed(`${DOCUMENTS}/get-batch`, body);
    return { seconds, documents: (JSON.parse(answer) as { results: Shown[] }).results };
  }

  /** All documents, and the seconds of the answers. */
  async scan(): Promise<{ seconds: number; documents: Shown[] }> {
    const documents: Shown[] = [];
    let seconds = 0;
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const body = JSON.stringify(cursor === undefined ? { limit: PAGE } : { limit: PAGE, cursor });
      const page = await this.#timed(`${DOCUMENTS}/scan`, body);
      const read = JSON.parse(page.answer) as { documents: Shown[]; cursor: string | null };
      seconds += page.seconds;
      documents.push(...read.documents);
      cursor = read.cursor;
    }
    return { seconds, documents };
  }

  /** The documents of an index with all there is to them. */
  async *pagesOf(index: string): AsyncGenerator<{ _id: string }[]> {
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const members = cursor === undefined ? { limit: PAGE, exposeTensors: true } : { limit: PAGE, cursor };
      const answer = await this.#connection.post(`/indexes/${index}/documents/scan`, JSON.stringify(members));
      const page = JSON.parse(answer) as { documents: { _id: string }[]; cursor: string | null };
      yield page.documents;
      cursor = page.cursor;
    }
  }

  async drop(index: string): Promise<void> {
    await this.#connection.send('DELETE', `/indexes/${index}`);
  }

  async #timed(path: string, body: string): Promise<{ seconds: number; answer: string }> {
    const started = performance.now();
    const answer = await this.#connection.post(path, body);
    return { seconds: (performance.now() - started) / 1000, answer };
  }

  settle(): Promise<number> {
    return this.#server.untilIdle();
  }

  search(): Promise<Searched> {
    return this.#search(this.#corpus.queryCount);
  }

  async #search(count: number): Promise<Searched> {
    const { queries, dim } = this.#corpus.vectors;
    const [seconds, neighbors]: [number[], number[][]] = [[], []];
    for (let query = 0; query < count; query += 1) {
      const q = `{"customVector":{"vector":${rowText(queries, query, dim)}}}`;
      const body = `{"q":${q},"limit":${K},"showHighlights":false,"attributesToRetrieve":["number"]}`;
      const timed = await this.#timed(`${INDEX}/search`, body);
      const { hits } = JSON.parse(timed.answer) as { hits: Shown[] };
      seconds.push(timed.seconds);
      neighbors.push(hits.map(({ _id }) => Number(_id)));
    }
    return { seconds, neighbors };
  }

  async state(): Promise<State> {
    const { numberOfDocuments } = await this.#server.call<{ numberOfDocuments: number }>('GET', `${INDEX}/stats`);
    const { residentBytes } = await this.#server.read();
    return { documents: numberOfDocuments, residentBytes };
  }

  diskBytes(): Promise<number> {
    return folderBytes(this.#folder);
  }

  /** The clock starts with the process. */
  async restart(): Promise<number> {
    await this.close();
    const started = performance.now();
    this.#server = await startServer(this.#folder);
    this.#connection = new Connection(this.#server.address);
    await this.#search(1);
    return (performance.now() - started) / 1000;
  }

  async clear(): Promise<number> {
    const started = performance.now();
    await this.#connection.send('DELETE', `${DOCUMENTS}/delete-all`);
    const seconds = (performance.now() - started) / 1000;
    const { documents } = await this.state();
    if (documents > 0) throw new Error(`${documents} documents are left after the deletion of all`);
    return seconds;
  }

  async close(): Promise<void> {
    this.#connection.close();
    await this.#server.stop();
  }
}

/** The deletion of all documents has to be allowed. */
function startServer(folder: string): Promise<ServerProcess> {
  return ServerProcess.start(folder, '--enable-batch-apis', 'true');
}
