import { type Progress, showProgress } from '../progress.js';
import { ExitCode } from '../start-failure.js';
import { type Api, indexPath, messageOf } from './api.js';
import { documentOf, readDocument } from './columns.js';
import { Csv } from './csv.js';
import type { NamedEncoding } from './encoding.js';
import { type Failure, FailureReport } from './failures.js';
import type { ColumnKind, FileFormat, Header } from './file-format.js';
import { ImportState } from './import-state.js';
import { JsonLines } from './json-lines.js';
import { checkColumns } from './named-columns.js';
import { Parquet } from './parquet.js';
import type { Item, Source } from './source.js';
import { damaged, nameOf, TransferFailure } from './transfer-failure.js';

export interface ImportOptions {
  readonly index: string;
  /** `-` for standard input. */
  readonly file: string;
  readonly format: FileFormat;
  /** Fields to embed of documents that bring no vectors; undefined to name none. */
  readonly tensorFields: readonly string[] | undefined;
  /** The mappings of such documents, as JSON. */
  readonly mappings: string | undefined;
  /** Columns of a CSV file that are texts, whatever they look like. */
  readonly textFields: readonly string[];
  /** Columns of a CSV file that are numbers, however they are written. */
  readonly numberFields: readonly string[];
  /** The encoding of a CSV file; undefined for the one that it tells. */
  readonly encoding: NamedEncoding | undefined;
  /** What separates the cells of a CSV file; undefined for what it tells. */
  readonly delimiter: string | undefined;
  /** Documents of a request. */
  readonly batchSize: number;
  /** Requests at once. */
  readonly requests: number;
  /** Documents that may be refused before the import stops. */
  readonly failuresMax: number;
  /** The file for documents that were not stored. */
  readonly failed: string;
  /** Tells whether to begin anew where an earlier import stopped. */
  readonly restart: boolean;
  /** Tells whether to take the readable part of an export that is damaged or was changed. */
  readonly asIs: boolean;
}

/** Characters of a request, from which on no document joins it. */
const BATCH_LENGTH = 8 * 1024 * 1024;

/** A request to send: the documents of one part of the file. */
interface Batch {
  /** Place of the last item in it. */
  readonly end: number;
  /** Tells whether the documents bring their tensors. */
  readonly given: boolean;
  readonly documents: readonly Document[];
  readonly failures: readonly Failure[];
  readonly items: number;
}

interface Document {
  readonly place: number;
  readonly id: string;
  readonly text: string;
}

/**
 * Adds the documents of a file to an index, which is made where it is missing and the file is an export. Goes on where
 * an earlier import of the same file stopped.
 *
 * @throws TransferFailure when it cannot go on, when documents were not stored, or for an export that is damaged: of a
 * file before anything is stored, of a stream at its end
 */
export async function importDocuments(api: Api, options: ImportOptions, err: NodeJS.WriteStream): Promise<void> {
  const { index, file } = options;
  const kinds = await kindsOf(api, options);
  const opened = await open(options, kinds);
  checkFlags(opened, options);
  const isChecked = await refuseDamaged(opened, options);
  const source = file === '-' ? opened : await opened.again();
  if (source.note !== undefined) err.write(`Columns of ${nameOf(file)}: ${source.note}\n`);
  await ensureIndex(api, index, file, source.header, err);
  const state = file === '-' ? undefined : await ImportState.open(file, api.url, index, options.restart);
  const report = new FailureReport(options.failed);
  const begun = state?.items ?? 0;
  if (begun === 0) {
    await report.begin();
  } else {
    await report.goOn();
    err.write(`Going on after item ${begun} of ${file}; --restart begins anew\n`);
  }
  const progress = showProgress(err, `Importing into ${index}`, { unit: 'documents' });
  const importing = new Importing(api, options, report, state, source, progress);
  try {
    await importing.run(batchesOf(source.items(begun), options));
  } catch (error) {
    if (error instanceof TooManyFailures) {
      progress.done();
      await state?.save();
      tellKinds(report, err);
      throw new TransferFailure(stoppedAt(report, state), ExitCode.NOT_STORED);
    }
    if (isOfFile(error)) {
      progress.done();
      await state?.end();
      throw new TransferFailure(`${error.message}. ${storedOf(importing.stored, report)}`, error.exitCode);
    }
    await state?.save();
    if (error instanceof TransferFailure && state !== undefined && state.items > 0) {
      throw new TransferFailure(`${error.message}. The same command goes on after item ${state.items}`, error.exitCode);
    }
    throw error;
  }
  progress.done();
  await state?.end();
  const problem = isChecked ? undefined : await source.damage();
  if (problem !== undefined && !options.asIs) {
    throw damaged(file, `${problem}. ${storedOf(importing.stored, report)}`);
  }
  if (problem !== undefined) err.write(`${damaged(file, problem).message}\n`);
  tellKinds(report, err);
  if (report.count > 0) throw new TransferFailure(refusalsOf(report), ExitCode.NOT_STORED);
}

