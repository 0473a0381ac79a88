/** URLs in a text; quotes, backslashes and blanks end one. */
const urls = /\b[a-z][a-z\d+.-]*:\/\/[^\s"`\\]+/gi;

/** What may follow a URL in a sentence. */
const trailing = /['),.;:]+$/;

/**
 * `text` with its URLs shown as far as anyone may read them: a password before the host and the query of a signed URL
 * are secrets. Applied where texts leave for answers, logs and the terminal, whoever wrote them.
 */
export function withoutUrlSecrets(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(urls, (found) => {
    const rest = trailing.exec(found)?.[0] ?? '';
    return hideSecrets(found.slice(0, found.length - rest.length)) + rest;
  });
}

function hideSecrets(url: string): string {
  const start = url.indexOf('://') + 3;
  // A password with a slash or a question mark in it makes no URL: then whatever stands before the last @ may be one.
  const hostEnd = URL.canParse(url) ? firstOf(/[/?#]/, url, start) : url.length;
  const hostStart = url.lastIndexOf('@', hostEnd - 1) + 1;
  const user = hostStart > start ? '***@' : '';
  const place = url.slice(Math.max(start, hostStart));
  const placeEnd = firstOf(/[?#]/, place, 0);
  const query = placeEnd < place.length ? `${place[placeEnd]}***` : '';
  return url.slice(0, start) + user + place.slice(0, placeEnd) + query;
}

function firstOf(pattern: RegExp, text: string, start: number): number {
  const at = text.slice(start).search(pattern);
  return at < 0 ? text.length : start + at;
}

/** `value`, as JSON has it, with every text in it shown so. */
export function withoutUrlSecretsIn<Value>(value: Value): Value {
  if (typeof value === 'string') return withoutUrlSecrets(value) as Value;
  if (Array.isArray(value)) return value.map(withoutUrlSecretsIn) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutUrlSecretsIn(one)])) as Value;
}
