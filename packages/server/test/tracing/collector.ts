import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export type AttributeValue = string | number | boolean;

/** A span as a collector has it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty of a span that begins a trace. */
  readonly parentId: string;
  readonly state: string;
  readonly name: string;
  /** 1 is internal, 2 is of a server. */
  readonly kind: number;
  /** Nanoseconds of Unix time. */
  readonly start: bigint;
  readonly end: bigint;
  /** 2 is an error. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** The program that told it. */
  readonly resource: Readonly<Record<string, AttributeValue>>;
}

/** A collector of OpenTelemetry: it takes traces over HTTP in protobuf, and reads them by the published field numbers. */
export class Collector {
  readonly spans: CollectedSpan[] = [];
  /** The bytes of all spans, to look for what must not be there. */
  text = '';
  headers: IncomingHttpHeaders[] = [];
  /** Answers deliveries. */
  status = 200;
  readonly #server = createServer(async (request, response) => {
    const body = await buffer(request);
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    const isProtobuf = request.headers['content-type'] === 'application/x-protobuf';
    this.headers.push(request.headers);
    if (isTraces && isProtobuf && this.status === 200) {
      this.spans.push(...spansOf(bytes));
      this.text += bytes.toString('latin1');
    }
    response.writeHead(isTraces && isProtobuf ? this.status : 400).end();
  });

  static async open(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** The values of the fields of a message, by their numbers: bytes where they have a length, else a number. */
type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

function spansOf(request: Buffer): CollectedSpan[] {
  return messages(request, 1).flatMap((ofResource) => {
    const [resource = Buffer.alloc(0)] = messages(ofResource, 1);
    const own = attributesOf(messages(resource, 1));
    const spans = messages(ofResource, 2).flatMap((ofScope) => messages(ofScope, 2));
    return spans.map((span) => spanOf(span, own));
  });
}

function spanOf(span: Buffer, resource: CollectedSpan['resource']): CollectedSpan {
  const fields = fieldsOf(span);
  const bytes = (field: number) => (fields.get(field)?.[0] ?? Buffer.alloc(0)) as Buffer;
  const number = (field: number) => (fields.get(field)?.[0] ?? 0n) as bigint;
  const status = fieldsOf(bytes(15)).get(3)?.[0] ?? 0n;
  return {
    ...{ traceId: bytes(1).toString('hex'), spanId: bytes(2).toString('hex'), parentId: bytes(4).toString('hex') },
    ...{ state: bytes(3).toString(), name: bytes(5).toString(), kind: Number(number(6)) },
    ...{ start: number(7), end: number(8), status: Number(status), resource },
    attributes: attributesOf(messages(span, 9)),
  };
}

function attributesOf(pairs: readonly Buffer[]): Record<string, AttributeValue> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = Buffer.alloc(0)] = messages(pair, 1);
      const [value = Buffer.alloc(0)] = messages(pair, 2);
      return [key.toString(), attributeValueOf(fieldsOf(value))];
    }),
  );
}

function attributeValueOf(fields: Fields): AttributeValue {
  const [text, truth, integer, double] = [1, 2, 3, 4].map((field) => fields.get(field)?.[0]);
  if (text !== undefined) return text.toString();
  if (truth !== undefined) return truth === 1n;
  if (integer !== undefined) return Number(integer);
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64LE(double as bigint);
  return bits.readDoubleLE();
}

const messages = (message: Buffer, field: number) => (fieldsOf(message).get(field) ?? []) as readonly Buffer[];

function fieldsOf(message: Buffer): Fields {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const fixed = (bytes: 4 | 8): bigint => {
    at += bytes;
    return bytes === 8 ? message.readBigUInt64LE(at - 8) : BigInt(message.readUInt32LE(at - 4));
  };
  const sized = (): Buffer => {
    const length = Number(varint());
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const [field, wire] = [tag >> 3, tag & 7];
    const value = wire === 0 ? varint() : wire === 1 ? fixed(8) : wire === 5 ? fixed(4) : sized();
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}
