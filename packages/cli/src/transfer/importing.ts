import { showProgress } from '../progress.js';
import { ExitCode, StartFailure } from '../start-failure.js';
import { printJson, printJsonText } from '../terminal/json.js';
import { linesTo } from '../terminal/lines.js';
import type { Api } from './api.js';
import { batchesOf } from './batches.js';
import { Csv } from './csv.js';
import { type CurationOutcome, needsDocuments, putCuration } from './curation.js';
import { readItem } from './document-rules.js';
import { FailureReport } from './failures.js';
import type { ColumnKind, FileFormat, Header } from './file-format.js';
import type { ImportOptions } from './import-options.js';
import { checkLines, type ImportPlan, planImport } from './import-plan.js';
import { ImportState } from './import-state.js';
import { ImportTarget } from './import-target.js';
import { JsonLines } from './json-lines.js';
import { checkColumns } from './named-columns.js';
import { Parquet } from './parquet.js';
import { type Sampled, sampled } from './sample.js';
import { Importing, TooManyFailures } from './sending.js';
import type { Source } from './source.js';
import { putQueries } from './suggested-queries.js';
import { damaged, nameOf, TransferFailure } from './transfer-failure.js';

/** Documents that a dry run shows. */
const PREVIEW_DOCUMENTS = 3;

/**
 * Adds the documents of a file to an index, which is made where it is missing. Goes on where an earlier import of the same
 * file stopped. A dry run only shows on `out` what would be added first.
 *
 * @throws TransferFailure when it cannot go on, when documents were not stored, or for an export that is damaged: of a
 * file before anything is stored, of a stream at its end
 */
export async function importDocuments(
  api: Api,
  options: ImportOptions,
  err: NodeJS.WritableStream & NodeJS.WriteStream,
  out: NodeJS.WritableStream = process.stdout,
): Promise<void> {
  const { index, file } = options;
  const say = linesTo(err);
  const target = await targetOf(api, options, say);
  const state = await stateOf(api, options);
  const opened = await open(options, kindsOf(target, options), state?.mark);
  checkFlags(opened, options);
  const isChecked = await refuseDamaged(opened, options);
  const sample = await sampleOf(opened, file);
  const { source } = sample;
  const plan = await planImport(sample, options, target, state?.tensorFields);
  if (source.note !== undefined)
    say(`${options.from === undefined ? 'Columns of ' : ''}${nameOf(file)}: ${source.note}`);
  for (const note of plan.notes) say(`${nameOf(file)}: ${note}`);
  if (options.isDryRun) return preview(sample, plan, target, { json: options.json, say, out });
  const report = new FailureReport(options.failed);
  await report.check(file);
  const made = await target.ensure(source.header, options.model, source.vectors);
  if (made !== undefined) say(made);
  const begun = state?.items ?? 0;
  const refused = begun === 0 ? await importQueries(api, options, source.header, say) : 0;
  const { curation } = source.header ?? {};
  const isLate = curation !== undefined && needsDocuments(curation);
  const putRules = () => importCuration(api, options, source.header, say);
  let missing = isLate || begun > 0 ? undefined : await putRules();
  state?.choose(plan.tensorFields);
  state?.follow((items) => source.markOf?.(items));
  if (begun === 0) {
    await report.begin();
  } else {
    await report.goOn();
    say(`Going on after item ${begun} of ${file}; --restart begins anew`);
  }
  const progress = showProgress(err, `Importing into ${index}`, { unit: 'documents' });
  const how = { ...options, tensorFields: plan.tensorFields, mappings: plan.mappings };
  const importing = new Importing(api, how, report, state, source, progress);
  try {
    try {
      await importing.run(batchesOf(source.items(begun), plan.rules, options.batchSize));
    } catch (error) {
      if (error instanceof TooManyFailures) {
        progress.done();
        await state?.save();
        report.kinds().forEach(say);
        throw new TransferFailure(stoppedAt(report, state), ExitCode.NOT_STORED);
      }
      if (isOfFile(error)) {
        progress.done();
        await state?.end();
        throw new TransferFailure(`${error.message}. ${storedOf(importing.stored, report)}`, error.exitCode);
      }
      await state?.save();
      if (error instanceof TransferFailure && state !== undefined && state.items > 0) {
        throw new TransferFailure(
          `${error.message}. The same command goes on after item ${state.items}`,
          error.exitCode,
        );
      }
      throw error;
    }
    progress.done();
    if (isLate) missing = await putRules();
    await state?.end();
    if (target.isMade && begun === 0) {
      const replaced = importing.stored - ((await target.documents()) ?? importing.stored);
      if (replaced > 0) say(`${replaced} documents replaced others of the same id`);
    }
    const problem = isChecked ? undefined : await source.damage();
    if (problem !== undefined && !options.asIs) {
      throw damaged(file, `${problem}. ${storedOf(importing.stored, report)}`);
    }
    if (problem !== undefined) say(damaged(file, problem).message);
    report.kinds().forEach(say);
    if (report.count > 0) throw new TransferFailure(refusalsOf(report), ExitCode.NOT_STORED);
    if (refused > 0) throw new TransferFailure(`${refused} suggested queries were not stored`, ExitCode.NOT_STORED);
    if (missing !== undefined) throw new TransferFailure(`${missing} were not stored`, ExitCode.NOT_STORED);
  } finally {
    if (options.json) printJson(summaryOf(target, importing, report), out);
  }
}

