import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Documents, queries, and how relevant the one are to the other by the judgement of people. */
export interface Collection {
  readonly name: string;
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[];
  /** Those that have a relevant document. */
  readonly queries: readonly Query[];
}

export interface Query {
  readonly text: string;
  /** By id of the document: above 0. */
  readonly grades: ReadonlyMap<string, number>;
}

type Judgement = readonly [query: number, document: string, grade: number];

/** A collection in the form that SMART gave it: entries from `.I`, members from `.T` title and `.W` text. */
interface Files {
  readonly documents: string;
  readonly queries: string;
  readonly judgements: string;
  /** The way a judgement names its query: by its place among them, or by the number behind `.I`. */
  readonly queryNumbers: 'place' | 'entry';
  readonly grade: (columns: readonly string[]) => number;
}

const FILES: Readonly<Record<string, Files>> = {
  cranfield: {
    documents: 'cran.all',
    queries: 'cran.qry',
    judgements: 'cranqrel',
    queryNumbers: 'place',
    // 1 is a complete answer and 4 of little interest; -1 and 5 are none at all.
    grade: ([, , code]) => ({ '1': 4, '2': 3, '3': 2, '4': 1 })[code ?? ''] ?? 0,
  },
  cisi: {
    documents: 'CISI.ALL',
    queries: 'CISI.QRY',
    judgements: 'CISI.REL',
    queryNumbers: 'entry',
    grade: () => 1,
  },
};

/** The collections in a folder. */
export function collections(folder: string): Collection[] {
  return Object.entries(FILES).map(([name, files]) => {
    const read = (file: string) => readFileSync(join(folder, file), 'latin1');
    const judgements = read(files.judgements)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns.length > 1)
      .map((columns): Judgement => [Number(columns[0]), columns[1] ?? '', files.grade(columns)]);
    return collection(
      name,
      entries(read(files.documents)),
      entries(read(files.queries)),
      judgements,
      files.queryNumbers,
    );
  });
}

function collection(
  name: string,
  documents: readonly Entry[],
  queries: readonly Entry[],
  judgements: readonly Judgement[],
  queryNumbers: Files['queryNumbers'],
): Collection {
  return {
    name,
    documents: documents.map(({ number, members }) => ({
      id: `${number}`,
      title: members.get('T') ?? '',
      text: members.get('W') ?? '',
    })),
    queries: queries.flatMap(({ number, members }, place) => {
      const wanted = queryNumbers === 'place' ? place + 1 : number;
      const grades = new Map(
        judgements.filter(([query, , grade]) => query === wanted && grade > 0).map(([, id, grade]) => [id, grade]),
      );
      // A quote means a required phrase to us and nothing to others.
      const text = (members.get('W') ?? '').replaceAll('"', ' ');
      return grades.size === 0 ? [] : [{ text, grades }];
    }),
  };
}

export interface Entry {
  readonly number: number;
  /** Texts by their letter, lines joined by blanks. */
  readonly members: ReadonlyMap<string, string>;
}

/** The entries of a file. */
export function entries(text: string): Entry[] {
  const found: { number: number; members: Map<string, string> }[] = [];
  let letter = '';
  for (const line of text.split('\n')) {
    const start = /^\.I\s+(\d+)/.exec(line);
    const member = /^\.([A-Z])\s*$/.exec(line);
    const entry = found.at(-1);
    if (start !== null) found.push({ number: Number(start[1]), members: new Map() });
    else if (member !== null) letter = member[1] ?? '';
    else if (entry !== undefined) {
      const before = entry.members.get(letter);
      entry.members.set(letter, before === undefined ? line.trim() : `${before} ${line.trim()}`);
    }
  }
  return found;
}
