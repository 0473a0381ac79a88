import { t } from '../../strings/strings.js';
import { FileFault, type FileRow, textPieces } from '../data/files/file-row.js';
import { openFile } from '../data/files/table-file.js';
import type { Configuration } from './configuration.js';
import { JUDGEMENTS_MAX, type JudgedQuery, judgementCount, QUERIES_MAX, QUERY_LENGTH_MAX } from './judged-queries.js';

/** A set as a file has it. */
export interface FileSet {
  readonly queries: readonly JudgedQuery[];
  /** Ways to search that a file of a set has: the server checks them. */
  readonly configurations: readonly Configuration[];
  /** Grades that were below 0 or above 3, and became these. */
  readonly movedGrades: number;
  /** Topics that the file of topics has no text for; their numbers stand for them. */
  readonly unnamedTopics: number;
}

/** A whole file is held in memory. */
export const FILE_BYTES_MAX = 16 * 1024 * 1024;
const ID_LENGTH_MAX = 2_048;
const GRADE_MAX = 3;

/** One grade of a file, by the line or row that it stands in. */
interface Judgement {
  readonly row: number;
  readonly query: string;
  readonly id: string;
  readonly grade: number;
}

/** Names of columns that other tools write, in the order in which they are looked for. */
const COLUMNS = {
  query: ['query', 'q', 'query_text', 'topic', 'query_id', 'qid'],
  id: ['_id', 'id', 'docid', 'doc_id', 'document', 'document_id', 'docno', 'object_id'],
  grade: ['grade', 'rating', 'judgement', 'judgment', 'relevance', 'rel', 'label'],
} as const;

/**
 * Reads the judgements of a file: TREC qrels, CSV with a line of names, or JSON, which is a list of rows, one row in each
 * line, or a set as the server has it.
 *
 * @param topics texts of the topics that qrels name by their numbers
 * @throws FileFault
 */
export async function readJudgements(file: File, topics?: File): Promise<FileSet> {
  const texts = topics === undefined ? undefined : topicTexts(await wholeText(topics));
  const text = await wholeText(file);
  const set = setOf(text);
  if (set !== undefined) {
    return { ...collected(set.judgements, texts, set.queries), configurations: set.configurations };
  }
  return collected(isQrels(text) ? qrelsOf(text) : await rowsOf(file), texts);
}

async function wholeText(file: File): Promise<string> {
  if (file.size > FILE_BYTES_MAX) throw new FileFault(t.relevance.faults.large);
  let text = '';
  for await (const piece of textPieces(file)) text += piece;
  return text;
}

/** A set in the form of the server; undefined where the text is none. */
function setOf(
  text: string,
): (Pick<FileSet, 'configurations'> & { queries: string[]; judgements: Judgement[] }) | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // One object in each line, or a fault that is told when these are read.
    return undefined;
  }
  const { queries, configurations = [] } = parsed as { queries?: unknown; configurations?: unknown };
  if (!Array.isArray(queries)) return undefined;
  const judgements = queries.flatMap((one, place) => {
    const { q, judgements: grades } = (one ?? {}) as { q?: unknown; judgements?: unknown };
    if (typeof q !== 'string' || typeof grades !== 'object' || grades === null) {
      throw new FileFault(t.relevance.faults.query(place + 1));
    }
    return Object.entries(grades).map(([id, grade]) => judgementOf(place + 1, q, id, grade));
  });
  if (!Array.isArray(configurations)) throw new FileFault(t.relevance.faults.configurations);
  return { queries: queries.map(({ q }) => q), judgements, configurations };
}

/** Four columns with blanks between: topic, round, document, grade. */
const QRELS_LINE = /^\s*(\S+)\s+\S+\s+(\S+)\s+(-?\d+(?:\.\d+)?)\s*$/;

const isQrels = (text: string): boolean => QRELS_LINE.test(text.trimStart().split('\n', 1)[0] ?? '');

