import { allVectors, textInputs } from '@pelorus/inference';
import type { Answer, Call, Handlers } from '../call.js';
import { toBytes, withMember, withMembers } from '../http/body.js';
import { memberBytes } from '../http/json-member.js';
import type { IndexDefinition } from '../indexes/definition.js';
import { type PlannedSearch, planOf } from '../search/plan.js';
import { queryVectors } from '../search/query-vectors.js';
import { checkShape, methodOf } from '../search/shape.js';
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
  const index = await definitions.get(params.indexName);
  checkMethod(body);
  const planned = planOf(body, call.bytes, index, config.efSearchDefault);
  const method = methodOf(body);
  const area = telemetryArea[method];
  telemetry.record(`${area}.processing_before_vespa`, performance.now() - call.startedMs);

  const vectors = await embedQuery(services, call, planned, index);
  const hits = await telemetry.time([`${area}.store`, `${area}.vespa`], () =>
    engine.search(params.indexName, planned.plan, vectors),
  );
  const elapsedMs = performance.now() - call.startedMs;
  telemetry.record(`POST /indexes/${params.indexName}/search`, elapsedMs);
  const { limit, offset } = planned.plan;
  const answer = withMember(hits, 'query', queryBytes(call));
  return { body: withMembers(answer, { limit, offset, processingTimeMs: Math.round(elapsedMs) }) };
}

function embedQuery(
  { inference }: Services,
  { body, device, telemetry }: Call<'search'>,
  { plan, parts }: PlannedSearch,
  index: IndexDefinition,
): Promise<Float32Array> {
  if (plan.tensor === null) return Promise.resolve(new Float32Array(0));
  const { settings, resolved } = index;
  const embed = async (texts: string[]) =>
    allVectors(
      await inference.embed(index.model(), textInputs(texts), {
        normalize: settings.normalizeEmbeddings,
        priority: 'query',
        device: device(),
        modelAuth: body.modelAuth,
      }),
    );
  return telemetry.time([inferenceKey[methodOf(body)]], () => queryVectors(parts, resolved.dimensions, embed));
}

/** The query as it came, to be echoed: its numbers, and the order of its weighted texts. */
function queryBytes({ body, bytes }: Call<'search'>): Buffer {
  const { q } = body;
  return typeof q === 'object' && q !== null ? (memberBytes(bytes, 'q') ?? toBytes(q)) : toBytes(q ?? null);
}
