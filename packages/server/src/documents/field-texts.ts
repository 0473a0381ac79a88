import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalidArgument, PelorusError, truncated } from '@pelorus/contract';
import type { ItemsResponse } from '@pelorus/engine';
import {
  type FieldModel,
  type FieldOptions,
  type FieldVectors,
  type Inference,
  numbersOfText,
} from '@pelorus/inference';
import { toBytes } from '../http/body.js';
import { arrayElements, memberBytes, membersNamed } from '../http/json-member.js';
import { FIELD_TYPES } from '../indexes/field-models.js';
import type { IndexDefinition } from '../services/definition.js';
import { VectorWriter } from './written-vectors.js';

/** Documents that are read in one turn of the event loop. */
const DOCUMENTS_PER_TURN = 64;

/** Most numbers of the vectors of a request: as text they take a hundred megabytes. */
const NUMBERS_MAX = 8 * 1024 * 1024;

/** A text of a document that becomes vectors of a field, and the bytes of the body whose place these take. */
interface FieldText {
  readonly of: FieldOfModel;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Bytes that take the place of others of the body. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
}

/** A body whose texts for models of fields are vectors. */
export interface BodyOfVectors {
  readonly body: Buffer;
  /** The answer about its documents, which tells why a text has no vectors. */
  readonly told: (answer: ItemsResponse) => ItemsResponse;
}

/** The surroundings of the texts of documents. */
export interface FieldTexts {
  readonly definition: IndexDefinition;
  readonly inference: Pick<Inference, 'fieldVectors'>;
  readonly options: Omit<FieldOptions, 'priority'>;
  /** Documents keep the fields that they do not name. */
  readonly keepsOtherFields: boolean;
}

/**
 * Puts vectors in the place of texts: of those that documents bring in a field that has a model, and of those of its source
 * field where they bring nothing. All other bytes stay as they came. Null where there is nothing to change.
 * @param body a whole and valid object of JSON with a list of documents
 * @throws PelorusError `payload_too_large` where the vectors have more numbers than a request takes
 */
export async function withFieldVectors(
  body: Buffer,
  { definition, inference, options, keepsOtherFields }: FieldTexts,
): Promise<BodyOfVectors | null> {
  const fields = fieldsOfModels(definition);
  if (fields.length === 0) return null;
  const { texts, removed } = await textsIn(body, fields, keepsOtherFields);
  if (texts.length === 0 && removed.length === 0) return null;
  const failures: Failure[] = [];
  const vectors = await vectorsOf(texts, (model, some) =>
    inference.fieldVectors(model, some, { ...options, priority: 'document' }),
  );
  const changes: Change[] = [];
  const writer = new VectorWriter();
  for (const [at, text] of texts.entries()) {
    const { of, start, end } = text;
    const made = vectors.get(text) as FieldVectors;
    if (start === end) changes.push({ start, end, bytes: Buffer.from(`,${JSON.stringify(of.name)}:`) });
    const bytes =
      made.kind === 'failure'
        ? failedValue(failures, of, made.message, at)
        : await writer.write(made, of.model().dimensions);
    changes.push({ start, end, bytes });
  }
  return {
    body: changed(body, [...changes, ...removed]),
    told: (answer) => (failures.length === 0 ? answer : withReasons(answer, failures)),
  };
}

/**
 * The mappings of a request with those of fields that have models, which need none; of a structured index these as they are.
 * @throws PelorusError `invalid_argument` for a mapping of other vectors than the model makes
 */
export function withFieldMappings(
  definition: Pick<IndexDefinition, 'settings' | 'fieldModel'>,
  mappings: object | null,
): object | null {
  const fields = fieldsOfModels(definition);
  if (definition.settings.type === 'structured' || fields.length === 0) return mappings;
  const given = Object.entries({ ...mappings } as Readonly<Record<string, GivenMapping>>);
  const own = fields.flatMap(({ name, model: resolve }) => {
    const model = modelAtHand(resolve);
    if (model === null) return [];
    const type = FIELD_TYPES[model.type];
    const mapping = type === 'sparse_vector' ? { type } : { type, dimensions: model.dimensions };
    const other = given.find(([field]) => field === name)?.[1];
    if (other === undefined || (other.type === type && other.dimensions === mapping.dimensions)) {
      return [[name, mapping] as const];
    }
    const wanted = type === 'sparse_vector' ? type : `${type} of ${model.dimensions} dimensions`;
    throw invalidArgument(
      `mappings.${truncated(name)}: the field has a model in fieldModels, which makes a ${wanted}. Leave the mapping out`,
    );
  });
  return Object.fromEntries([...given, ...own]);
}

interface GivenMapping {
  readonly type?: unknown;
  readonly dimensions?: unknown;
}

/** The model of a field; null where it is none any more, which texts for it are told. */
function modelAtHand(resolve: () => FieldModel): FieldModel | null {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof PelorusError) return null;
    throw error;
  }
}

/** A field that has a model, which is asked for where there is a text for it: a name may have left the model file. */
interface FieldOfModel {
  readonly name: string;
  readonly sourceField: string | undefined;
  readonly model: () => FieldModel;
}

function fieldsOfModels({ settings, fieldModel }: Pick<IndexDefinition, 'settings' | 'fieldModel'>): FieldOfModel[] {
  return Object.entries(settings.fieldModels ?? {}).map(([name, { sourceField }]) => ({
    ...{ name, sourceField },
    model: () => fieldModel(name) as FieldModel,
  }));
}

