import { type EncoderInput, pointedTo } from '@pelorus/inference';
import type { IndexDefinition } from '../indexes/definition.js';

/**
 * Returns the input to embed for a text of a query. Where the model takes what it points to, that is embedded, whatever
 * the index says of documents; else it is a text like any other, but that `prefix` does not go before what points to a
 * picture, film or sound.
 */
export function queryInput(text: string, prefix: string, { model }: IndexDefinition): EncoderInput {
  const pointed = pointedTo(text);
  const prefixed = { kind: 'text', text: prefix + text } as const;
  if (pointed === 'text') return prefixed;
  const { modalities } = model();
  if (pointed !== 'unknown') {
    return modalities.includes(pointed)
      ? { kind: 'media', pointer: text.trim(), medium: pointed, patches: false }
      : { kind: 'text', text };
  }
  const takesMedia = modalities.some((modality) => modality !== 'text');
  return takesMedia ? { kind: 'media', pointer: text.trim(), text: prefixed.text, patches: false } : prefixed;
}

/**
 * The words of a text of a query; null for a picture, film or sound that the model takes, which has none. The bytes
 * alone could tell about a URL whose name does not.
 */
export function queryWords(text: string, { model }: Pick<IndexDefinition, 'model'>): string | null {
  const pointed = pointedTo(text);
  return pointed !== 'text' && pointed !== 'unknown' && model().modalities.includes(pointed) ? null : text;
}