function qrelsOf(text: string): Judgement[] {
  return text.split('\n').flatMap((line, place) => {
    if (line.trim() === '') return [];
    const [, query = '', id = '', grade] = QRELS_LINE.exec(line) ?? [];
    if (grade === undefined) throw new FileFault(t.relevance.faults.qrels(place + 1));
    return [judgementOf(place + 1, query, id, grade)];
  });
}

async function rowsOf(file: File): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  const table = await openFile(file);
  for await (const { row, fields = {}, fault } of table.rows()) {
    if (fault !== undefined) throw new FileFault(t.data.rowFault(row, fault));
    const [query, id, grade] = (['query', 'id', 'grade'] as const).map((column) => cellOf(fields, column, row));
    judgements.push(judgementOf(row, String(query), String(id), grade));
  }
  return judgements;
}

function cellOf(fields: NonNullable<FileRow['fields']>, column: keyof typeof COLUMNS, row: number): unknown {
  const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]));
  const name = COLUMNS[column].map((one) => names.get(one)).find((one) => one !== undefined);
  if (name !== undefined) return fields[name];
  throw new FileFault(t.relevance.faults.column(row, column, COLUMNS[column].join(', ')));
}

function judgementOf(row: number, query: string, id: string, grade: unknown): Judgement {
  const number = typeof grade === 'string' && grade.trim() !== '' ? Number(grade) : grade;
  if (typeof number !== 'number' || !Number.isInteger(number)) {
    throw new FileFault(t.relevance.faults.grade(row, String(grade).slice(0, 60)));
  }
  if (query.trim() === '' || query.length > QUERY_LENGTH_MAX) throw new FileFault(t.relevance.faults.query(row));
  if (id === '' || id.length > ID_LENGTH_MAX) throw new FileFault(t.relevance.faults.id(row));
  return { row, query, id, grade: number };
}

/** Texts by the numbers of their topics: a line for each, or the entries that TREC publishes. */
export function topicTexts(text: string): ReadonlyMap<string, string> {
  const entries = /<num>\s*(?:Number:)?\s*(\S+?)\s*(?:<\/num>)?\s*<title>\s*(?:Topic:)?\s*([^<\n]+)/gi;
  const published = [...text.matchAll(entries)];
  const lines = published.length > 0 ? published : [...text.matchAll(/^"?([^\t,;"\n]+)"?[\t,;][ \t]*(\S.*)$/gm)];
  if (lines.length === 0) throw new FileFault(t.relevance.faults.topics);
  return new Map(lines.map(([, number = '', title = '']) => [number.trim(), unquoted(title.trim())]));
}

const unquoted = (text: string): string => (/^".*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text);

/** Grades by query and document; the last one counts of two for the same. */
function collected(
  judgements: readonly Judgement[],
  texts: ReadonlyMap<string, string> | undefined,
  queries: readonly string[] = [],
): FileSet {
  const byQuery = new Map<string, Map<string, number>>(queries.map((q) => [q, new Map()]));
  const unnamed = new Set<string>();
  let movedGrades = 0;
  for (const { query, id, grade } of judgements) {
    const text = texts?.get(query);
    if (texts !== undefined && text === undefined) unnamed.add(query);
    const bound = Math.min(Math.max(grade, 0), GRADE_MAX);
    if (bound !== grade) movedGrades += 1;
    const grades = byQuery.get(text ?? query) ?? new Map<string, number>();
    byQuery.set(text ?? query, grades.set(id, bound));
  }
  const all = [...byQuery].map(([q, grades]) => ({ q, grades }));
  const count = judgementCount(all);
  if (all.length === 0) throw new FileFault(t.relevance.faults.none);
  if (all.length > QUERIES_MAX || count > JUDGEMENTS_MAX) {
    throw new FileFault(t.relevance.faults.many(all.length, count, QUERIES_MAX, JUDGEMENTS_MAX));
  }
  return { queries: all, configurations: [], movedGrades, unnamedTopics: unnamed.size };
}
