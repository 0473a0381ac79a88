/** The protocols by which services are asked. */
export type WireName = 'http' | 'resp' | 'postgres';

/** A protocol, as far as a client needs it that only counts answers. */
export interface Wire {
  /** The place after the first whole answer of those that begin at `start`; -1 while it is not whole. */
  end(received: Buffer, start: number): number;
  /** The fault that a whole answer tells of; null where it is a success. */
  fault(answer: Buffer): string | null;
}

const HEAD_END = '\r\n\r\n';
const LINE_END = '\r\n';
const NOT_WHOLE = -1;
/** Characters of a fault that a reader is shown. */
const SHOWN = 400;

const http: Wire = {
  end(received, start) {
    const headEnd = received.indexOf(HEAD_END, start);
    if (headEnd < 0) return NOT_WHOLE;
    const head = received.toString('latin1', start, headEnd);
    const body = headEnd + HEAD_END.length;
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    if (length !== undefined) return wholeUpTo(received, body + Number(length));
    if (/^transfer-encoding: *chunked/im.test(head)) return chunksEnd(received, body);
    return body;
  },
  fault(answer) {
    const status = answer.toString('latin1', 'HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
    return status.startsWith('2') ? null : `${status} ${httpBody(answer).slice(0, SHOWN)}`;
  },
};

const resp: Wire = {
  end: respEnd,
  fault(answer) {
    return answer[0] === code('-') ? answer.toString('utf8', 1, SHOWN).trim() : null;
  },
};

const postgres: Wire = {
  end(received, start) {
    let at = start;
    for (;;) {
      if (at + 5 > received.length) return NOT_WHOLE;
      const isLast = received[at] === code('Z');
      at += 1 + received.readInt32BE(at + 1);
      if (at > received.length) return NOT_WHOLE;
      if (isLast) return at;
    }
  },
  fault(answer) {
    for (const { type, body } of postgresMessages(answer)) {
      if (type === 'E') return body.toString('utf8', 0, SHOWN).replaceAll('\0', ' ');
    }
    return null;
  },
};

export const WIRES: Record<WireName, Wire> = { http, resp, postgres };

const code = (character: string) => character.charCodeAt(0);
const wholeUpTo = (received: Buffer, end: number) => (end <= received.length ? end : NOT_WHOLE);

function chunksEnd(received: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const lineEnd = received.indexOf(LINE_END, at);
    if (lineEnd < 0) return NOT_WHOLE;
    const size = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    at = lineEnd + LINE_END.length + size + LINE_END.length;
    if (at > received.length) return NOT_WHOLE;
    if (size === 0) return at;
  }
}

/** The body of an answer over HTTP. */
export function httpBody(answer: Buffer): string {
  const headEnd = answer.indexOf(HEAD_END);
  const body = headEnd + HEAD_END.length;
  if (!/^transfer-encoding: *chunked/im.test(answer.toString('latin1', 0, headEnd)))
    return answer.toString('utf8', body);
  const chunks: Buffer[] = [];
  for (let at = body; ; ) {
    const lineEnd = answer.indexOf(LINE_END, at);
    const size = Number.parseInt(answer.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(chunks).toString();
    const start = lineEnd + LINE_END.length;
    chunks.push(answer.subarray(start, start + size));
    at = start + size + LINE_END.length;
  }
}

/** A request that sends JSON. */
export function httpRequest(method: string, path: string, body: string, type = 'application/json'): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}${HEAD_END}${body}`);
}

/** A command of Redis. */
export function respCommand(...parts: readonly (string | Buffer)[]): Buffer {
  const bytes = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  const framed = bytes.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from(LINE_END)]);
  return Buffer.concat([Buffer.from(`*${parts.length}\r\n`), ...framed]);
}

function respEnd(received: Buffer, start: number): number {
  const lineEnd = received.indexOf(LINE_END, start);
  if (lineEnd < 0) return NOT_WHOLE;
  let at = lineEnd + LINE_END.length;
  const type = received[start];
  if (type !== code('$') && type !== code('*')) return at;
  const count = Number(received.toString('latin1', start + 1, lineEnd));
  if (type === code('$')) return count < 0 ? at : wholeUpTo(received, at + count + LINE_END.length);
  for (let item = 0; item < count; item += 1) {
    at = respEnd(received, at);
    if (at < 0) return NOT_WHOLE;
  }
  return at;
}

/** A value that Redis answers. */
export type RespValue = string | number | null | RespValue[];

/** The value of a whole answer of Redis. */
export function respValue(answer: Buffer): RespValue {
  return respAt(answer, 0).value;
}

function respAt(answer: Buffer, start: number): { value: RespValue; end: number } {
  const lineEnd = answer.indexOf(LINE_END, start);
  const rest = answer.toString('utf8', start + 1, lineEnd);
  let end = lineEnd + LINE_END.length;
  switch (answer.toString('latin1', start, start + 1)) {
    case ':':
      return { value: Number(rest), end };
    case '$': {
      if (Number(rest) < 0) return { value: null, end };
      const stop = end + Number(rest);
      return { value: answer.toString('utf8', end, stop), end: stop + LINE_END.length };
    }
    case '*': {
      const values: RespValue[] = [];
      for (let item = 0; item < Number(rest); item += 1) {
        const one = respAt(answer, end);
        values.push(one.value);
        end = one.end;
      }
      return { value: values, end };
    }
    default:
      return { value: rest, end };
  }
}

const PROTOCOL = 196_608;

/** The first message of a connection to PostgreSQL. */
export function postgresStart(user: string, database: string): Buffer {
  const settings = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + settings.length);
  head.writeInt32BE(PROTOCOL, 4);
  return Buffer.concat([head, settings]);
}

/** A query of PostgreSQL, as text. */
export function postgresQuery(sql: string): Buffer {
  const head = Buffer.alloc(5, 'Q');
  const text = Buffer.from(`${sql}\0`);
  head.writeInt32BE(4 + text.length, 1);
  return Buffer.concat([head, text]);
}

/** The rows of a whole answer of PostgreSQL. */
export function postgresRows(answer: Buffer): (string | null)[][] {
  return [...postgresMessages(answer)].filter(({ type }) => type === 'D').map(({ body }) => columnsOf(body));
}

function columnsOf(row: Buffer): (string | null)[] {
  const columns: (string | null)[] = [];
  let at = 2;
  for (let column = row.readInt16BE(0); column > 0; column -= 1) {
    const length = row.readInt32BE(at);
    at += 4;
    columns.push(length < 0 ? null : row.toString('utf8', at, at + length));
    at += Math.max(length, 0);
  }
  return columns;
}

function* postgresMessages(answer: Buffer): Generator<{ type: string; body: Buffer }> {
  for (let at = 0; at < answer.length; ) {
    const end = at + 1 + answer.readInt32BE(at + 1);
    yield { type: answer.toString('latin1', at, at + 1), body: answer.subarray(at + 5, end) };
    at = end;
  }
}
