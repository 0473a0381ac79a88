import { setTimeout as sleep } from 'node:timers/promises';
import { generateProducts } from '../../../packages/cli/dist/demo/generate-products.js';
import type { ServerProcess } from './server-process.ts';

/** The index that `serve --demo` fills. */
export const DEMO_INDEX = 'products';

export interface Product {
  readonly _id: string;
  readonly title: string;
  readonly description: string;
}

/** The sample catalogue, the same on every machine. */
export function catalogue(): readonly Product[] {
  return generateProducts();
}

/** Waits until `serve --demo` has brought the whole catalogue in. */
export async function catalogueIsIn(server: ServerProcess): Promise<void> {
  const wanted = catalogue().length;
  for (;;) {
    const stats = await server
      .call<{ numberOfDocuments: number }>('GET', `/indexes/${DEMO_INDEX}/stats`)
      .catch(() => ({ numberOfDocuments: 0 })); // the index may not have been made yet
    if (stats.numberOfDocuments >= wanted) return;
    await sleep(250);
  }
}
