import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from './server-process.js';

const data = emptyFolder('encoders');
afterAll(() => rmSync(data, { recursive: true, force: true }));

const THINGS = ['chair', 'lamp', 'boots', 'kettle', 'tent', 'violin', 'bicycle', 'notebook', 'scarf', 'telescope'];
const USES = ['for cold mornings', 'that a child can carry', 'made of oak', 'for long journeys', 'to give away'];
const documents = THINGS.flatMap((thing, i) =>
  USES.map((use, j) => ({
    _id: `${i}-${j}`,
    title: `A ${thing} ${use}`,
    text: `${use}, this ${thing} lasts ${i + j} years.`,
  })),
);
const QUERIES = ['something to sit on', 'see the stars', 'warm clothes', 'music', 'ride to work', 'a present of wood'];

/** Runs a server with these flags until `use` is through. */
async function serving<T>(flags: string[], use: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await ServerProcess.start(['--data', data, ...flags]);
  try {
    return await use(server);
  } finally {
    await server.end();
  }
}

const search = (server: ServerProcess, q: string): Promise<{ hits: { _id: string; _score: number }[] }> =>
  server.ok('POST', '/indexes/things/search', { q, limit: 20 });
const answersOf = (server: ServerProcess) => Promise.all(QUERIES.map((q) => search(server, q)));
const programOf = async (server: ServerProcess) => {
  const { models } = await server.ok('GET', '/models');
  return models.map(({ encoder }: { encoder: string }) => encoder);
};

test('an index that ONNX Runtime filled answers the same under the encoder of Pelorus, and by default', async () => {
  const before = await serving(['--encoder', 'onnxruntime'], async (server) => {
    await server.ok('POST', '/indexes/things', { model: 'hf/all-MiniLM-L6-v2' });
    await server.ok('POST', '/indexes/things/documents', { documents, tensorFields: ['title', 'text'] });
    const answers = await answersOf(server);
    expect(await programOf(server)).toEqual(['onnxruntime']);
    return answers;
  });
  for (const flags of [['--encoder', 'pelorus'], []]) {
    await serving(flags, async (server) => {
      const after = await answersOf(server);
      if (flags.length > 0) expect(await programOf(server)).toEqual(['pelorus']);
      for (const [at, { hits }] of after.entries()) {
        const expected = before[at]?.hits ?? [];
        expect(hits.map(({ _id }) => _id)).toEqual(expected.map(({ _id }) => _id));
        for (const [rank, { _score }] of hits.entries()) expect(_score).toBeCloseTo(expected[rank]?._score ?? -1, 5);
      }
      // A document that comes again now has the vector that it had.
      await server.ok('POST', '/indexes/things/documents', {
        documents: documents.slice(0, 5),
        tensorFields: ['title', 'text'],
      });
      const again = await search(server, documents[0]?.title ?? '');
      expect(again.hits[0]?._id).toBe('0-0');
    });
  }
});