/** The texts of all documents, and the fields of updates that go with their source. */
async function textsIn(
  body: Buffer,
  fields: readonly FieldOfModel[],
  keepsOtherFields: boolean,
): Promise<{ texts: FieldText[]; removed: Change[] }> {
  const names = new Set(fields.flatMap(({ name, sourceField }) => [name, sourceField ?? name]));
  const texts: FieldText[] = [];
  const removed: Change[] = [];
  const list = memberBytes(body, 'documents');
  for (const [at, document] of (list?.[0] === OPENING_BRACKET ? arrayElements(list) : []).entries()) {
    if (at % DOCUMENTS_PER_TURN === DOCUMENTS_PER_TURN - 1) await nextTurn();
    if (document[0] !== OPENING_BRACE) continue;
    const members = membersNamed(document, names);
    const last = document.byteOffset - body.byteOffset + document.length - 1;
    for (const of of fields) {
      const own = members.get(of.name);
      const source = of.sourceField === undefined ? undefined : members.get(of.sourceField);
      const text = textOf(own ?? source);
      if (own !== undefined && text !== null) {
        const start = own.byteOffset - body.byteOffset;
        texts.push({ of, text, start, end: start + own.length });
      } else if (own === undefined && source !== undefined) {
        if (text !== null) texts.push({ of, text, start: last, end: last });
        else if (keepsOtherFields) removed.push({ start: last, end: last, bytes: nullMember(of.name) });
      }
    }
  }
  return { texts, removed };
}

const nullMember = (name: string) => Buffer.from(`,${JSON.stringify(name)}:null`);

const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const QUOTE = 0x22;

/** The text that a value is, null for one without words and for any other value. */
function textOf(value: Buffer | undefined): string | null {
  if (value?.[0] !== QUOTE) return null;
  const text = JSON.parse(value.toString('utf8')) as string;
  return text.trim() === '' ? null : text;
}

/** The vectors of texts, those of each field together and equal ones once, as far as a request has room for them. */
async function vectorsOf(
  texts: readonly FieldText[],
  make: (model: FieldModel, texts: readonly string[]) => Promise<FieldVectors[]>,
): Promise<Map<FieldText, FieldVectors>> {
  const vectors = new Map<FieldText, FieldVectors>();
  let numbers = 0;
  for (const [of, some] of Map.groupBy(texts, ({ of }) => of)) {
    const model = of.model();
    const distinct = [...Map.groupBy(some, ({ text }) => text)];
    const atOnce = Math.max(1, Math.floor(NUMBERS_MAX / numbersOfText(model)));
    for (let from = 0; from < distinct.length; from += atOnce) {
      const group = distinct.slice(from, from + atOnce);
      const made = await make(
        model,
        group.map(([text]) => text),
      );
      for (const [at, [, equal]] of group.entries()) {
        const one = made[at] as FieldVectors;
        for (const text of equal) vectors.set(text, one);
        numbers += equal.length * numbersIn(one);
      }
      if (numbers > NUMBERS_MAX) throw tooManyNumbers();
    }
  }
  return vectors;
}

function numbersIn(made: FieldVectors): number {
  if (made.kind === 'failure') return 0;
  return made.kind === 'sparse' ? made.weights.length : made.vectors.length;
}

function tooManyNumbers(): PelorusError {
  return new PelorusError(
    'payload_too_large',
    `The vectors that models of fields make of this request have more than ${NUMBERS_MAX} numbers. Send the documents in several requests`,
  );
}

/** A text without vectors: the mark by which the engine's refusal is known, and the reason. */
interface Failure {
  readonly mark: string;
  readonly field: string;
  readonly reason: string;
}

/** A value in the place of vectors that could not be made, which the engine refuses with its mark in the message. */
function failedValue(failures: Failure[], { name: field, model }: FieldOfModel, reason: string, at: number): Buffer {
  const mark = JSON.stringify(`no vectors ${at}`);
  failures.push({ mark, field, reason });
  const isSparse = FIELD_TYPES[model().type] === 'sparse_vector';
  return Buffer.from(isSparse ? `{"indices":[0],"values":[${mark}]}` : `[[${mark}]]`);
}

interface Item {
  readonly message?: unknown;
}

/** The answer with the reasons of failures where it tells of their marks. */
function withReasons(answer: ItemsResponse, failures: readonly Failure[]): ItemsResponse {
  const parsed = JSON.parse(answer.body.toString('utf8')) as { readonly items: readonly Item[] };
  const items = parsed.items.map((item) => {
    const entries = Object.entries(item).map(([name, value]) => [
      name,
      typeof value === 'string' ? reasoned(value, failures) : value,
    ]);
    return Object.fromEntries(entries) as Item;
  });
  return { ...answer, body: toBytes({ ...parsed, items }) };
}

function reasoned(message: string, failures: readonly Failure[]): string {
  const failure = failures.find(({ mark }) => message.includes(mark));
  if (failure === undefined) return message;
  const told = `Field '${truncated(failure.field)}': its model makes no vectors of the text: ${failure.reason}`;
  const start = message.indexOf(`Field '${truncated(failure.field)}': `);
  const end = message.indexOf(failure.mark) + failure.mark.length;
  return message.slice(0, Math.max(0, start)) + told + message.slice(end);
}

/** The body with changes, whose places do not overlap. */
function changed(body: Buffer, changes: readonly Change[]): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  // Stable: members that are added at one place keep their order.
  for (const { start, end, bytes } of changes.toSorted((a, b) => a.start - b.start)) {
    pieces.push(body.subarray(at, start), bytes);
    at = end;
  }
  return Buffer.concat([...pieces, body.subarray(at)]);
}
