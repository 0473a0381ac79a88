// The `filters` of a request: `brand:Acme AND (price < 10 OR NOT tags:"on sale")`.

import { all, any, compares, type Filter, hasValue, isWithin, not } from './filter.js';

const TOKEN = /\s*(?:([()])|(<=|>=|!=|=|<|>)|(:)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|((?:[^\s()<>=!:"'\\]|\\.)+))/y;

interface Token {
  readonly text: string;
  /** A name, a value, or a word of the language where it is not quoted. */
  readonly kind: 'mark' | 'word' | 'quoted';
}

/** Most characters of a filter, and most parentheses within each other. */
const LENGTH_MAX = 100_000;
const DEPTH_MAX = 100;

/**
 * The filter that a text says.
 * @throws SyntaxError for a text that says none
 */
export function readFilters(text: string): Filter {
  if (text.trim() === '') return null;
  return new Reader(text).read();
}

class Reader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    if (text.length > LENGTH_MAX)
      throw new SyntaxError(`filters has ${text.length} characters, of at most ${LENGTH_MAX}`);
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  read(): Filter {
    const filter = this.#any();
    if (this.#at < this.#tokens.length) throw this.#unexpected();
    return filter;
  }

  #any(): Filter {
    const parts = [this.#all()];
    while (this.#takesWord('OR')) parts.push(this.#all());
    return any(parts);
  }

  #all(): Filter {
    const parts = [this.#not()];
    while (this.#takesWord('AND')) parts.push(this.#not());
    return all(parts);
  }

  #not(): string {
    return this.#takesWord('NOT') ? not(this.#operand()) : this.#operand();
  }

  #operand(): string {
    if (!this.#takesMark('(')) return this.#term();
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX)
      throw new SyntaxError(`filters has more than ${DEPTH_MAX} parentheses within each other`);
    const filter = this.#any();
    this.#depth -= 1;
    if (!this.#takesMark(')')) throw this.#unexpected();
    return filter as string;
  }

  #term(): string {
    const field = this.#value();
    if (this.#takesMark(':')) return this.#valueOf(field);
    const operator = this.#tokens[this.#at];
    if (operator?.kind !== 'mark' || !/^[<>=!]/.test(operator.text)) throw this.#unexpected();
    this.#at += 1;
    return compares(field, operator.text, this.#number());
  }

  /** `field:value`, or `field:1 TO 5`. */
  #valueOf(field: string): string {
    const value = this.#value();
    if (!this.#takesWord('TO')) return hasValue(field, value);
    this.#at -= 2;
    const from = this.#number();
    this.#at += 1;
    return isWithin(field, from, this.#number());
  }

  #number(): number {
    const token = this.#tokens[this.#at];
    const number = Number(token?.text || Number.NaN);
    if (token?.kind !== 'word' || !Number.isFinite(number)) throw this.#unexpected();
    this.#at += 1;
    return number;
  }

  #value(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined || token.kind === 'mark') throw this.#unexpected();
    this.#at += 1;
    return token.text;
  }

  #takesWord(word: string): boolean {
    return this.#takes('word', word);
  }

  #takesMark(mark: string): boolean {
    return this.#takes('mark', mark);
  }

  #takes(kind: Token['kind'], text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind || token.text !== text) return false;
    this.#at += 1;
    return true;
  }

  #unexpected(): SyntaxError {
    const token = this.#tokens[this.#at];
    const found = token === undefined ? 'its end' : `'${token.text}'`;
    return new SyntaxError(`filters cannot be read at ${found}: ${this.#text.slice(0, 200)}`);
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw new SyntaxError(`filters cannot be read at character ${at}: ${text.slice(0, 200)}`);
    const [, parenthesis, operator, colon, double, single, word] = found;
    const mark = parenthesis ?? operator ?? colon;
    const quoted = double ?? single;
    if (mark !== undefined) tokens.push({ text: mark, kind: 'mark' });
    else if (quoted !== undefined) tokens.push({ text: plain(quoted), kind: 'quoted' });
    else tokens.push({ text: plain(word as string), kind: 'word' });
  }
  return tokens;
}

const plain = (text: string): string => text.replace(/\\(.)/g, '$1');