/** Stops an import of which more is refused than its user wants to hear of. */
class TooManyFailures extends Error {}

function stoppedAt(report: FailureReport, state: ImportState | undefined): string {
  const goesOn = state === undefined ? '' : `. The same command goes on after item ${state.items}`;
  return `Stopped, as --max-failures says: ${refusalsOf(report)}${goesOn}`;
}

function tellKinds(report: FailureReport, err: NodeJS.WriteStream): void {
  for (const line of report.kinds()) err.write(`${line}\n`);
}

/**
 * Refuses flags that this file gives nothing to do.
 * @throws TransferFailure
 */
function checkFlags({ header, names }: Source, options: ImportOptions): void {
  const { file, format, textFields, numberFields, tensorFields = [], mappings, encoding, delimiter } = options;
  const ofTables = { '--text-fields': textFields, '--number-fields': numberFields };
  const isOther = format.format !== 'csv' || header?.columns !== undefined;
  const idle = Object.entries(ofTables).find(([, named]) => named.length > 0)?.[0] ?? (delimiter && '--delimiter');
  if (isOther && idle !== undefined) {
    throw new TransferFailure(
      `${idle} is for CSV files of other origin, which ${nameOf(file)} is not`,
      ExitCode.BAD_CONFIGURATION,
    );
  }
  if (encoding !== undefined && !isDecoded(file, format)) {
    throw new TransferFailure(
      '--encoding is for CSV and for JSON files that are not compressed',
      ExitCode.BAD_CONFIGURATION,
    );
  }
  const both = textFields.find((name) => numberFields.includes(name));
  if (both !== undefined) {
    throw new TransferFailure(`--text-fields and --number-fields both name '${both}'`, ExitCode.BAD_CONFIGURATION);
  }
  if (names === undefined) return;
  const mapped = mappings === undefined ? {} : (JSON.parse(mappings) as object);
  const embedded = tensorFields.filter((name) => !Object.hasOwn(mapped, name));
  checkColumns(file, names, { ...ofTables, '--tensor-fields': embedded });
}

/** Tells whether a file is decoded by the encoding that is named. */
function isDecoded(file: string, { format, compression }: FileFormat): boolean {
  return format === 'csv' || (format === 'jsonl' && compression === 'none' && file !== '-');
}

/** Tells an error of the file's content from one of the server or of the system. */
function isOfFile(error: unknown): error is TransferFailure {
  return error instanceof TransferFailure && error.exitCode === ExitCode.NOT_STORED;
}

/** Says how many documents of a damaged file this import stored. */
function storedOf(stored: number, report: FailureReport): string {
  const refusals = report.count === 0 ? '' : `, but ${refusalsOf(report)}`;
  return stored === 0 && refusals === ''
    ? 'Nothing of it was stored'
    : `Documents stored of what was read: ${stored}${refusals}`;
}

function refusalsOf({ count, file, isCut }: FailureReport): string {
  const where = isCut ? `the first of them are in ${file}` : `see ${file}`;
  return `${count === 1 ? '1 document was' : `${count} documents were`} not stored: ${where}`;
}

/**
 * Reads the whole of an export before anything of it is stored; gives whether it could.
 * @throws TransferFailure for one that is damaged
 */
async function refuseDamaged(source: Source, { file, asIs }: ImportOptions): Promise<boolean> {
  if (file === '-' || asIs || !(await source.isSealed())) return false;
  const nothing = 'Nothing of it was stored; --as-is takes what can be read';
  const problem = await source.damage().catch((error: unknown) => {
    throw isOfFile(error) ? new TransferFailure(`${error.message}. ${nothing}`, error.exitCode) : error;
  });
  if (problem === undefined) return true;
  throw damaged(file, `${problem}. ${nothing}`);
}

/** Sends batches, several at once, and keeps account of how far the file is done with. */
class Importing {
  readonly #api: Api;
  readonly #options: ImportOptions;
  readonly #report: FailureReport;
  readonly #state: ImportState | undefined;
  readonly #source: Source;
  readonly #progress: Progress;
  /** Batches under way, in the order of the file: done ones too, until all before them are. */
  readonly #underWay: { end: number; isDone: boolean }[] = [];
  #failed: unknown;
  #stored = 0;

