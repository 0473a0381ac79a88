import { shownUrl } from '@pelorus/inference/shown-url';
import { withoutKeySecrets } from '@pelorus/keys';

/** URLs in a text; quotes, backslashes and blanks end one. */
const urls = /\b[a-z][a-z\d+.-]*:\/\/[^\s"`\\]+/gi;

/** Characters that may follow a URL in a sentence. */
const trailing = /['),.;:]+$/;

/**
 * `text` with its URLs as far as anyone may read them: a password before the host and the query of a signed URL are
 * secrets, and so is a key that came in a wrong place. Applied where texts leave for answers, logs and the terminal,
 * whoever wrote them.
 */
export function withoutUrlSecrets(text: string): string {
  const withoutKeys = withoutKeySecrets(text);
  if (!text.includes('://')) return withoutKeys;
  return withoutKeys.replace(urls, (found) => {
    const rest = trailing.exec(found)?.[0] ?? '';
    return shownUrl(found.slice(0, found.length - rest.length)) + rest;
  });
}

/** `value`, as JSON has it, with every text in it shown so. */
export function withoutUrlSecretsIn<Value>(value: Value): Value {
  if (typeof value === 'string') return withoutUrlSecrets(value) as Value;
  if (Array.isArray(value)) return value.map(withoutUrlSecretsIn) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutUrlSecretsIn(one)])) as Value;
}
