import { PelorusError, type schemas } from '@pelorus/contract';
import type { Collections } from '../collections.js';
import type { KeptShop } from '../kept-shop.js';
import { checkPublic, isPublic, publicPart } from '../public-fields.js';
import { QUERY_LENGTH_MAX } from '../query-text.js';
import { type Settings, settingsOf } from '../settings.js';
import type { Shop, ShopCalls } from '../shop.js';
import type { Hit } from '../shop-hits.js';
import type { ShopSearches } from '../shop-search.js';
import type { VisibleProducts } from '../visible-products.js';
import { ChatFailure, type ChatMessage, type ChatModel } from './chat-model.js';
import { Conversations } from './conversations.js';
import { discoverySearch } from './discovery-search.js';
import { type Link, linksIn } from './links.js';
import { foundText, productQuestions, promptOf } from './words.js';

export interface Category {
  /** The collection. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly hits: readonly Hit[];
}

/** The events sent while products are found, in this order. */
export type DiscoveryEvent =
  | { readonly event: 'start'; readonly data: { readonly conversationId: string } }
  | { readonly event: 'message'; readonly data: { readonly delta: string; readonly links?: readonly Link[] } }
  | { readonly event: 'category'; readonly data: Category }
  | { readonly event: 'question'; readonly data: { readonly text: string; readonly options: readonly string[] } }
  | { readonly event: 'error'; readonly data: { readonly message: string; readonly code: string } };

export interface DiscoveryParts {
  readonly calls: ShopCalls;
  readonly searches: ShopSearches;
  readonly collections: Collections;
  readonly kept: (shop: Shop) => KeptShop;
  readonly visible: VisibleProducts;
  /** Absent where the operator named none. */
  readonly chat?: ChatModel | undefined;
  /** Told of the failures of the language model. */
  readonly report?: ((error: Error, shop: Shop) => void) | undefined;
  readonly now: () => number;
}

type DiscoveryRequest = schemas.DiscoveryRequest;

interface Found {
  readonly categories: Category[];
  /** Counts the products that have words of the query; asked for only where it is told. */
  readonly countOfWords: () => Promise<number>;
}

/** Most passages of a shop's help that come with an answer. */
const PASSAGES_TOLD = 3;
/** Most of the best products whose collections say which ones are meant. */
const GROUPED_MAX = 100;

/** Finds products by categories and has something to say about them. */
export class Discovery {
  readonly #parts: DiscoveryParts;
  readonly #conversations: Conversations;

  constructor(parts: DiscoveryParts) {
    this.#parts = parts;
    this.#conversations = new Conversations(parts.now);
  }