  constructor(
    api: Api,
    options: ImportOptions,
    report: FailureReport,
    state: ImportState | undefined,
    source: Source,
    progress: Progress,
  ) {
    this.#api = api;
    this.#options = options;
    this.#report = report;
    this.#state = state;
    this.#source = source;
    this.#progress = progress;
  }

  /** Documents that the server stored. */
  get stored(): number {
    return this.#stored;
  }

  /** @throws what a request throws first, or else what reading throws, after all that was read before was sent */
  async run(batches: AsyncIterable<Batch>): Promise<void> {
    const running = new Set<Promise<void>>();
    try {
      for await (const batch of batches) {
        if (this.#report.countOfPart >= this.#options.failuresMax) throw new TooManyFailures();
        const entry = { end: batch.end, isDone: false };
        this.#underWay.push(entry);
        const sending = this.#send(batch, entry)
          .catch((error: unknown) => {
            this.#failed ??= error;
          })
          .finally(() => running.delete(sending));
        running.add(sending);
        if (running.size >= this.#options.requests) await Promise.race(running);
        if (this.#failed !== undefined) break;
      }
    } finally {
      await Promise.all(running);
    }
    if (this.#failed !== undefined) throw this.#failed;
  }

  async #send(batch: Batch, entry: { isDone: boolean }): Promise<void> {
    const refused = await this.#add(batch.documents, batch.given);
    this.#stored += batch.documents.length - refused.length;
    const failures = [...batch.failures, ...refused];
    // Reported before it counts as done: after a crash it is reported twice rather than never.
    await this.#report.add(failures.toSorted((a, b) => a.place - b.place));
    entry.isDone = true;
    this.#progress.advance(batch.items, this.#source.done);
    let end: number | undefined;
    while (this.#underWay[0]?.isDone) end = this.#underWay.shift()?.end;
    if (end !== undefined) await this.#state?.reach(end);
  }

  /** Adds documents; gives those that were refused. A batch too large for one request is sent in two. */
  async #add(documents: readonly Document[], given: boolean): Promise<Failure[]> {
    if (documents.length === 0) return [];
    const answer = await this.#api.send(
      'POST',
      `${indexPath(this.#options.index)}/documents`,
      this.#body(documents, given),
    );
    if (answer.status === 413) {
      const [only] = documents;
      if (documents.length === 1 && only !== undefined)
        return [refused(only, { status: 413, message: messageOf(answer) })];
      const middle = Math.ceil(documents.length / 2);
      const first = await this.#add(documents.slice(0, middle), given);
      return [...first, ...(await this.#add(documents.slice(middle), given))];
    }
    if (answer.status >= 300) throw new TransferFailure(messageOf(answer));
    const { errors, items } = this.#api.jsonOf<{ errors?: boolean; items?: AnswerItem[] }>(answer);
    if (errors === false) return [];
    if (items?.length !== documents.length) {
      throw new TransferFailure(`An answer about ${documents.length} documents tells of ${items?.length ?? 'none'}`);
    }
    // By their order, as no two have one id: an id that cannot be read is not told again.
    return items.flatMap((item, i) => (item.status < 300 ? [] : [refused(documents[i] as Document, item)]));
  }

  #body(documents: readonly Document[], given: boolean): string {
    const { tensorFields, mappings } = this.#options;
    const own = [
      ...(tensorFields === undefined ? [] : [`"tensorFields":${JSON.stringify(tensorFields)}`]),
      ...(mappings === undefined ? [] : [`"mappings":${mappings}`]),
    ];
    const members = [`"documents":[${documents.map(({ text }) => text).join(',')}]`];
    return `{${[...members, ...(given ? ['"useGivenTensors":true'] : own)].join(',')}}`;
  }
}

interface AnswerItem {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
}

function refused({ place, id, text }: Document, item: AnswerItem): Failure {
  const { status, code, message = `status ${status}` } = item;
  return { place, id, status, ...(code !== undefined && { code }), message, document: text };
}

/** Gathers documents into requests. One holds either documents that bring their tensors, or others. */
async function* batchesOf(items: AsyncIterable<Item>, { batchSize }: ImportOptions): AsyncGenerator<Batch> {
  let [documents, failures, length, given, end]: [Document[], Failure[], number, boolean, number] = [
    [],
    [],
    0,
    false,
    0,
  ];
  const whole = (): Batch => ({ end, given, documents, failures, items: documents.length + failures.length });
  let problem: unknown;
  try {
    for await (const item of items) {
      const read = readItem(item);
      if ('message' in read) {
        failures.push(read);
      } else {
        const isWhole = documents.length >= batchSize || length >= BATCH_LENGTH || given !== read.given;
        // In a request with two documents of one id, nobody would be told about the first.
        if (documents.length > 0 && (isWhole || documents.some(({ id }) => id === read.id))) {
          yield whole();
          [documents, failures, length] = [[], [], 0];
        }
        given = read.given;
        documents.push(read);
        length += read.text.length;
      }
      end = item.place;
      // A file without documents is cut into batches too, so that memory holds no more than one request.
      if (failures.length < batchSize) continue;
      yield whole();
      [documents, failures, length] = [[], [], 0];
    }
  } catch (error) {
    problem = error;
  }
  // Documents before the place where a file is damaged are sent too.
  if (documents.length + failures.length > 0) yield whole();
  if (problem !== undefined) throw problem;
}

function readItem({ place, text, problem }: Item): (Document & { given: boolean }) | Failure {
  if (problem !== undefined) return { place, message: problem, text };
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return { place, message: `No JSON: ${(error as Error).message}`, text };
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    return { place, message: 'No JSON object', text };
  }
  const { _id: id } = document as { _id?: unknown };
  if (typeof id !== 'string' || id === '') {
    return { place, message: 'A document needs an `_id`, a text: an import that is repeated must find it again', text };
  }
  const given = '_tensors' in document;
  return { place, id, given, text: given ? text : withMaps(document, text) };
}

/** An export without vectors has entries of maps as members `map.key`; an add takes maps. */
function withMaps(document: object, text: string): string {
  if (!Object.keys(document).some((name) => name.includes('.'))) return text;
  const maps = new Map<string, Record<string, unknown>>();
  const members: [string, string | undefined][] = [];
  for (const [name, value] of Object.entries(readDocument(text))) {
    const dot = name.indexOf('.');
    if (dot < 0) members.push([name, JSON.stringify(value)]);
    else maps.set(name.slice(0, dot), { ...maps.get(name.slice(0, dot)), [name.slice(dot + 1)]: value });
  }
  for (const [name, map] of maps) members.push([name, JSON.stringify(map)]);
  return documentOf(members);
}

async function open(
  { file, format: { format, compression }, encoding, delimiter }: ImportOptions,
  kinds: ReadonlyMap<string, ColumnKind>,
): Promise<Source> {
  try {
    if (format === 'csv') return await Csv.open(file, { compression, encoding, delimiter, kinds });
    return format === 'parquet' ? await Parquet.open(file) : await JsonLines.open(file, compression, encoding);
  } catch (error) {
    if (isOfFile(error)) throw new TransferFailure(`${error.message}. Nothing of it was stored`, error.exitCode);
    if (error instanceof TransferFailure) throw error;
    throw new TransferFailure(`${file} cannot be read: ${(error as Error).message}`, ExitCode.BAD_CONFIGURATION);
  }
}

interface Settings {
  readonly allFields?: readonly { name: string; type: string }[];
}

/** Kinds of columns of a CSV file: those that the index declares, and those named by options, which win. */
async function kindsOf(api: Api, options: ImportOptions): Promise<Map<string, ColumnKind>> {
  const { index, format, textFields, numberFields } = options;
  const kinds = new Map<string, ColumnKind>();
  if (format.format !== 'csv') return kinds;
  const answer = await api.send('GET', `${indexPath(index)}/settings`);
  const { allFields = [] } = answer.status === 200 ? api.jsonOf<Settings>(answer) : {};
  for (const { name, type } of allFields) kinds.set(name, kindOf(type));
  for (const name of textFields) kinds.set(name, 'text');
  for (const name of numberFields) kinds.set(name, 'float');
  return kinds;
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  int: 'integer',
  long: 'integer',
  float: 'float',
  double: 'float',
  bool: 'bool',
};

/** The kind of a declared type's values in a table. */
function kindOf(type: string): ColumnKind {
  if (type === 'text' || type.endsWith('_pointer')) return 'text';
  // Lists, maps and vectors.
  return KINDS[type] ?? 'json';
}

/** Makes the index as the export says, where there is none. */
async function ensureIndex(
  api: Api,
  index: string,
  file: string,
  header: Header | undefined,
  err: NodeJS.WriteStream,
): Promise<void> {
  const found = await api.send('GET', `${indexPath(index)}/settings`);
  if (found.status === 200) return;
  if (found.status !== 404) throw new TransferFailure(messageOf(found));
  if (header === undefined) {
    throw new TransferFailure(`There is no index ${index}, and ${file} does not say how to make it: create it first`);
  }
  const made = await api.send('POST', indexPath(index), JSON.stringify(header.settings));
  // Another import may have been first.
  if (made.status >= 300 && made.status !== 409) {
    throw new TransferFailure(`Index ${index} cannot be made with the settings of ${header.index}: ${messageOf(made)}`);
  }
  err.write(`Made index ${index} with the settings of ${header.index}\n`);
}
