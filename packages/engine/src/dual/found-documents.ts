/** Documents that an engine read by their ids, byte for byte, as an add takes them. */
export interface FoundDocuments {
  readonly documents: readonly Buffer[];
  /** Ids of those that are not there. */
  readonly missing: readonly string[];
  /** Those that are there and cannot be read. */
  readonly unreadable: readonly { readonly id: string; readonly message: string }[];
}

/** The start of a document that is there, in front of its members. */
const FOUND = Buffer.from('{"_found":true,');
const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE] = Buffer.from('"\\,{}');

/** Takes an answer of `getDocuments` apart, for documents with these ids, without reading numbers, which have more digits than ours. */
export function foundDocuments(body: Buffer, ids: readonly string[]): FoundDocuments {
  const documents: Buffer[] = [];
  const missing: string[] = [];
  const unreadable: { id: string; message: string }[] = [];
  for (const [place, result] of objectsFrom(body, body.indexOf('"results":[')).entries()) {
    if (result.subarray(0, FOUND.length).equals(FOUND)) {
      documents.push(Buffer.concat([Buffer.from('{'), result.subarray(FOUND.length)]));
      continue;
    }
    const { status, message } = JSON.parse(result.toString()) as { status: number; message: string };
    const id = ids[place] as string;
    if (status === 404) missing.push(id);
    else unreadable.push({ id, message });
  }
  return { documents, missing, unreadable };
}

/** The objects of a list, whose start comes behind a place, as they are spelt. */
function objectsFrom(body: Buffer, place: number): Buffer[] {
  const objects: Buffer[] = [];
  let [depth, start] = [0, 0];
  for (let at = place + '"results":['.length; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at);
    else if (byte === OPEN) {
      if (depth === 0) start = at;
      depth += 1;
    } else if (byte === CLOSE) {
      depth -= 1;
      if (depth < 0) break;
      if (depth === 0) objects.push(body.subarray(start, at + 1));
    }
  }
  return objects;
}

/** The place of the quote that ends the string which begins at another. */
function endOfString(body: Buffer, start: number): number {
  for (let end = body.indexOf(QUOTE as number, start + 1); end > 0; end = body.indexOf(QUOTE as number, end + 1)) {
    let backslashes = 0;
    while (body[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return body.length;
}

/** The body of an add of documents that bring their tensors. */
export function addBody(documents: readonly Buffer[]): Buffer {
  const separated = documents.flatMap((document, place) =>
    place === 0 ? [document] : [Buffer.of(COMMA as number), document],
  );
  return Buffer.concat([Buffer.from('{"documents":['), ...separated, Buffer.from(']}')]);
}
