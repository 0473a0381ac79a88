// Six calls by the generated TypeScript client. Arguments: address of the server, name of an index. Prints what came.

import { client } from './generated/client.gen.js';
import { addDocuments, createIndex, deleteIndex, getDocument, search } from './generated/index.js';

const [baseUrl, indexName] = process.argv.slice(2) as [string, string];
client.setConfig({ baseUrl });
const path = { indexName };
const throwOnError = true as const;

async function main(): Promise<void> {
  const created = await createIndex({ path, body: { model: 'random/small' }, throwOnError });

  const documents = [
    { _id: '1', title: 'red shoe', price: 79.5, sizes: ['41', '42'] },
    { _id: '2', title: 'blue hat', price: 12 },
  ];
  const added = await addDocuments({ path, body: { documents, tensorFields: ['title'] }, throwOnError });

  const found = await search({ path, body: { q: 'red shoe', searchMethod: 'LEXICAL' }, throwOnError });
  const hits = found.data.hits.map(({ _score, _highlights, ...members }) => members);
  // A field of a document has a type that names nothing: the program knows what it stored.
  const title: unknown = found.data.hits[0]?.title;

  const document = await getDocument({ path: { indexName, documentId: '1' }, throwOnError });
  const missing = await getDocument({ path: { indexName, documentId: 'nobody' } });
  const deleted = await deleteIndex({ path, throwOnError });

  const refusal = missing.error as { code: string } | undefined;
  console.log(
    JSON.stringify({
      created: created.data.index,
      added: added.data.items.map(({ status }) => status),
      hits: title === undefined ? [] : hits,
      document: document.data,
      missing: [missing.response?.status, refusal?.code],
      deleted: deleted.data.acknowledged,
    }),
  );
}

main();
