// A diary that is searched by meaning and by words, in one process.
import { open, PelorusError } from 'pelorus';

interface Entry {
  text: string;
  written: number;
}

const [, , command, ...texts] = process.argv;
const pelorus = await open({ data: process.env.DIARY ?? './diary-data' });
try {
  await pelorus.createIndex('diary', { model: 'hf/all-MiniLM-L6-v2' }).catch((error) => {
    if (!(error instanceof PelorusError && error.code === 'index_already_exists')) throw error;
  });
  const diary = pelorus.index<Entry>('diary');
  if (command === 'add' && texts.length > 0) {
    const written = Math.floor(Date.now() / 1000);
    const entries = texts.map((text) => ({ text, written }));
    const { stored } = await diary.add(entries, { tensorFields: ['text'] });
    console.log(`${stored} kept`);
  } else if (command === 'find' && texts.length > 0) {
    const { hits } = await diary.search({ q: texts.join(' '), searchMethod: 'HYBRID', limit: 3 });
    for (const hit of hits) console.log(`${new Date(hit.written * 1000).toISOString().slice(0, 10)}  ${hit.text}`);
    if (hits.length === 0) console.log('Nothing is in the diary yet.');
  } else {
    console.error('usage: node diary.ts add TEXT... | find TEXT');
    process.exitCode = 2;
  }
} finally {
  await pelorus.close();
}
