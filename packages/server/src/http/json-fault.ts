/** The tokens that may stand at a place of a JSON text. */
type Expected = 'value' | 'first item' | 'first name' | 'name' | 'colon' | 'separator' | 'end';

/** The places where an array or object may end. */
const mayClose: ReadonlySet<Expected> = new Set(['first item', 'first name', 'separator']);

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?/iy;
const word = /true|false|null/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-f]{4})/iy;

/**
 * The place where `text`, which a parser refused, stops being JSON: the index of the first character that cannot stand
 * there, its length when the end came too early. Parsers tell this for some mistakes only.
 */
export function faultPosition(text: string): number {
  const closers: string[] = [];
  let expected: Expected = 'value';
  const afterValue = (): Expected => (closers.length === 0 ? 'end' : 'separator');
  for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, at)) {
    const character = text.charAt(at);
    const isName: boolean = expected === 'name' || expected === 'first name';
    if (character === closers.at(-1) && mayClose.has(expected)) {
      closers.pop();
      expected = afterValue();
      at += 1;
    } else if (expected === 'colon' || expected === 'separator') {
      if (character !== (expected === 'colon' ? ':' : ',')) return at;
      expected = expected === 'separator' && closers.at(-1) === '}' ? 'name' : 'value';
      at += 1;
    } else if (expected === 'end') {
      return at;
    } else if (character === '"') {
      const { end, isWhole } = endOfText(text, at);
      if (!isWhole) return end;
      at = end;
      expected = isName ? 'colon' : afterValue();
    } else if (isName) {
      return at;
    } else if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'first name' : 'first item';
      at += 1;
    } else {
      const end = endOf(number, text, at) ?? endOf(word, text, at);
      if (end === undefined) return at;
      at = end;
      expected = afterValue();
    }
  }
  return text.length;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The end of the text that starts at `start`, behind its quote; where it breaks off when it is not whole. */
function endOfText(text: string, start: number): { end: number; isWhole: boolean } {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    if (text.charCodeAt(at) < 0x20) return { end: at, isWhole: false };
    const next = text[at] === '\\' ? endOf(escaped, text, at) : at + 1;
    if (next === undefined) return { end: at, isWhole: false };
    at = next;
  }
  return at < text.length ? { end: at + 1, isWhole: true } : { end: at, isWhole: false };
}
