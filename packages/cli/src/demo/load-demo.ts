import { ApiError, type Call, callerOf } from '../api.js';
import { type Progress, showProgress } from '../progress.js';
import { STARTER_MODEL } from '../starter-model.js';
import { generateProducts } from './generate-products.js';
import type { Product } from './product.js';
import { sampleSearches } from './sample-searches.js';

export const DEMO_INDEX = 'products';

const SETTINGS = { model: STARTER_MODEL };
const TENSOR_FIELDS = ['title', 'description'];

/** Small enough that the progress moves every second or so while the model works. */
const BATCH_SIZE = 48;

/**
 * Brings the sample catalogue into the index `products` of the server at `address` and prints searches to try. Products
 * that are already there are left alone, so it may run at every start and goes on where an interrupted run stopped.
 *
 * @param apiKey for a server that asks for one
 * @returns the index, and how many documents the catalogue has
 */
export async function loadDemo(
  address: string,
  out: NodeJS.WriteStream = process.stdout,
  apiKey = process.env.PELORUS_API_KEY,
): Promise<{ index: string; documents: number }> {
  const call = callerOf(address, apiKey);
  await ensureIndex(call);
  const products = generateProducts();
  const missing = await missingFrom(call, products);
  if (missing.length === 0) {
    out.write(`The sample catalogue is loaded: ${products.length} products in the index "${DEMO_INDEX}".\n`);
  } else {
    await addAll(
      call,
      missing,
      showProgress(out, 'Loading the sample catalogue', { total: missing.length, unit: 'products' }),
    );
  }
  out.write(`\n${sampleSearches(address, DEMO_INDEX, apiKey !== undefined)}\n`);
  return { index: DEMO_INDEX, documents: products.length };
}

async function ensureIndex(call: Call): Promise<void> {
  try {
    await call('POST', `/indexes/${DEMO_INDEX}`, SETTINGS);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'index_already_exists')) throw error;
  }
}

async function missingFrom(call: Call, products: readonly Product[]): Promise<Product[]> {
  const answer = (await call('POST', `/indexes/${DEMO_INDEX}/documents/get-batch`, {
    documentIds: products.map((product) => product._id),
  })) as { results: { _id: string; _found: boolean }[] };
  const found = new Set(answer.results.filter((result) => result._found).map((result) => result._id));
  return products.filter((product) => !found.has(product._id));
}

async function addAll(call: Call, products: readonly Product[], progress: Progress): Promise<void> {
  for (let start = 0; start < products.length; start += BATCH_SIZE) {
    const documents = products.slice(start, start + BATCH_SIZE);
    const answer = (await call('POST', `/indexes/${DEMO_INDEX}/documents`, {
      documents,
      tensorFields: TENSOR_FIELDS,
    })) as { errors: boolean; items: { status: number; message?: string }[] };
    const refused = answer.items.find((item) => item.status >= 400);
    if (refused) throw new ApiError('document_refused', refused.message ?? `status ${refused.status}`);
    progress.advance(documents.length);
  }
  progress.done();
}
