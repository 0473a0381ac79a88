// A diary that is searched by meaning and by words, in one process.
import { open, PelorusError } from 'pelorus';

interface Entry {
  text: string;
  written: number;
}

const [, , command, ...words] = process.argv;
const text = words.join(' ');
const pelorus = await open({ data: process.env.DIARY ?? './diary-data' });
try {
  await pelorus.createIndex('diary', { model: 'hf/all-MiniLM-L6-v2' }).catch((error) => {
    if (!(error instanceof PelorusError && error.code === 'index_already_exists')) throw error;
  });
  const diary = pelorus.index<Entry>('diary');
  if (command === 'add' && text !== '') {
    const { outcomes } = await diary.add([{ text, written: Math.floor(Date.now() / 1000) }], {
      tensorFields: ['text'],
    });
    console.log(`Kept as ${outcomes[0]?.id}`);
  } else if (command === 'find' && text !== '') {
    const { hits } = await diary.search({ q: text, searchMethod: 'HYBRID', limit: 3 });
    for (const hit of hits) console.log(`${new Date(hit.written * 1000).toISOString().slice(0, 10)}  ${hit.text}`);
    if (hits.length === 0) console.log('Nothing is in the diary yet.');
  } else {
    console.error('usage: node diary.ts add TEXT | find TEXT');
    process.exitCode = 2;
  }
} finally {
  await pelorus.close();
}
