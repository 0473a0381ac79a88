const closingBrace = 0x7d;
const openingBrace = 0x7b;

export type Members = Readonly<Record<string, unknown>>;

export function toBytes(body: unknown): Buffer {
  return Buffer.from(JSON.stringify(body));
}

/** Tells whether `json` is an object: the answers of this server start without blanks. */
export function isObjectBytes(json: Buffer): boolean {
  return json[0] === openingBrace && json.at(-1) === closingBrace;
}

/** `json`, an object, with the member `name` added at its end, whose value is JSON already, and `members` behind it. */
export function withMember(json: Buffer, name: string, value: Buffer, members: Members = {}): Buffer {
  const separator = json.length === 2 ? '' : ',';
  const start = `${separator}${JSON.stringify(name)}:`;
  const added = JSON.stringify(members);
  const end = added === '{}' ? '}' : `,${added.slice(1)}`;
  const room = json.length - 1 + Buffer.byteLength(start) + value.length + Buffer.byteLength(end);
  // Written into one piece of memory: pieces of their own would cost more than their bytes do.
  const whole = Buffer.allocUnsafe(room);
  let at = json.copy(whole, 0, 0, json.length - 1);
  at += whole.write(start, at);
  at += value.copy(whole, at);
  whole.write(end, at);
  return whole;
}

/** `json`, an object, with `members` added at its end: its own bytes are copied, never parsed. */
export function withMembers(json: Buffer, members: Members): Buffer {
  const added = JSON.stringify(members);
  if (added === '{}') return json;
  const separator = json.length === 2 ? '' : ',';
  return Buffer.concat([json.subarray(0, -1), Buffer.from(separator + added.slice(1))]);
}