/** Puts the queries of an export, before its documents: an import that goes on has them. Returns the number of refused ones. */
async function importQueries(
  api: Api,
  { index, batchSize }: ImportOptions,
  header: Header | undefined,
  say: (line: string) => void,
): Promise<number> {
  const queries = header?.queries ?? [];
  if (queries.length === 0) return 0;
  const refused = await putQueries(api, index, queries, batchSize);
  say(`Suggested queries in ${index}: ${queries.length - refused.length} of ${queries.length}`);
  const [first] = refused;
  if (first !== undefined) say(`A query that was refused: '${first.query}': ${first.message}`);
  return refused.length;
}

/** Puts the rules, synonyms and search defaults of an export. Tells which of them are missing. */
async function importCuration(
  api: Api,
  { index, rules }: ImportOptions,
  header: Header | undefined,
  say: (line: string) => void,
): Promise<CurationOutcome['missing']> {
  if (!rules || header?.curation === undefined) return undefined;
  const { missing, told } = await putCuration(api, index, header.curation);
  told.forEach(say);
  return missing;
}

function summaryOf({ index, isMade }: ImportTarget, { stored }: Importing, { count, file }: FailureReport): object {
  return { index, made: isMade, stored, refused: count, failed: count === 0 ? null : file };
}

/** The index; for a dry run nothing need be known of it. */
async function targetOf(api: Api, { index, isDryRun }: ImportOptions, say: (line: string) => void) {
  try {
    return await ImportTarget.find(api, index);
  } catch (error) {
    if (!isDryRun || !(error instanceof StartFailure)) throw error;
    say(`Nothing is known of the index ${index}: ${error.message}`);
    return ImportTarget.unknown(api, index);
  }
}

/** The progress of an import that can go on: standard input cannot be read again. */
async function stateOf(api: Api, options: ImportOptions): Promise<ImportState | undefined> {
  const { file, from, index, restart, isDryRun } = options;
  if (file === '-' || isDryRun) return undefined;
  return from === undefined
    ? ImportState.open(file, api.url, index, restart)
    : ImportState.ofRemote(from.url, api.url, index, restart);
}

/** A look at the first items of a file of other origin; an export needs none. */
async function sampleOf(opened: Source, file: string): Promise<Sampled> {
  const isStream = file === '-';
  if (opened.header !== undefined) {
    return { items: [], isWhole: false, source: isStream ? opened : await opened.again() };
  }
  try {
    const sample = await sampled(opened, isStream);
    checkLines(sample, file);
    const problem = sample.items.length === 0 ? await sample.source.damage() : undefined;
    if (problem !== undefined) throw damaged(file, problem);
    return sample;
  } catch (error) {
    throw isOfFile(error) ? nothingStored(error) : error;
  }
}

