import type { SearchPlan } from '@pelorus/engine';
import { allVectors, textInputs } from '@pelorus/inference';
import type { Answer, Call, Handlers } from '../call.js';
import { toBytes, withMember } from '../http/body.js';
import type { Deadline } from '../http/deadline.js';
import { memberBytes } from '../http/json-member.js';
import type { IndexDefinition } from '../indexes/definition.js';
import { documentContext } from '../search/document-context.js';
import { type PlannedSearch, planOf } from '../search/plan.js';
import { queryVectors } from '../search/query-vectors.js';
import { readRecommendation } from '../search/recommendation.js';
import { checkShape, methodOf } from '../search/shape.js';
import { checkDocumentCount, checkMethod, checkSupport, checkValues } from '../search/values.js';
import type { Services } from '../services.js';

/** Search: checks in the documented order, one plan, the query's vectors, the engine's finished answer. */
export function searchHandlers(services: Services): Pick<Handlers, 'search' | 'recommend'> {
  return { search: (call) => search(services, call), recommend: (call) => recommend(services, call) };
}

const telemetryArea = { TENSOR: 'search.vector', LEXICAL: 'search.lexical', HYBRID: 'search.hybrid' } as const;
const inferenceKey = {
  TENSOR: 'search.vector_inference_full_pipeline',
  LEXICAL: 'search.lexical.vector_inference_full_pipeline',
  HYBRID: 'search.hybrid.vector_inference_full_pipeline',
} as const;

async function search(services: Services, call: Call<'search'>): Promise<Answer> {
  const { definitions, config } = services;
  const { params, body, telemetry } = call;
  const deadline = deadlineOf(services, call);
  checkShape(body);
  checkValues(body, config);
  const index = await deadline.until(() => definitions.get(params.indexName));
  checkDocumentCount(body, config);
  checkSupport(body, index);
  checkMethod(body);
  const planned = planOf(body, call, index, config.efSearchDefault, documentContext(body, call.bytes));
  const area = telemetryArea[methodOf(body)];
  telemetry.record(`${area}.processing_before_vespa`, performance.now() - call.startedMs);
  const vectors = await deadline.until(() => embedQuery(services, call, planned, index, deadline));
  return answerOf(services, call, deadline, area, planned.plan, vectors, queryBytes(call));
}

/** A search by vectors that starts from documents: nothing is embedded. */
async function recommend(services: Services, call: Call<'recommend'>): Promise<Answer> {
  const { definitions, config } = services;
  const { params, body, telemetry } = call;
  const deadline = deadlineOf(services, call);
  const { request, context } = readRecommendation(body, call.bytes);
  checkShape(request);
  checkValues(request, config);
  const index = await deadline.until(() => definitions.get(params.indexName));
  checkMethod(request);
  const { plan } = planOf(request, call, index, config.efSearchDefault, context);
  telemetry.record(`${telemetryArea.TENSOR}.processing_before_vespa`, performance.now() - call.startedMs);
  return answerOf(services, call, deadline, telemetryArea.TENSOR, plan, new Float32Array(0), toBytes(null));
}

/** The client's own time, or that of the operator. */
function deadlineOf({ config }: Services, { headers, deadline }: Call<'search'> | Call<'recommend'>): Deadline {
  return deadline(headers['x-request-timeout-ms'] ?? config.searchTimeoutMs);
}

async function answerOf(
  { engine }: Services,
  { params, telemetry, startedMs }: Pick<Call<'search'>, 'params' | 'telemetry' | 'startedMs'>,
  deadline: Deadline,
  area: string,
  plan: SearchPlan,
  vectors: Float32Array,
  query: Buffer,
): Promise<Answer> {
  const hits = await telemetry.time([`${area}.store`, `${area}.vespa`], () =>
    deadline.until(() => engine.search(params.indexName, plan, vectors, deadline)),
  );
  const elapsedMs = performance.now() - startedMs;
  telemetry.record(`POST /indexes/${params.indexName}/search`, elapsedMs);
  const { limit, offset } = plan;
  return { body: withMember(hits, 'query', query, { limit, offset, processingTimeMs: Math.round(elapsedMs) }) };
}

function embedQuery(
  { inference }: Services,
  { body, device, telemetry }: Call<'search'>,
  { plan, parts }: PlannedSearch,
  index: IndexDefinition,
  { signal }: Deadline,
): Promise<Float32Array> {
  if (plan.tensor === null) return Promise.resolve(new Float32Array(0));
  const { settings, resolved } = index;
  const embed = async (texts: string[]) =>
    allVectors(
      await inference.embedQuery(index.model(), textInputs(texts), {
        normalize: settings.normalizeEmbeddings,
        device: device(),
        modelAuth: body.modelAuth,
        signal,
      }),
    );
  return telemetry.time([inferenceKey[methodOf(body)]], () => queryVectors(parts, resolved.dimensions, embed));
}

/** The query as it came, to be echoed: its numbers, and the order of its weighted texts. */
function queryBytes({ body, bytes, vectors }: Call<'search'>): Buffer {
  const { q } = body;
  if (typeof q !== 'object' || q === null) return toBytes(q ?? null);
  return vectors?.query ?? memberBytes(bytes, 'q') ?? toBytes(q);
}
