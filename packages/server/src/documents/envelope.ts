import { operations, PelorusError, type schemas, UnprocessableError } from '@pelorus/contract';
import { checkModelAuth } from '@pelorus/inference';
import { parseJsonInTurns } from '../http/json.js';
import { checkOf, requireBody } from '../validation/check.js';
import { checkDownloadHeaders } from '../validation/download-headers.js';
import { brokenTogether, placeOf, wrong } from '../validation/problems.js';
import { isBareList } from './bare-list.js';

export type Envelope = schemas.AddDocumentsRequest;

const checks = {
  addDocuments: checkOf(operations.addDocuments.body, 'body'),
  updateDocuments: checkOf(operations.updateDocuments.body, 'body'),
  addOrUpdateDocuments: checkOf(operations.addOrUpdateDocuments.body, 'body'),
};

/** Most bytes of a request beside its documents: more is no use, and is parsed on the thread that serves all. */
export const ENVELOPE_BYTES_MAX = 1024 * 1024;

/** Checks what surrounds the documents of an add request: its members and those that exclude each other. */
export async function readEnvelope(bytes: Buffer): Promise<Envelope> {
  const envelope = (await readMembers('addDocuments', bytes)) as Envelope;
  checkDownloadHeaders(envelope);
  if (envelope.imageDownloadThreadCount !== undefined && envelope.mediaDownloadThreadCount != null) {
    throw new UnprocessableError([
      brokenTogether('Cannot set both imageDownloadThreadCount and mediaDownloadThreadCount'),
    ]);
  }
  if (envelope.useGivenTensors) checkNothingEmbedded(envelope);
  checkModelAuth(envelope.modelAuth);
  return envelope;
}

/** Members that say how to embed have no meaning for documents that bring their tensors. */
function checkNothingEmbedded({ useExistingTensors, ...envelope }: Envelope): void {
  const surplus = [
    ...(['tensorFields', 'mappings', 'textChunkPrefix'] as const).filter((name) => envelope[name] != null),
    ...(useExistingTensors ? ['useExistingTensors'] : []),
  ];
  if (surplus.length === 0) return;
  throw new UnprocessableError(surplus.map((name) => brokenTogether(`Cannot set both useGivenTensors and ${name}`)));
}

/** Checks what surrounds the documents of an update request, which is nothing, and that they are objects. */
export async function checkUpdateEnvelope(bytes: Buffer, nonObjectPlaces: readonly number[]): Promise<void> {
  const documents = { parent: placeOf('body'), key: 'documents' };
  if (isBareList(bytes)) {
    const problem = wrong('value_error.missing', documents);
    const msg = `${problem.msg}: the body is a list, expected an object with the list as its member 'documents'`;
    throw new UnprocessableError([{ ...problem, msg }]);
  }
  await readMembers('updateDocuments', bytes);
  if (nonObjectPlaces.length === 0) return;
  throw new UnprocessableError(
    nonObjectPlaces.map((place) => wrong('type_error.dict', { parent: documents, key: place })),
  );
}

/** Checks that a body, whose envelope this is, was a list. */
export async function checkList(bytes: Buffer): Promise<void> {
  if (!isBareList(bytes)) await readMembers('addOrUpdateDocuments', bytes);
}

async function readMembers(id: keyof typeof checks, bytes: Buffer): Promise<unknown> {
  if (bytes.length > ENVELOPE_BYTES_MAX) {
    throw new PelorusError(
      'payload_too_large',
      `The members beside \`documents\` have ${bytes.length} bytes together, which exceeds the limit of ${ENVELOPE_BYTES_MAX} bytes`,
    );
  }
  return checks[id](requireBody(await parseJsonInTurns(bytes, operations[id])));
}
