import { type JsonSchema, schemas } from '@pelorus/contract';
import type { Category, Link } from '@pelorus/ecommerce';
import type { Answer, Call, Handlers } from '../call.js';
import { checkOf } from '../validation/check.js';
import { type EcommerceServices, searchedShop, settingsFor, shopOf } from './ecommerce-services.js';
import { EventStreams } from './event-stream.js';
import { checkShopper } from './found-products.js';
import { jsonInBase64, jsonOrBase64 } from './json-in-base64.js';

type AgenticOperation =
  | 'discoverProducts'
  | 'discoverProductsStreamed'
  | 'discoverProductsAtOnce'
  | 'converse'
  | 'suggestChat'
  | 'getAgenticContext'
  | 'putAgenticContext'
  | 'reindexHelpCenter';

/** Time that an answer without a stream may take: a language model may have a part in it. */
const ANSWER_TIMEOUT_MS = 60_000;
/** Defaults of a conversation. */
const CONVERSE_DEFAULTS = { categoryResultLimit: 6, maxCategories: 4 };

const checkDiscovery = checkOf(schemas.DiscoveryRequest, 'body');
const searchSettingsSchema: JsonSchema = {
  type: 'object',
  properties: { searchSettings: schemas.DiscoverySearchSettings },
};
const checkSearchSettings = checkOf(searchSettingsSchema, 'query');

/** Products by categories, and words about them. */
export function agenticHandlers(services: EcommerceServices): Pick<Handlers<'hosted'>, AgenticOperation> {
  const { shops } = services;
  const streams = new EventStreams();

  const stream = (
    call: Call<'discoverProducts' | 'discoverProductsStreamed' | 'converse'>,
    request: () => schemas.DiscoveryRequest,
  ): Promise<Answer> => {
    const shop = searchedShop(services, call);
    const wanted = request();
    checkShopper(wanted);
    const settings = settingsFor(services, call, shop);
    return streams.open(
      (signal) => shops.discovery.discover(shop, settings, wanted, signal),
      () => ({ event: 'done', data: { processingTimeMs: Math.round(performance.now() - call.startedMs) } }),
      call.log,
    );
  };

  return {
    discoverProducts: (call) => stream(call, () => readQuery(call.query)),
    discoverProductsStreamed: (call) => stream(call, () => withNewName(readQuery(call.query))),
    converse: (call) =>
      stream(call, () => {
        const request = checkDiscovery(jsonInBase64(call.query.payload, 'payload')) as schemas.DiscoveryRequest;
        const renamed = withNewName(request);
        return { ...renamed, ...missing(renamed, CONVERSE_DEFAULTS) };
      }),

    discoverProductsAtOnce: async (call) => {
      const deadline = call.deadline(ANSWER_TIMEOUT_MS);
      const shop = searchedShop(services, call);
      const wanted = withNewName(call.body);
      checkShopper(wanted);
      const settings = settingsFor(services, call, shop);
      const whole = { conversationId: '', message: '', links: [] as Link[], categories: [] as Category[] };
      let asked: unknown = null;
      await deadline.until(async () => {
        for await (const { event, data } of shops.discovery.discover(shop, settings, wanted, deadline.signal)) {
          if (event === 'start') whole.conversationId = data.conversationId;
          if (event === 'message') {
            whole.message += data.delta;
            whole.links.push(...(data.links ?? []));
          }
          if (event === 'category') whole.categories.push(data);
          if (event === 'question') asked = data;
        }
      });
      const processingTimeMs = Math.round(performance.now() - call.startedMs);
      return { body: { ...whole, question: asked, processingTimeMs } };
    },

    suggestChat: async (call) => {
      const deadline = call.deadline(ANSWER_TIMEOUT_MS);
      const shop = shopOf(services, call);
      checkShopper(call.body);
      const questions = await deadline.until(() =>
        shops.discovery.questions(shop, settingsFor(services, call, shop), call.body, deadline.signal),
      );
      return { body: { suggestions: questions.map((suggestion) => ({ suggestion })) } };
    },

    getAgenticContext: (call) => ({ body: { ...shops.context(shopOf(services, call)).value } }),
    putAgenticContext: async (call) => ({
      body: { ...(await shops.context(shopOf(services, call)).put(call.body.text)) },
    }),
    reindexHelpCenter: async (call) => ({
      status: 202,
      body: { jobId: await shops.helpCentre(shopOf(services, call)).reindex(call.body?.articles) },
    }),
  };
}

/** Members of a discovery that a query may name: any other name in it, whatever it is called, is none of them. */
const IN_QUERY: ReadonlySet<string> = new Set([
  ...['q', 'categoryResultLimit', 'agenticSearchLimit', 'maxCategories', 'clickableSummary', 'userId', 'sessionId'],
]);

/** Reads the request of a query, whose settings are JSON, plain or in base64. */
function readQuery<Query extends { readonly searchSettings?: string }>({ searchSettings, ...named }: Query) {
  const request = Object.fromEntries(Object.entries(named).filter(([name]) => IN_QUERY.has(name))) as typeof named;
  if (searchSettings === undefined) return request;
  const given = { searchSettings: jsonOrBase64(searchSettings, 'searchSettings') };
  return { ...request, ...(checkSearchSettings(given) as Pick<schemas.DiscoveryRequest, 'searchSettings'>) };
}

/** A request with the limit of older clients under its new name. */
function withNewName<Request extends Pick<schemas.DiscoveryRequest, 'agenticSearchLimit' | 'categoryResultLimit'>>({
  agenticSearchLimit,
  ...request
}: Request) {
  return { ...request, categoryResultLimit: request.categoryResultLimit ?? agenticSearchLimit ?? null };
}

/** Those of `defaults` that a request leaves open. */
function missing<Defaults extends object>(request: object, defaults: Defaults): Partial<Defaults> {
  const given = new Map(Object.entries(request).filter(([, value]) => value !== null));
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !given.has(name))) as Partial<Defaults>;
}
