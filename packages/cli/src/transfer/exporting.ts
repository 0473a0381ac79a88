import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { indexPath } from '../api.js';
import { showProgress } from '../progress.js';
import { ExitCode } from '../start-failure.js';
import { printJson } from '../terminal/json.js';
import type { Output } from '../terminal/style.js';
import { withEscapes, withoutControls } from '../terminal/width.js';
import type { Api } from './api.js';
import { ColumnKinds, type ExactDocument, readDocument } from './columns.js';
import { compressor } from './compression.js';
import { csvHeader, writeCsv } from './csv.js';
import { readCuration } from './curation.js';
import { type ColumnKind, type End, type FileFormat, type Header, headerFileOf } from './file-format.js';
import { JsonLines, writeLines } from './json-lines.js';
import { type Page, splitPage } from './page.js';
import { writeParquet } from './parquet.js';
import { Sealing } from './seal.js';
import { readQueries } from './suggested-queries.js';
import { TransferFailure } from './transfer-failure.js';

export interface ExportOptions {
  readonly index: string;
  /** `-` for standard output. */
  readonly output: string;
  readonly format: FileFormat;
  readonly filter: string | undefined;
  /** Tells whether vectors come along, so that an import embeds nothing. */
  readonly vectors: boolean;
  /** Tells whether the queries that the index suggests come along. */
  readonly suggestions: boolean;
  /** Tells whether the rules, synonyms and search defaults of the index come along. */
  readonly rules: boolean;
  /** Tells whether an existing file may be replaced. */
  readonly force: boolean;
  /** Tells whether to print one JSON value about it, for programs. */
  readonly json: boolean;
}

/** Documents as they are spelt, page by page. */
type Pages = AsyncIterable<readonly Buffer[]>;

/** Documents of one page: with vectors of 384 numbers some megabytes. */
const PAGE_DOCUMENTS = 1000;
/** Documents of one row group, which a reader holds in memory as a whole. */
const ROW_GROUP_DOCUMENTS = 5000;
const ROW_GROUP_LENGTH = 32 * 1024 * 1024;

/**
 * Writes all documents of an index, as they are at one moment, to a file. The file gets its name when it is whole;
 * an export that was broken off is begun anew, because the state that it read is gone.
 *
 * @throws TransferFailure
 */
export async function exportIndex(
  api: Api,
  options: ExportOptions,
  err: NodeJS.WriteStream,
  out: Output = process.stdout,
): Promise<void> {
  const { index, output, format, json } = options;
  const toFile = output !== '-';
  if (json && !toFile) {
    throw new TransferFailure(
      '--json is for an export to a file: documents go to standard output',
      ExitCode.BAD_CONFIGURATION,
    );
  }
  if (toFile && !options.force) await refuseExisting(output);
  const header = await headerOf(api, options);
  const total = options.filter === undefined ? await countOf(api, index) : undefined;
  const progress = showProgress(err, `Exporting ${index}`, { total, unit: 'documents' });
  let documents = 0;
  const pages = counted(readPages(api, options), (count) => {
    documents += count;
    progress.advance(count);
  });
  let end: End | undefined;
  if (toFile) await exportToFile(pages, header, options);
  else if (format.format === 'csv') ({ end } = await printCsv(pages, `${index}.partial`, out));
  else await printTo(out, writeLines(header, pages), withEscapes);
  progress.done();
  if (json) printJson({ index, output, documents }, out);
  // A table that goes into a pipe has no place for it.
  if (end !== undefined) err.write(`SHA-256 of these ${end.documents} documents: ${end.sha256}\n`);
}

async function exportToFile(pages: Pages, header: Header, { output, format }: ExportOptions): Promise<void> {
  const partial = `${output}.partial`;
  const partialHeader = headerFileOf(partial);
  try {
    if (format.format === 'jsonl') await exportLines(pages, header, format, createWriteStream(partial));
    else if (format.format === 'parquet') await exportParquet(pages, header, partial);
    else {
      const { columns, end } = await exportCsv(pages, partial);
      await writeFile(partialHeader, csvHeader({ ...header, columns }, end));
      await syncFile(partialHeader);
    }
    await syncFile(partial);
    if (format.format === 'csv') await rename(partialHeader, headerFileOf(output));
    await rename(partial, output);
  } catch (error) {
    await rm(partial, { force: true });
    await rm(partialHeader, { force: true });
    throw error;
  }
}

