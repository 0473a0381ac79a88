import type { Answer, Call, Handlers } from '../call.js';
import { toBytes, withMembers } from '../http/body.js';
import { memberBytes } from '../http/json-member.js';
import type { IndexDefinition } from '../indexes/definition.js';
import { planOf, type SearchPlan } from '../search/plan.js';
import { noVectors, type QueryVectors, queryVectors } from '../search/query-vectors.js';
import { checkShape } from '../search/shape.js';
import { checkMethod, checkValues } from '../search/values.js';
import type { Services } from '../services.js';

/** Search: checks in the documented order, one plan, the query's vectors, the engine's finished answer. */
export function searchHandlers(services: Services): Pick<Handlers, 'search'> {
  return { search: (call) => search(services, call) };
}

const telemetryArea = { TENSOR: 'search.vector', LEXICAL: 'search.lexical', HYBRID: 'search.hybrid' } as const;
const inferenceKey = {
  TENSOR: 'search.vector_inference_full_pipeline',
  LEXICAL: 'search.lexical.vector_inference_full_pipeline',
  HYBRID: 'search.hybrid.vector_inference_full_pipeline',
} as const;

async function search(services: Services, call: Call<'search'>): Promise<Answer> {
  const { engine, definitions, config } = services;
  const { params, body, telemetry } = call;
  checkShape(body);
  checkValues(body, config);
  const index = definitions.get(params.indexName);
  checkMethod(body);
  const plan = planOf(body, call.bytes, index, config.efSearchDefault);
  const area = telemetryArea[plan.searchMethod];
  telemetry.record(`${area}.processing_before_vespa`, performance.now() - call.startedMs);

  const vectors = await embedQuery(services, call, plan, index);
  const answer = await telemetry.time([`${area}.store`, `${area}.vespa`], () =>
    engine.search(params.indexName, enginePlan(plan, vectors, call), vectors.rows),
  );
  const elapsedMs = performance.now() - call.startedMs;
  telemetry.record(`POST /indexes/${params.indexName}/search`, elapsedMs);
  return { body: withMembers(answer, { processingTimeMs: Math.round(elapsedMs) }) };
}

function embedQuery(
  { inference }: Services,
  { body, device, telemetry }: Call<'search'>,
  plan: SearchPlan,
  index: IndexDefinition,
): Promise<QueryVectors> {
  if (plan.tensor === null) return Promise.resolve(noVectors);
  const { settings, resolved } = index;
  const embed = (texts: string[]) =>
    inference.embed(index.model(), texts, {
      normalize: settings.normalizeEmbeddings,
      priority: 'query',
      device: device(),
      modelAuth: body.modelAuth,
    });
  const { parts } = plan.tensor;
  return telemetry.time([inferenceKey[plan.searchMethod]], () => queryVectors(parts, resolved.dimensions, embed));
}

/**
 * The plan as the engine reads it: weights in the place of the parts, whose vectors travel beside it, and the query's
 * own bytes to echo.
 */
function enginePlan(
  { tensor, ...plan }: SearchPlan,
  { weights }: QueryVectors,
  { body, bytes }: Call<'search'>,
): Buffer {
  const query = memberBytes(bytes, 'q') ?? toBytes(body.q ?? null);
  return Buffer.concat([Buffer.from('{"query":'), query, Buffer.from(','), rest().subarray(1)]);

  function rest(): Buffer {
    if (tensor === null) return toBytes({ ...plan, tensor });
    const { parts, ...leg } = tensor;
    return toBytes({ ...plan, tensor: { ...leg, vectors: weights } });
  }
}
