import { shownUrl } from '@pelorus/inference';
import type { IndexDefinition } from '../indexes/definition.js';
import type { Settings } from '../indexes/settings.js';
import { truncated } from '../validation/excerpt.js';
import { invalidArgument } from '../validation/faults.js';

type Medium = 'image' | 'video' | 'audio';

const mediumByExtension: ReadonlyMap<string, Medium> = new Map([
  ...['jpg', 'jpeg', 'png', 'gif', 'webp'].map((extension) => [extension, 'image'] as const),
  ...['mp4', 'avi', 'mov'].map((extension) => [extension, 'video'] as const),
  ...['mp3', 'wav', 'ogg'].map((extension) => [extension, 'audio'] as const),
]);

/**
 * Refuses texts that this index takes for the picture, film or sound they point to: no model that is served embeds one,
 * and the vector of the address would find anything. Documents are held to the same rule by the engine, item by item.
 * @param member of the request that the texts come from
 */
export function refuseMedia(texts: readonly string[], member: string, { settings }: IndexDefinition): void {
  for (const text of texts) {
    const medium = mediumOf(text);
    const declared = medium === undefined ? undefined : declarationOf(medium, settings);
    if (declared === undefined) continue;
    throw invalidArgument(
      `Could not process the media file found at \`${pointerShown(text)}\` in ${member}. ` +
        `Reason: Model ${truncated(settings.model)} does not support ${medium}. The index takes such a pointer ` +
        `for the ${medium} and not for a text, because of ${declared}`,
    );
  }
}

/** What an address points to by its looks: nothing is fetched to find out. */
function mediumOf(text: string): Medium | undefined {
  const data = /^data:(image|video|audio)\//.exec(text);
  if (data !== null) return data[1] as Medium;
  if (!/^https?:\/\//.test(text)) return undefined;
  const extension =
    text
      .replace(/[?#].*$/s, '')
      .split('.')
      .pop() ?? '';
  return mediumByExtension.get(extension.toLowerCase());
}

/** Which setting makes the index take pointers to `medium` for what they point to. */
function declarationOf(medium: Medium, settings: Settings): string | undefined {
  if (settings.type === 'unstructured') {
    if (settings.treatUrlsAndPointersAsMedia === true) return 'treatUrlsAndPointersAsMedia';
    return medium === 'image' && settings.treatUrlsAndPointersAsImages === true
      ? 'treatUrlsAndPointersAsImages'
      : undefined;
  }
  const field = settings.allFields?.find(({ type }) => type === `${medium}_pointer`);
  return field && `its field ${truncated(field.name)} of type ${field.type}`;
}

function pointerShown(text: string): string {
  return text.startsWith('data:') ? `${text.slice(0, text.indexOf('/'))}/[omitted]` : truncated(shownUrl(text));
}