async function refuseExisting(file: string): Promise<void> {
  const exists = await stat(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new TransferFailure(`${file} exists: --force replaces it`, ExitCode.BAD_CONFIGURATION);
}

async function headerOf(api: Api, { index, suggestions, rules }: ExportOptions): Promise<Header> {
  const settings = await settingsOf(api, index);
  const queries = suggestions ? await readQueries(api, index) : [];
  const curation = rules ? await readCuration(api, index) : undefined;
  const told = { index, settings, ...(queries.length > 0 && { queries }) };
  // A command of before reads what has no rules.
  return curation === undefined ? { format: 3, ...told } : { format: 4, ...told, curation };
}

async function settingsOf(api: Api, index: string): Promise<Header['settings']> {
  return api.jsonOf(await api.call('GET', `${indexPath(index)}/settings`));
}

async function countOf(api: Api, index: string): Promise<number> {
  const stats = await api.call('GET', `${indexPath(index)}/stats`);
  return api.jsonOf<{ numberOfDocuments: number }>(stats).numberOfDocuments;
}

/** The pages of a scan. While one is written the next is on its way. */
async function* readPages(api: Api, { index, filter, vectors }: ExportOptions): AsyncGenerator<readonly Buffer[]> {
  const path = `${indexPath(index)}/documents/scan`;
  const ask = async (members: object): Promise<Page> => {
    const page = await api.call('POST', path, JSON.stringify({ limit: PAGE_DOCUMENTS, ...members }));
    return splitPage(page.body);
  };
  let next: Promise<Page> | undefined = ask({ exposeTensors: vectors, ...(filter !== undefined && { filter }) });
  while (next !== undefined) {
    const { documents, cursor }: Page = await next;
    next = cursor === null ? undefined : ask({ cursor });
    // Whoever stops reading must not leave a rejection behind that nobody hears of.
    next?.catch(() => {});
    yield documents;
  }
}

async function* counted(pages: Pages, advance: (count: number) => void) {
  for await (const documents of pages) {
    yield documents;
    advance(documents.length);
  }
}

async function exportLines(
  pages: Pages,
  header: Header | undefined,
  { compression }: FileFormat,
  output: Writable,
): Promise<void> {
  const compress = compressor(compression);
  const lines = writeLines(header, pages);
  if (compress === undefined) await pipeline(lines, output);
  else await pipeline(lines, compress as unknown as Writable & Readable, output);
}

async function exportParquet(pages: Pages, header: Header, partial: string): Promise<void> {
  await throughSpool(pages, partial, 'parquet', (columns, batches) =>
    writeParquet(partial, { ...header, columns }, batches),
  );
}

/** Gives the kinds of its columns and what tells that it is whole: neither can stand in a table. */
function exportCsv(pages: Pages, partial: string) {
  return throughSpool(pages, partial, 'csv', async (columns, batches) => {
    const sealing = new Sealing();
    await pipeline(writeCsv(columns, batches, sealing), createWriteStream(partial));
    return { columns, end: sealing.end() };
  });
}

function printCsv(pages: Pages, partial: string, out: Output) {
  return throughSpool(pages, partial, 'csv', async (columns, batches) => {
    const sealing = new Sealing();
    await printTo(out, writeCsv(columns, batches, sealing), withoutControls);
    return { end: sealing.end() };
  });
}

/** Writes to standard output; where that is a terminal, in a form that a terminal only shows. */
async function printTo(
  out: Output,
  chunks: AsyncIterable<Buffer | string>,
  shown: (text: string) => string,
): Promise<void> {
  await pipeline(out.isTTY === true ? changed(chunks, shown) : chunks, out, { end: false });
}

async function* changed(chunks: AsyncIterable<Buffer | string>, change: (text: string) => string) {
  const decoder = new StringDecoder();
  for await (const chunk of chunks) yield change(typeof chunk === 'string' ? chunk : decoder.write(chunk));
  yield change(decoder.end());
}

/**
 * A table names its columns before its first row, and each page may bring new ones: documents are written as lines
 * first, which keeps memory bounded, and then as a table.
 */
async function throughSpool<T>(
  pages: Pages,
  partial: string,
  format: 'csv' | 'parquet',
  write: (columns: Readonly<Record<string, ColumnKind>>, batches: AsyncIterable<ExactDocument[]>) => Promise<T>,
): Promise<T> {
  const spool = `${partial}.lines`;
  const kinds = new ColumnKinds(format === 'parquet');
  try {
    const seen = seeing(pages, kinds);
    await exportLines(seen, undefined, { format: 'jsonl', compression: 'none' }, createWriteStream(spool));
    return await write(kinds.get(), documentsIn(spool));
  } finally {
    await rm(spool, { force: true });
  }
}

async function* seeing(pages: Pages, kinds: ColumnKinds) {
  for await (const documents of pages) {
    for (const document of documents) kinds.see(readDocument(document.toString()));
    yield documents;
  }
}

async function* documentsIn(spool: string): AsyncGenerator<ExactDocument[]> {
  let batch: ExactDocument[] = [];
  let length = 0;
  const lines = await JsonLines.open(spool, 'none');
  for await (const items of lines.items(0)) {
    for (const { text } of items) {
      batch.push(readDocument(text));
      length += text.length;
      if (batch.length < ROW_GROUP_DOCUMENTS && length < ROW_GROUP_LENGTH) continue;
      yield batch;
      [batch, length] = [[], 0];
    }
  }
  yield batch;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