  /** @throws PelorusError for a request that cannot be met, before the first event */
  async *discover(
    shop: Shop,
    settings: Settings,
    request: DiscoveryRequest,
    signal: AbortSignal,
  ): AsyncGenerator<DiscoveryEvent> {
    const { q } = request;
    if (q.trim() === '' || q.length > QUERY_LENGTH_MAX) {
      throw new PelorusError('invalid_argument', `q must be a text of 1 to ${QUERY_LENGTH_MAX} characters`);
    }
    checkPublic(settings, request.contextFields, 'contextFields');
    this.#parts.kept(shop).checkWords();
    const { id, messages } = this.#conversations.find(shop.id, request.conversationId);
    const found = await this.#categories(shop, settings, request, signal);
    const { categories } = found;
    yield { event: 'start', data: { conversationId: id } };
    let said = '';
    for await (const event of this.#words(shop, settings, request, messages, found, signal)) {
      if (event.event === 'message') said += event.data.delta;
      yield event;
    }
    for (const category of categories) yield { event: 'category', data: category };
    const options = categories.map(({ title }) => title);
    if (options.length > 1) yield { event: 'question', data: { text: 'Which of these do you have in mind?', options } };
    this.#conversations.note(shop.id, id, [
      { role: 'user', content: q },
      { role: 'assistant', content: said },
    ]);
  }

  /**
   * Returns questions that a shopper may ask about a product: the language model's, filled up from the product's own
   * fields.
   * @throws PelorusError for more questions at least than at most; `document_not_found`
   */
  async questions(
    shop: Shop,
    settings: Settings,
    { documentId, contextFields, maxSuggestions, minSuggestions }: schemas.ChatSuggestionsRequest,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (minSuggestions > maxSuggestions) {
      throw new PelorusError(
        'invalid_argument',
        `minSuggestions must be at most maxSuggestions, ${maxSuggestions}, but it is ${minSuggestions}`,
      );
    }
    const fields = contextFields ?? [];
    checkPublic(settings, fields, 'contextFields');
    const { chat, kept: keptOf, report } = this.#parts;
    const kept = keptOf(shop);
    kept.checkWords();
    const [product] = await this.#products(shop, settings, [documentId], fields);
    if (product === undefined) {
      throw new PelorusError('document_not_found', `There is no product ${documentId.slice(0, 256)}`);
    }
    const own = productQuestions(product, fields, shop.shop.collectionField);
    if (chat === undefined) return own.slice(0, maxSuggestions);
    const messages: ChatMessage[] = [
      promptOf(kept.context.value.text, [product], fields, []),
      {
        role: 'user',
        content: `Write ${maxSuggestions} short questions that a shopper may ask about this product, one a line.`,
      },
    ];
    try {
      let text = '';
      for await (const piece of chat.answer(messages, signal)) text += piece;
      const lines = text.split('\n').map((line) =>
        line
          .replace(/^[\s\d.)*-]+/, '')
          .trim()
          .slice(0, 200),
      );
      const written = [...new Set(lines.filter((line) => line !== ''))].slice(0, maxSuggestions);
      return written.length >= minSuggestions ? written : [...new Set([...written, ...own])].slice(0, maxSuggestions);
    } catch (error) {
      if (!(error instanceof ChatFailure) || signal.aborted) throw error;
      report?.(error, shop);
      return own.slice(0, maxSuggestions);
    }
  }

  /** Returns what pages may see of products, in the order of their ids. */
  async #products(
    shop: Shop,
    settings: Settings,
    ids: readonly string[],
    fields: readonly string[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const members = ['productTitle', 'price', shop.shop.collectionField, ...fields];
    const found = await this.#parts.visible.get(shop, settings, ids, members);
    return ids.flatMap((id) => {
      const product = found.get(id);
      return product === undefined ? [] : [publicPart(settings, product)];
    });
  }

  /** The best products of the collections in which most of the best lie; all together where there is no such. */
  async #categories(shop: Shop, settings: Settings, request: DiscoveryRequest, signal: AbortSignal): Promise<Found> {
    const { calls, searches, collections } = this.#parts;
    const { q, maxCategories } = request;
    const field = shop.shop.collectionField;
    const search = await discoverySearch(calls, shop, request, signal);
    const countOfWords = () => searches.countOfWords(shop, settings, search, signal);
    const counted = { fields: { [field]: { type: 'array' as const } }, maxDepth: GROUPED_MAX };
    const all = await searches.search(shop, settings, { ...search, counted }, signal);
    // Where pages may not see of which collections products are, their titles would tell.
    const counts = (isPublic(settings, field) ? (all.facets?.[field] ?? {}) : {}) as Readonly<
      Record<string, { readonly count: number }>
    >;
    const largest = Object.entries(counts)
      .toSorted(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
      .slice(0, maxCategories ?? 5);
    if (largest.length === 0) {
      const everything = { id: '', title: q, description: countedText(all.hits.length), hits: all.hits };
      return { categories: all.hits.length === 0 ? [] : [everything], countOfWords };
    }
    const categories = await Promise.all(
      largest.map(async ([id]) => {
        const { hits, totalHits } = await searches.search(shop, settings, { ...search, collection: id }, signal);
        const title = collections.titleOf(id);
        return { id, title, description: countedText(totalHits), hits };
      }),
    );
    return { categories: categories.filter(({ hits }) => hits.length > 0), countOfWords };
  }

  /** The words of the language model; where it has none, the results in words. */
  async *#words(
    shop: Shop,
    settings: Settings,
    { q, documentIds, contextFields, clickableSummary, searchSettings }: DiscoveryRequest,
    before: readonly ChatMessage[],
    { categories, countOfWords }: Found,
    signal: AbortSignal,
  ): AsyncGenerator<DiscoveryEvent> {
    const { chat, kept, report } = this.#parts;
    const { context, helpCentre } = kept(shop);
    const help = helpCentre.find(q, PASSAGES_TOLD);
    const isClickable = clickableSummary ?? true;
    let said = '';
    try {
      if (chat !== undefined) {
        const fields = contextFields ?? [];
        const own = settingsOf(settings, searchSettings?.profileId);
        const talkedOf = await this.#products(shop, own, documentIds ?? [], fields);
        const system = promptOf(context.value.text, talkedOf, fields, categories, help);
        for await (const delta of chat.answer([system, ...before, { role: 'user', content: q }], signal)) {
          said += delta;
          yield { event: 'message', data: { delta } };
        }
        // Only the whole text tells which title is meant where one is the beginning of another.
        const links = isClickable ? linksIn(said, categories) : [];
        if (links.length > 0) yield { event: 'message', data: { delta: '', links } };
        return;
      }
    } catch (error) {
      if (!(error instanceof ChatFailure) || signal.aborted) throw error;
      report?.(error, shop);
      if (said !== '') {
        const message = 'The language model stopped before it had finished.';
        yield { event: 'error', data: { message, code: 'service_unavailable' } };
        return;
      }
    }
    const { text, linksFrom, linksTo } = foundText(q, await countOfWords(), categories, help);
    const links = isClickable ? linksIn(text, categories, linksFrom, linksTo) : [];
    yield { event: 'message', data: { delta: text, ...(links.length > 0 && { links }) } };
  }
}

function countedText(count: number): string {
  return count === 1 ? '1 product' : `${count} products`;
}
