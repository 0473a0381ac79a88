import { barePointer, type EncoderInput, type Medium, pointedTo } from '@pelorus/inference';
import type { IndexDefinition } from '../services/definition.js';
import { checkTextLength, shownDataUri } from '../validation/query-texts.js';
import { mediaOf, treats } from './media-options.js';

/** The settings of an index about pointers, and its model, which takes media or not. */
type Pointing = Pick<IndexDefinition, 'settings' | 'model'>;

/**
 * Decides what is embedded of a text of a query. Where the index takes pointers for texts, every pointer is a text like any
 * other. Elsewhere it stands for its medium if the model takes that, and is embedded without `prefix` if not.
 * @throws PelorusError `invalid_argument` for a data URI that is embedded by its letters and is longer than a text may be
 */
export function queryInput(text: string, prefix: string, index: Pointing): EncoderInput {
  const pointed = pointedTo(text);
  const prefixed = { kind: 'text', text: prefix + text } as const;
  if (pointed === 'unknown') {
    const takesAny = takesMedia(index);
    if (takesAny) return { kind: 'media', pointer: barePointer(text), text: prefixed.text, patches: false };
    checkTextLength('The query', text);
    return prefixed;
  }
  if (pointed !== 'text' && takes(index, pointed)) {
    return { kind: 'media', pointer: barePointer(text), medium: pointed, patches: false };
  }
  checkTextLength('The query', text);
  return pointed !== 'text' && treats(index, pointed) ? { kind: 'text', text } : prefixed;
}

/**
 * Returns the words of a text of a query; null for a picture, film or sound that is embedded as such. The bytes alone
 * could tell about a URL whose name does not.
 */
export function queryWords(text: string, index: Pointing): string | null {
  const pointed = pointedTo(text);
  if (pointed === 'unknown') return shownDataUri(text) !== undefined && takesMedia(index) ? null : text;
  return pointed !== 'text' && takes(index, pointed) ? null : text;
}

function takesMedia(index: Pointing): boolean {
  return mediaOf(index.model().modalities).some((medium) => treats(index, medium));
}

function takes(index: Pointing, medium: Medium): boolean {
  return treats(index, medium) && index.model().modalities.includes(medium);
}
