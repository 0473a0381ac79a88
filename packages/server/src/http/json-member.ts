const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * The bytes of member `name` of `json`, a whole and valid JSON object: numbers and the order of names stay as they
 * came, blanks around it do not. The last of several members of that name counts, with escapes in it or without, as
 * it does to a parser. Undefined where there is none.
 */
export function memberBytes(json: Buffer, name: string): Buffer | undefined {
  const wanted = Buffer.from(JSON.stringify(name));
  let found: Buffer | undefined;
  let depth = 0;
  let isWanted = false;
  let valueStart = -1;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      const start = at;
      for (at += 1; json[at] !== QUOTE; at += 1) if (json[at] === BACKSLASH) at += 1;
      if (depth === 1 && valueStart < 0) isWanted = isSpelling(json.subarray(start, at + 1), name, wanted);
      continue;
    }
    if (depth === 1 && valueStart < 0 && byte === COLON) valueStart = at + 1;
    const closes = byte === 0x7d || byte === 0x5d;
    if (depth === 1 && valueStart >= 0 && (byte === COMMA || closes)) {
      if (isWanted) found = withoutBlanks(json, valueStart, at);
      valueStart = -1;
    }
    if (closes) depth -= 1;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
  }
  return found;
}

/**
 * The members of `json`, a whole and valid JSON object, whose names are among `names`, as {@link memberBytes} has each. It
 * is read once.
 */
export function membersNamed(json: Buffer, names: ReadonlySet<string>): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  let depth = 0;
  let name = '';
  let valueStart = -1;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      const start = at;
      for (at += 1; json[at] !== QUOTE; at += 1) if (json[at] === BACKSLASH) at += 1;
      if (depth === 1 && valueStart < 0) name = JSON.parse(json.toString('utf8', start, at + 1)) as string;
      continue;
    }
    if (depth === 1 && valueStart < 0 && byte === COLON) valueStart = at + 1;
    const closes = byte === 0x7d || byte === 0x5d;
    if (depth === 1 && valueStart >= 0 && (byte === COMMA || closes)) {
      if (names.has(name)) found.set(name, withoutBlanks(json, valueStart, at));
      valueStart = -1;
    }
    if (closes) depth -= 1;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
  }
  return found;
}

/** Tells whether a JSON text is that of a name. `plain` spells it without needless escapes. */
function isSpelling(text: Buffer, name: string, plain: Buffer): boolean {
  return text.equals(plain) || (text.includes(BACKSLASH) && JSON.parse(text.toString()) === name);
}

/** The bytes of each element of `json`, a whole and valid JSON array, as they came but for the blanks around them. */
export function arrayElements(json: Buffer): Buffer[] {
  const elements: Buffer[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      for (at += 1; json[at] !== QUOTE; at += 1) if (json[at] === BACKSLASH) at += 1;
      continue;
    }
    const closes = byte === 0x7d || byte === 0x5d;
    if (depth === 1 && (byte === COMMA || closes)) {
      const element = withoutBlanks(json, start, at);
      // An array of nothing has no element, not an empty one.
      if (element.length > 0) elements.push(element);
      start = at + 1;
    }
    if (closes) depth -= 1;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth === 1) start = at + 1;
    }
  }
  return elements;
}

const BLANK_MAX = 0x20;

function withoutBlanks(json: Buffer, from: number, to: number): Buffer {
  let [start, end] = [from, to];
  while (start < to && (json[start] as number) <= BLANK_MAX) start += 1;
  while (end > start && (json[end - 1] as number) <= BLANK_MAX) end -= 1;
  return json.subarray(start, end);
}

/** The names of an object's members in the order they came, those of digits too, which a parsed object puts first. */
export function memberNames(json: Buffer): string[] {
  const names: string[] = [];
  let depth = 0;
  let isName = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      const start = at;
      for (at += 1; json[at] !== QUOTE; at += 1) if (json[at] === BACKSLASH) at += 1;
      if (depth === 1 && isName) names.push(JSON.parse(json.toString('utf8', start, at + 1)) as string);
      isName = false;
      continue;
    }
    if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    if (depth === 1 && (byte === 0x7b || byte === COMMA)) isName = true;
  }
  return names;
}
