import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { DataVerification, type IndexVerification } from '@pelorus/engine';
import { showProgress } from '../progress.js';
import { ExitCode, StartFailure } from '../start-failure.js';
import { printJson } from '../terminal/json.js';
import { type Output, stylesFor } from '../terminal/style.js';
import { type Cell, tableOf } from '../terminal/table.js';
import { counted, countText } from '../terminal/units.js';
import { type FileFinding, otherFiles } from './other-files.js';

/** The state of all files of a data directory. */
export interface Verification {
  /** The worst of all: `truth` is kept nowhere else, `derived` is made anew by the next start. */
  readonly verdict: 'ok' | 'derived' | 'truth';
  readonly indexes: readonly IndexVerification[];
  /** Files of keys, shops, events and hosted records. */
  readonly files: readonly FileFinding[];
}

/**
 * Prints the state of every file of a data directory, and what to do about those that are damaged. A problem makes the exit
 * code 1.
 * @throws StartFailure where a server uses the directory, it is of a newer form, or it is none
 */
export async function verify(data: string, json: boolean): Promise<void> {
  const found = await verified(resolve(data), process.stderr);
  if (json) printJson(found);
  else process.stdout.write(verificationText(found));
  if (found.verdict !== 'ok') process.exitCode = ExitCode.FAILED;
}

export async function verified(data: string, out: NodeJS.WriteStream): Promise<Verification> {
  const there = await stat(data).catch(() => null);
  if (!there?.isDirectory()) {
    throw new StartFailure(ExitCode.DATA_DIRECTORY_UNREADABLE, `${data} is no folder: name a data directory`);
  }
  const indexes: IndexVerification[] = [];
  for (const folder of [data, ...(await hostedFolders(data))]) {
    const verification = new DataVerification(folder);
    for (let number = 0; number < verification.indexCount; number += 1) {
      const index = verifiedIndex(verification, number, out);
      indexes.push({ ...index, folder: join(relative(data, folder), index.folder) });
    }
  }
  const files = await otherFiles(data);
  return { verdict: verdictOf(indexes, files), indexes, files };
}

/** The data directories of hosted indexes, which have one each. */
async function hostedFolders(data: string): Promise<string[]> {
  const hosted = join(data, 'hosted', 'indexes');
  const names = await readdir(hosted).catch(() => []);
  return names.map((name) => join(hosted, name, 'data')).filter((folder) => existsSync(folder));
}

function verifiedIndex(verification: DataVerification, number: number, out: NodeJS.WriteStream): IndexVerification {
  let progress: ReturnType<typeof showProgress> | undefined;
  let before = 0;
  const index = verification.verify(number, (done, total) => {
    // A check that is over at once needs no bar.
    if (progress === undefined && done === total) return;
    progress ??= showProgress(out, `index ${number + 1} of ${verification.indexCount}`, { total, unit: 'documents' });
    progress.advance(done - before);
    before = done;
  });
  progress?.done();
  return index;
}

function verdictOf(indexes: readonly IndexVerification[], files: readonly FileFinding[]): Verification['verdict'] {
  const kinds = [...indexes.flatMap(({ problems }) => problems), ...files].map(({ kind }) => kind);
  return (['truth', 'derived'] as const).find((kind) => kinds.includes(kind)) ?? 'ok';
}

/** A line for each index with its problems, one for each other file that is damaged, and a closing line. */
export function verificationText({ verdict, indexes, files }: Verification, out?: Output): string {
  const { good, warning, bad, dim } = stylesFor(out);
  const styles = { ok: good, derived: warning, truth: bad };
  const stateOf = (problems: readonly { readonly kind: 'truth' | 'derived' }[]) =>
    (['truth', 'derived'] as const).find((kind) => problems.some((one) => one.kind === kind)) ?? 'ok';
  const linesOf = ({ part, reason, remedy }: { part: string; reason: string; remedy: string }): Cell => [
    `${part}: ${reason}`,
    { text: remedy, style: dim },
  ];
  const cells = (
    name: string,
    [documents, vectors]: readonly [string, string],
    problems: readonly { readonly kind: 'truth' | 'derived'; part: string; reason: string; remedy: string }[],
    more = 0,
  ): Cell[] => [
    { text: stateOf(problems), style: styles[stateOf(problems)] },
    name,
    documents,
    vectors,
    [...problems.flatMap(linesOf), ...(more > 0 ? [`and ${counted(more, 'problem')} more`] : [])] as Cell,
  ];
  const rows = [
    ...indexes.map(({ name, documents, vectors, problems, moreProblems }) =>
      cells(name, [countText(documents), countText(vectors)], problems, moreProblems),
    ),
    ...files.map((file) => cells(file.part, ['', ''], [{ ...file, part: 'file' }])),
  ];
  const columns = [
    { title: '' },
    { title: 'index or file' },
    { title: 'documents', isRight: true },
    { title: 'vectors', isRight: true },
    { title: 'problems' },
  ];
  const closing = {
    ok: `Every file is as it was written: ${counted(indexes.length, 'index', 'indexes')}.`,
    derived: 'Only files that the next start makes anew are damaged: nothing is lost, and nothing is to be done.',
    truth: 'Files are damaged that are kept nowhere else.',
  };
  return `${rows.length > 0 ? `${tableOf(columns, rows, out)}\n` : ''}${closing[verdict]}\n`;
}
