import type { ServerProcess } from '../../../cli/test/e2e/server-process.js';

/** Resolves with the path of the endpoint of an index of the hosted form, once it is ready. */
export async function untilReady(server: ServerProcess, name: string): Promise<string> {
  for (;;) {
    const { indexStatus, marqoEndpoint } = await server.ok('GET', `/api/v2/indexes/${name}`);
    if (indexStatus === 'READY') return new URL(marqoEndpoint).pathname;
    if (indexStatus === 'FAILED') throw new Error(`${name} has failed`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
