import { readFile } from 'node:fs/promises';
import { type Encoded, InputBatch, Tokenizer } from '@pelorus/node';
import type { FieldModel, TokenVectors } from '../resolved-model.js';
import { type Priority, textInputs } from '../runtime/encoder.js';

const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** The token by which queries are filled up. */
const MASK = '[MASK]';

/** The tokens of texts as a model of a field takes them. */
export interface FieldTokens {
  readonly padId: number;
  /** Id of tokens that no other one sees; null for none. */
  readonly unseenId: number | null;
  /** Ids of tokens whose vectors do not count in documents. */
  readonly skipped: ReadonlySet<number>;
  encode(texts: readonly string[], as: Priority): Promise<Encoded>;
}

/** @throws Error for a tokenizer that lacks what the model needs */
export async function fieldTokens(model: FieldModel, path: string): Promise<FieldTokens> {
  const file = await readFile(path);
  if (model.type === 'colbert') return markedTokens(model.tokenVectors, model.tokens, file);
  const tokenizer = await Tokenizer.load(file, model.tokens);
  const encode = (texts: readonly string[]) => tokenizer.encode(InputBatch.of(textInputs(texts)));
  return { padId: tokenizer.padId, unseenId: null, skipped: new Set(), encode };
}

/** The tokens of ColBERT: a marker behind the first one, and masks behind those of a query. */
async function markedTokens(options: TokenVectors, tokens: number, file: Buffer): Promise<FieldTokens> {
  const { queryTokens, fillsQueries, attendsToMasks, queryMarker, documentMarker, skipsPunctuation } = options;
  const ids = idsOf(file);
  const idOf = (token: string): number => {
    const id = ids.get(token);
    if (id === undefined) throw new Error(`its tokenizer has no token ${token}`);
    return id;
  };
  const [maskId, padId] = [fillsQueries ? idOf(MASK) : null, idOrNull(ids, '[PAD]')];
  const prepared = async (marker: string, most: number) => ({
    marker: marker === '' ? null : idOf(marker),
    tokenizer: await Tokenizer.load(file, most - (marker === '' ? 0 : 1)),
  });
  const queries = await prepared(queryMarker, queryTokens);
  const documents = await prepared(documentMarker, tokens);
  const punctuation = [...PUNCTUATION].flatMap((sign) => ids.get(sign) ?? []);
  return {
    padId: padId ?? documents.tokenizer.padId,
    unseenId: attendsToMasks ? null : maskId,
    skipped: new Set(skipsPunctuation ? punctuation : []),
    encode: async (texts, as) => {
      const { tokenizer, marker } = as === 'query' ? queries : documents;
      const encoded = await tokenizer.encode(InputBatch.of(textInputs(texts)));
      const filler = as === 'query' && maskId !== null ? { id: maskId, length: queryTokens } : null;
      return marked(encoded, marker, filler);
    },
  };
}

/** Texts with a marker behind their first token, filled up. Texts that cannot be encoded stay without tokens. */
function marked(
  encoded: Encoded,
  marker: number | null,
  filler: { readonly id: number; readonly length: number } | null,
): Encoded {
  const failed = new Set(encoded.failures.map(({ row }) => row));
  const rows = Array.from({ length: encoded.offsets.length - 1 }, (_, row) => {
    if (failed.has(row)) return [];
    const [first = [], ...rest] = encoded.ids.subarray(encoded.offsets[row], encoded.offsets[row + 1]);
    const ids = [first, marker ?? [], rest].flat();
    const missing = Math.max(0, (filler?.length ?? 0) - ids.length);
    return [...ids, ...new Array<number>(missing).fill(filler?.id ?? 0)];
  });
  const offsets = new Uint32Array(rows.length + 1);
  for (const [row, { length }] of rows.entries()) offsets[row + 1] = (offsets[row] ?? 0) + length;
  return { ...encoded, ids: Int32Array.from(rows.flat()), offsets };
}

/** The ids of the tokens that a tokenizer's file lists, with and without the vocabulary as an object. */
function idsOf(file: Buffer): ReadonlyMap<string, number> {
  const { model, added_tokens: added = [] } = JSON.parse(file.toString('utf8')) as {
    readonly model?: { readonly vocab?: Readonly<Record<string, number>> | readonly (readonly [string, number])[] };
    readonly added_tokens?: readonly { readonly id: number; readonly content: string }[];
  };
  const vocabulary = model?.vocab ?? {};
  const listed: [string, number][] = Array.isArray(vocabulary)
    ? vocabulary.map(([token], id) => [token, id])
    : Object.entries(vocabulary as Readonly<Record<string, number>>);
  return new Map([...listed, ...added.map(({ content, id }): [string, number] => [content, id])]);
}

const idOrNull = (ids: ReadonlyMap<string, number>, token: string) => ids.get(token) ?? null;
