// Finds parts of Markdown files: documentation.ts FOLDER QUERY
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pelorus, PelorusError } from '@pelorus/client';

interface Part {
  page: string;
  heading: string;
  text: string;
  /** Tells whether a part has changed. */
  sum: string;
}

const [, , folder = '.', ...words] = process.argv;
const pelorus = new Pelorus({ url: process.env.PELORUS_URL ?? 'http://127.0.0.1:8882' });
const parts = pelorus.index<Part>('documentation');

await pelorus.createIndex('documentation', { model: process.env.MODEL ?? 'hf/all-MiniLM-L6-v2' }).catch((error) => {
  if (!(error instanceof PelorusError && error.code === 'index_already_exists')) throw error;
});
await bringUpToDate(readParts(folder));

const { hits } = await parts.search({
  q: words.join(' '),
  searchMethod: 'HYBRID',
  prefix: 'last',
  typoTolerance: true,
  lexicalHighlights: { fields: ['text'], fragmentSize: 100, preTag: '*', postTag: '*' },
  attributesToRetrieve: ['page', 'heading', 'text'],
  limit: 5,
});
for (const { page, heading, text, _lexicalHighlights } of hits) {
  const [found] = (_lexicalHighlights as { text?: string[] } | undefined)?.text ?? [];
  console.log(`${page}: ${heading}\n    ${(found ?? text.slice(0, 100)).replace(/\s+/g, ' ')}`);
}

/** The parts of all Markdown files below a folder, by their ids. */
function readParts(folder: string): Map<string, Part> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const found = new Map<string, Part>();
  for (const page of files) {
    // A line of comment in a block of code is no heading.
    const text = readFileSync(join(folder, page), 'utf8').replace(/^```[\s\S]*?^```$/gm, (block) =>
      block.replace(/^#/gm, ' #'),
    );
    for (const part of text.split(/^(?=#+ )/m)) {
      const [, heading = page, body = ''] = /^#+ (.*)\n([\s\S]*)$/.exec(part) ?? [];
      if (body.trim() === '') continue;
      const sum = createHash('sha256').update(part).digest('hex');
      found.set(`${page}#${heading}`, { page, heading, text: body.trim(), sum });
    }
  }
  return found;
}

async function bringUpToDate(wanted: ReadonlyMap<string, Part>): Promise<void> {
  const known = new Map<string, string>();
  for await (const { _id, sum } of parts.scan()) known.set(_id, sum);
  const changed = [...wanted].filter(([id, { sum }]) => known.get(id) !== sum).map(([_id, part]) => ({ _id, ...part }));
  const gone = [...known.keys()].filter((id) => !wanted.has(id));
  if (changed.length > 0) await parts.add(changed, { tensorFields: ['heading', 'text'] });
  if (gone.length > 0) await parts.delete(gone);
  console.log(`${wanted.size} parts, ${changed.length} of them sent, ${gone.length} deleted`);
}
