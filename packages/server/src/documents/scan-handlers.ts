import { indexNotFound, invalidArgument, truncated } from '@pelorus/contract';
import { withinOf } from '../auth/access.js';
import type { Answer, Call, Handlers, Services } from '../call.js';
import { withMembers } from '../http/body.js';
import { checkFieldName } from '../search/field-names.js';
import type { AskedDocuments, Position } from '../services/cursors.js';

const LIMIT_DEFAULT = 1000;

/** The members with which a scan begins; they cannot change in its midst. */
const BEGINNING = ['filter', 'attributesToRetrieve', 'exposeFacets', 'exposeTensors'] as const;

/** All documents of an index, page by page. */
export function scanHandlers(services: Services): Pick<Handlers, 'scanDocuments'> {
  return { scanDocuments: (call) => scanDocuments(services, call) };
}

async function scanDocuments(services: Services, call: Call<'scanDocuments'>): Promise<Answer> {
  const { params, body, calledAs } = call;
  const { indexName } = params;
  const asked = { calledAs, within: withinOf(call) };
  const { definitions, cursors } = services;
  // A scan holds its documents even when their index is gone; whoever asks is to know.
  await definitions.get(indexName);
  const {
    id,
    reading: scan,
    start,
  } = body.cursor == null ? await begin(services, indexName, asked, body) : await goOn(services, asked, body);
  const { body: documents, next } = await scan.page(start, body.limit ?? LIMIT_DEFAULT).catch((error) => {
    // A deletion of its index ends a scan, be it in the midst of its first page: there is nothing to go on with.
    throw body.cursor == null && !cursors.holds(id) ? indexNotFound(truncated(indexName)) : error;
  });
  if (next === undefined) cursors.end(id);
  else if (body.cursor == null) await cursors.share(id);
  return { body: withMembers(documents, { cursor: next === undefined ? null : cursors.cursorOf(id, next) }) };
}

async function begin(
  { engine, cursors }: Services,
  index: string,
  asked: AskedDocuments,
  body: Call<'scanDocuments'>['body'],
): Promise<Position<'scan'>> {
  for (const name of body.attributesToRetrieve ?? []) checkFieldName(name);
  cursors.requireRoom('scan');
  const scan = await engine.scanDocuments(index, {
    filter: body.filter ?? null,
    within: asked.within,
    attributesToRetrieve: body.attributesToRetrieve ?? null,
    exposeFacets: body.exposeFacets ?? false,
    exposeTensors: body.exposeTensors ?? false,
  });
  return { id: cursors.hold('scan', { index, ...asked }, scan), reading: scan, start: 0 };
}

async function goOn({ cursors }: Services, asked: AskedDocuments, { cursor, ...rest }: Call<'scanDocuments'>['body']) {
  const given = BEGINNING.find((name) => rest[name] != null);
  if (given !== undefined) {
    throw invalidArgument(`${given} cannot be given with a cursor: a scan keeps what it was begun with`);
  }
  return cursors.reach('scan', asked, cursor as string);
}
