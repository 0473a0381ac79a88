import type { schemas } from '@pelorus/contract';
import { invalidArgument } from '@pelorus/contract';
import { embeddingsJson } from '@pelorus/engine';
import { allVectors, checkModelAuth } from '@pelorus/inference';
import type { Answer, Call, Handlers, Services } from '../call.js';
import { toBytes, withMember } from '../http/body.js';
import { memberBytes } from '../http/json-member.js';
import { queryMedia } from '../media/media-options.js';
import { queryInput } from '../media/query-inputs.js';
import type { IndexDefinition } from '../services/definition.js';
import { checkDownloadHeaders, downloadHeaders } from '../validation/download-headers.js';
import { checkQueryText } from '../validation/query-texts.js';

/** Embedding of content that is not stored. */
export function embedHandlers(services: Services): Pick<Handlers, 'embed'> {
  return { embed: (call) => embed(services, call) };
}

/** Most texts of one request, those inside weighted entries included. */
const TEXTS_MAX = 1024;

type Entry = string | Readonly<Record<string, number>>;

async function embed(services: Services, call: Call<'embed'>): Promise<Answer> {
  const { inference, definitions, config } = services;
  const { params, body, telemetry } = call;
  checkDownloadHeaders(body);
  checkModelAuth(body.modelAuth);
  const index = await definitions.get(params.indexName);
  const { settings, resolved } = index;

  const entries: readonly Entry[] = Array.isArray(body.content) ? body.content : [body.content];
  const texts = entries.flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.keys(entry)));
  if (texts.length > TEXTS_MAX) {
    throw invalidArgument(`A request may embed at most ${TEXTS_MAX} texts. Received ${texts.length}.`);
  }
  for (const text of texts) checkQueryText('content', text);
  const prefix = prefixOf(body, index);
  const inputs = texts.map((text) => queryInput(text, prefix, index));
  const embedded = await telemetry.time(['embed.vector_inference_full_pipeline'], () =>
    inference.embedQuery(index.model(), inputs, {
      normalize: settings.normalizeEmbeddings,
      device: call.device(),
      modelAuth: body.modelAuth,
      textsAs: isDocument(body) ? 'document' : 'query',
      media: queryMedia(index, downloadHeaders(body), config),
      cacheTelemetry: telemetry.countCached,
      telemetry: ({ tokenizeMs }) => telemetry.record('embed.query_preprocessing', tokenizeMs),
    }),
  );
  const weights = entries.map((entry) => (typeof entry === 'string' ? null : Object.values(entry)));
  const embeddings = await embeddingsJson(
    allVectors(embedded),
    resolved.dimensions,
    weights,
    settings.normalizeEmbeddings,
  );
  const elapsedMs = performance.now() - call.startedMs;
  telemetry.record(`POST /indexes/${params.indexName}/embed`, elapsedMs);
  const content = memberBytes(call.bytes, 'content') ?? toBytes(body.content);
  const answer = withMember(Buffer.from('{}'), 'content', content);
  return { body: withMember(answer, 'embeddings', embeddings, { processingTimeMs: Math.round(elapsedMs) }) };
}

const kindOf = (body: schemas.EmbedRequest) => (body.content_type !== undefined ? body.content_type : body.contentType);

const isDocument = (body: schemas.EmbedRequest) => kindOf(body) === 'document';

/** The prefix that the kind of content asks for; an explicit null asks for none. */
function prefixOf(body: schemas.EmbedRequest, { resolved }: IndexDefinition): string {
  if (kindOf(body) === null) return '';
  return isDocument(body) ? resolved.textChunkPrefix : resolved.textQueryPrefix;
}
