import { Connection } from './connection.ts';
import type { ServerProcess } from './server-process.ts';

/** Documents of one request. */
const BATCH = 128;

/** Documents that are written out, as JSON, when their turn comes. */
export interface Filling {
  readonly count: number;
  document(at: number): string;
  /** Further members of each request, as JSON without braces. */
  readonly rest: string;
}

/** Makes `index` anew by `settings`, adds the documents on two connections, and waits until the server has caught up. */
export async function fill(
  server: ServerProcess,
  index: string,
  settings: object,
  { count, document, rest }: Filling,
): Promise<void> {
  const { results } = await server.call<{ results: { indexName: string }[] }>('GET', '/indexes');
  if (results.some(({ indexName }) => indexName === index)) await server.call('DELETE', `/indexes/${index}`);
  await server.call('POST', `/indexes/${index}`, settings);
  let next = 0;
  const lane = async () => {
    const connection = new Connection(server.address);
    while (next < count) {
      const first = next;
      next = Math.min(first + BATCH, count);
      const part = Array.from({ length: next - first }, (_, at) => document(first + at));
      const answer = await connection.post(`/indexes/${index}/documents`, `{"documents":[${part.join(',')}],${rest}}`);
      if ((JSON.parse(answer) as { errors: boolean }).errors) throw new Error('a document was refused');
    }
    connection.close();
  };
  await Promise.all([lane(), lane()]);
  await server.untilIdle();
}
