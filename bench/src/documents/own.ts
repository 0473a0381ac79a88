import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { batches, type Corpus, partOf, scattered } from './corpus.ts';
import { BATCH } from './database.ts';
import { SyncedFile } from './disk.ts';
import type { Ours, Shown } from './ours.ts';

const TARGETS = { updatedPerSecond: 20_000, updateMs: 3, getMs: 2, scannedPerSecond: 100_000 };
/** Documents of one get. */
const GOT = 100;

export interface OwnPlan {
  rounds: number;
  /** Documents updated one by one. */
  singleUpdates: number;
  /** Requests for documents by id. */
  gets: number;
}

/** Measures two operations of ours alone: to change single numbers, and to give documents back as they then are. */
export async function measureOwn(
  ours: Ours,
  corpus: Corpus,
  folder: string,
  { rounds, singleUpdates, gets }: OwnPlan,
  say: (line: string) => void,
): Promise<Row[]> {
  const expected = new Expected(corpus);
  say('updating a number of every document');
  const updates = await updateAll(ours, expected, rounds);
  await ours.settle();
  say('updating one document at a time');
  const singly = await updateSingly(ours, expected, folder, singleUpdates);
  say('reading documents back');
  const got = await getSome(ours, expected, gets);
  const scans: number[] = [];
  for (let round = 0; round < rounds; round += 1) scans.push(await scanAll(ours, expected));
  await ours.settle();
  const [disk, { residentBytes }] = [await ours.diskBytes(), await ours.state()];
  const single = 'update of one document, ack p50 (ms)';
  const updated = `update of a number, ${BATCH} a request (docs/s)`;
  return [
    compare(updated, 'higher', median(updates), 'target', TARGETS.updatedPerSecond),
    compare(single, 'lower', median(singly.updateMs), 'target', TARGETS.updateMs),
    {
      ...compare(single, 'lower', median(singly.updateMs), 'write and sync of 4 KiB', median(singly.syncMs)),
      ratio: median(singly.syncMs.map((milliseconds, i) => milliseconds / (singly.updateMs[i] ?? 0))),
    },
    compare(`get of ${GOT} documents, p50 (ms)`, 'lower', median(got), 'target', TARGETS.getMs),
    compare('scan of all (docs/s)', 'higher', median(scans), 'target', TARGETS.scannedPerSecond),
    compare('on disk after the updates (bytes/document)', 'lower', disk / corpus.count),
    compare('resident after all this (MiB)', 'lower', residentBytes / 2 ** 20),
  ];
}

/** The documents as they should be, update after update. */
class Expected {
  readonly corpus: Corpus;
  readonly #numbers: Int32Array;

  constructor(corpus: Corpus) {
    this.corpus = corpus;
    this.#numbers = Int32Array.from({ length: corpus.count }, (_, id) => id);
  }

  /** A number that the document has not had yet. */
  change(id: number): number {
    const number = (this.#numbers[id] ?? 0) + this.corpus.count;
    this.#numbers[id] = number;
    return number;
  }

  check(id: number, { _id, title, number }: Partial<Shown> = {}): void {
    if (_id === `${id}` && title === this.corpus.title(id) && number === this.#numbers[id]) return;
    throw new Error(`document ${id} came back as ${_id}, ${title}, ${number} instead of ${this.#numbers[id]}`);
  }
}

/** Updates a part of the documents in each round, none next to another; documents a second. */
async function updateAll(ours: Ours, expected: Expected, rounds: number): Promise<number[]> {
  const { count } = expected.corpus;
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { first, end } = partOf(count, round, rounds);
    const requests = batches(first, end, BATCH).map((places) => places.map((place) => scattered(place, count)));
    const seconds = await ours.update(requests, (id) => expected.change(id));
    rates.push((end - first) / seconds);
  }
  return rates;
}

/** Updates one document, syncs a page beside it, and so on; the first tenth warms up. */
async function updateSingly(ours: Ours, expected: Expected, folder: string, count: number) {
  const file = await SyncedFile.create(folder);
  const [updateMs, syncMs]: [number[], number[]] = [[], []];
  for (let i = 0; i < count; i += 1) {
    const id = scattered(i, expected.corpus.count);
    const seconds = await ours.update([[id]], () => expected.change(id));
    const milliseconds = await file.write();
    if (i < count / 10) continue;
    updateMs.push(1000 * seconds);
    syncMs.push(milliseconds);
  }
  await file.close();
  return { updateMs, syncMs };
}

async function getSome(ours: Ours, expected: Expected, count: number): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const ids = Array.from({ length: GOT }, (_, j) => scattered(i * GOT + j, expected.corpus.count));
    const { seconds, documents } = await ours.get(ids);
    for (const [j, id] of ids.entries()) expected.check(id, documents[j]);
    if (i >= count / 10) milliseconds.push(1000 * seconds);
  }
  return milliseconds;
}

/** Documents a second. */
async function scanAll(ours: Ours, expected: Expected): Promise<number> {
  const { count } = expected.corpus;
  const { seconds, documents } = await ours.scan();
  const ids = new Set(documents.map(({ _id }) => Number(_id)));
  if (documents.length !== count || ids.size !== count) {
    throw new Error(`a scan gave ${documents.length} documents, ${ids.size} of them distinct, of ${count}`);
  }
  for (const document of documents) expected.check(Number(document._id), document);
  return count / seconds;
}
