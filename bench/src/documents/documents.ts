import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { CACHE } from '../paths.ts';
import { measureAdding, measureEnd } from './compared.ts';
import { Corpus } from './corpus.ts';
import { type Database, startPeers } from './database.ts';
import { Ours } from './ours.ts';
import { measureOwn, type OwnPlan } from './own.ts';
import { measureTransfer } from './transfer.ts';
import { Turns } from './turns.ts';

interface DocumentsDefinition extends OwnPlan {
  documents: number;
  queries: number;
}

/** The cost of documents that bring their vectors: to add, change, read, keep and delete, beside other databases. */
export const documents: Bench = async ({ quick, peers: only, say }) => {
  const plan = definition<DocumentsDefinition>('documents', quick);
  say('making documents');
  const corpus = new Corpus(plan.documents, plan.queries);
  const { dim, title } = corpus.vectors;
  await mkdir(CACHE, { recursive: true });
  // Not the folder for temporary files, which may be memory: a sync there costs nothing.
  const folder = await mkdtemp(join(CACHE, 'documents-'));
  const notes = [
    'peers are called within their process, PostgreSQL over its socket, the calls made ready off the clock; ours is ' +
      'sent JSON over HTTP, from the same machine, and its titles can be searched as well',
    `scans are of the same ${plan.documents} documents`,
    `vectors: ${title}`,
  ];
  const [input, data] = [join(folder, 'input'), join(folder, 'pelorus')];
  for (const each of [input, data]) await mkdir(each);
  await corpus.writeTo(input);
  const databases: Database[] = [];
  try {
    const peers = await startPeers(input, folder, corpus, only, say, (line) => notes.push(line));
    databases.push(...peers);
    const ours = await Ours.start(corpus, data);
    databases.push(ours);
    const turns = new Turns(ours, peers, (line) => notes.push(line));
    const rows = [
      ...(await measureAdding(turns, corpus, plan.rounds, say)),
      ...(await measureOwn(ours, corpus, folder, plan, say)),
      ...(await measureTransfer(ours, corpus.count, folder, say)),
      ...(await measureEnd(turns, corpus, plan.rounds, say)),
    ];
    return { rows, notes, dataset: { ...plan, dim } };
  } finally {
    for (const database of databases) await database.close();
    await rm(folder, { recursive: true, force: true });
  }
};