/** Shows the first documents as they would be added, and counts those of the sample that would be refused. */
async function preview(
  sample: Sampled,
  { rules, tensorFields }: ImportPlan,
  target: ImportTarget,
  { json, say, out }: { json: boolean; say: (line: string) => void; out: NodeJS.WritableStream },
): Promise<void> {
  let seen = 0;
  const shown: string[] = [];
  const refused: string[] = [];
  const isSampled = sample.items.length > 0;
  reading: for await (const items of isSampled ? [sample.items] : sample.source.items(0)) {
    for (const item of items) {
      const read = readItem(item, rules);
      seen += 1;
      if ('message' in read) refused.push(read.message);
      else if (shown.length < PREVIEW_DOCUMENTS) shown.push(read.text);
      if (!isSampled && shown.length === PREVIEW_DOCUMENTS) break reading;
    }
  }
  if (json) {
    const told = JSON.stringify({
      index: target.index,
      exists: target.isThere,
      tensorFields,
      seen,
      refused: refused.length,
    });
    // Documents are spelt as they would be sent.
    printJsonText(`${told.slice(0, -1)},"documents":[${shown.join(',')}]}`, out);
  } else for (const text of shown) printJsonText(text, out);
  if (refused.length > 0) say(`${refused.length} of the first ${seen} would be refused, such as: ${refused[0]}`);
  say(`Nothing was stored${target.isThere ? '' : `, and the index ${target.index} is to be made`}: this was a dry run`);
}

function stoppedAt(report: FailureReport, state: ImportState | undefined): string {
  const goesOn = state === undefined ? '' : `. The same command goes on after item ${state.items}`;
  return `Stopped, as --max-failures says: ${refusalsOf(report)}${goesOn}`;
}

/**
 * Refuses flags that this file gives nothing to do.
 * @throws TransferFailure
 */
function checkFlags({ header, names }: Source, options: ImportOptions): void {
  const { file, format, textFields, numberFields, tensorFields = [], mappings, encoding, delimiter, from } = options;
  const ofTables = { '--text-fields': textFields, '--number-fields': numberFields };
  const isOther = format.format !== 'csv' || header?.columns !== undefined;
  const idle = Object.entries(ofTables).find(([, named]) => named.length > 0)?.[0] ?? (delimiter && '--delimiter');
  if (isOther && idle !== undefined) {
    throw new TransferFailure(
      `${idle} is for CSV files of other origin, which ${nameOf(file)} is not`,
      ExitCode.BAD_CONFIGURATION,
    );
  }
  if (encoding !== undefined && (from !== undefined || !isDecoded(file, format))) {
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

function nothingStored({ message, exitCode }: TransferFailure): TransferFailure {
  return new TransferFailure(`${message}. Nothing of it was stored`, exitCode);
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

async function open(
  { file, format: { format, compression }, encoding, delimiter, idField, from, model }: ImportOptions,
  kinds: ReadonlyMap<string, ColumnKind>,
  mark: string | undefined,
): Promise<Source> {
  if (from !== undefined) {
    const { RemoteDocuments } = await import('./remote/remote-documents.js');
    const { openRemote } = await import('./remote/open-remote.js');
    return new RemoteDocuments(await openRemote(from), model === undefined, mark);
  }
  try {
    if (format === 'csv') {
      // An id is the cell as it stands.
      const known = idField === undefined ? kinds : new Map(kinds).set(idField, kinds.get(idField) ?? 'text');
      return await Csv.open(file, { compression, encoding, delimiter, kinds: known });
    }
    return format === 'parquet' ? await Parquet.open(file) : await JsonLines.open(file, compression, encoding);
  } catch (error) {
    if (isOfFile(error)) throw nothingStored(error);
    if (error instanceof TransferFailure) throw error;
    throw new TransferFailure(`${file} cannot be read: ${(error as Error).message}`, ExitCode.BAD_CONFIGURATION);
  }
}

/** Kinds of columns of a CSV file: those that the index declares, and those named by options, which win. */
function kindsOf(target: ImportTarget, { textFields, numberFields }: ImportOptions): Map<string, ColumnKind> {
  const kinds = target.kinds();
  for (const name of textFields) kinds.set(name, 'text');
  for (const name of numberFields) kinds.set(name, 'float');
  return kinds;
}
