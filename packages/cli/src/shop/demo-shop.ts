import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Call, callerOf } from '../api.js';
import { generateProducts } from '../demo/generate-products.js';
import type { Product } from '../demo/product.js';
import { showProgress } from '../progress.js';
import { ExitCode, StartFailure } from '../start-failure.js';
import { STARTER_MODEL } from '../starter-model.js';
import { withoutControls } from '../terminal/width.js';

interface DemoShop {
  readonly address: string;
  /** The name of the index. */
  readonly name: string;
  readonly key: string | undefined;
  readonly out?: NodeJS.WriteStream;
}

/** Texts alone: the sample has no pictures to be fetched. */
const BATCH_SIZE = 48;
const READY_TIMEOUT_MS = 120_000;
const READY_INTERVAL_MS = 250;

/**
 * Makes a shop with the sample catalogue through the API, as its owner would. Products that are already there are left
 * alone, so it goes on where an earlier run stopped.
 * @returns what pages name the shop by
 * @throws StartFailure in words for whoever typed the command
 */
export async function makeDemoShop({ address, name, key, out = process.stdout }: DemoShop): Promise<string> {
  const call = callerOf(address, key);
  const indexId = await ensureShop(call, { address, name });
  await addMissing(call, name, out);
  out.write(withoutControls(`\n${searchOf(address, name, indexId)}\n`));
  return indexId;
}

/** Resolves with the id by which pages name the shop, once it can be called. */
async function ensureShop(call: Call, { address, name }: Pick<DemoShop, 'address' | 'name'>): Promise<string> {
  const path = `/api/v1/indexes/${encodeURIComponent(name)}`;
  try {
    await call('POST', '/api/v1/indexes', { indexName: name, modelType: 'custom', model: STARTER_MODEL });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'not_found') throw notHosted(address);
    if (error.code !== 'index_already_exists') throw error;
  }
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const { indexStatus, indexId } = (await call('GET', path)) as { indexStatus: string; indexId: string };
    if (indexStatus === 'READY') return indexId;
    if (indexStatus === 'FAILED' || performance.now() > deadline) {
      throw new StartFailure(ExitCode.FAILED, `The index ${name} is ${indexStatus}`);
    }
    await delay(READY_INTERVAL_MS);
  }
}

/** Tells that a server has no shops: it does not know the path that makes them. */
function notHosted(address: string): StartFailure {
  return new StartFailure(
    ExitCode.FAILED,
    `The server at ${address} is not in the hosted form, and so has no shops: start one with \`pelorus serve --hosted\``,
  );
}

async function addMissing(call: Call, name: string, out: NodeJS.WriteStream): Promise<void> {
  const path = `/api/v1/indexes/${encodeURIComponent(name)}`;
  const products = generateProducts();
  const progress = showProgress(out, 'Loading the sample catalogue', { total: products.length, unit: 'products' });
  for (let start = 0; start < products.length; start += BATCH_SIZE) {
    const batch = products.slice(start, start + BATCH_SIZE);
    const { results } = (await call('POST', `${path}/get-documents`, {
      documentIds: batch.map(({ _id }) => _id),
    })) as { results: { _id: string; _found: boolean }[] };
    const known = new Set(results.filter(({ _found }) => _found).map(({ _id }) => _id));
    const documents = batch.filter(({ _id }) => !known.has(_id)).map(shopProduct);
    if (documents.length > 0) {
      const { items } = (await call('POST', `${path}/documents`, { documents })) as {
        items: { status: number; message?: string }[];
      };
      const refused = items.find(({ status }) => status >= 400);
      if (refused !== undefined) throw new ApiError('document_refused', refused.message ?? `status ${refused.status}`);
    }
    progress.advance(batch.length);
  }
  progress.done();
}

/** A product of the sample as a shop has it. Its picture is a name only: nothing is fetched for a model of texts. */
function shopProduct({ _id, title, ...product }: Product): Record<string, unknown> {
  return {
    _id,
    ...product,
    parentProductId: _id,
    productTitle: title,
    variantImageUrl: `https://shop.example/pictures/${_id}.jpg`,
    productCollections: [product.category, product.subcategory],
  };
}

function searchOf(address: string, name: string, indexId: string): string {
  const body = JSON.stringify({ q: 'something warm for a snowy mountain', limit: 3 });
  return [
    `The shop is there. Its pages search it by the id ${indexId}:`,
    `curl -s ${address}/api/v1/indexes/${name}/search -H 'x-svc-index-id: ${indexId}' -H 'Content-Type: application/json' -d '${body}'`,
  ].join('\n');
}
