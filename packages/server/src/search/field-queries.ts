import { invalidArgument, type Problem, truncated } from '@pelorus/contract';
import type { SearchPlan } from '@pelorus/engine';
import type { FieldModel, FieldOptions, FieldVectors, Inference } from '@pelorus/inference';
import { FIELD_TYPES } from '../indexes/field-models.js';
import type { IndexDefinition } from '../services/definition.js';
import { broken, placeOf, wrong } from '../validation/problems.js';
import type { SearchRequest } from './shape.js';

type MemberName = 'sparseQuery' | 'lateInteraction';

/** The members of a search that may have a text in place of vectors, and the fields that they are about. */
const TYPES = { sparseQuery: 'sparse_vector', lateInteraction: 'multi_vector' } as const;

/** Rules of a member that has either a text or, under other names, its vectors. */
export function* textProblems(
  name: MemberName,
  member: { readonly text?: string | null | undefined },
  vectors: Readonly<Record<string, unknown>>,
): Generator<Problem> {
  const at = { parent: placeOf('body'), key: name };
  const given = Object.entries(vectors).filter(([, value]) => value !== undefined);
  const others = Object.keys(vectors).join(' and ');
  if (member.text == null) {
    for (const key of Object.keys(vectors)) {
      if (vectors[key] === undefined) yield wrong('value_error.missing', { parent: at, key });
    }
  } else if (given.length > 0) {
    yield broken(['body', name, 'text'], `ensure there is either a text or ${others}: received both`);
  } else if (member.text.trim() === '') {
    yield broken(['body', name, 'text'], 'ensure the text has words: received none');
  }
}

/**
 * Checks that the fields of texts have a model of their kind.
 * @throws PelorusError `invalid_argument`
 */
export function checkFieldQueries(request: SearchRequest, index: Pick<IndexDefinition, 'name' | 'fieldModel'>): void {
  for (const name of Object.keys(TYPES) as MemberName[]) {
    const member = request[name];
    if (member?.text != null) modelOf(name, member.fieldName, index);
  }
}

function modelOf(
  name: MemberName,
  field: string,
  { name: index, fieldModel }: Pick<IndexDefinition, 'name' | 'fieldModel'>,
): FieldModel {
  const model = fieldModel(field);
  if (model !== null && FIELD_TYPES[model.type] === TYPES[name]) return model;
  throw invalidArgument(
    `'${name}' has a text, but index ${index} has no model in fieldModels that makes a ${TYPES[name]} for the field ${truncated(field)}`,
  );
}

/** Tells whether a plan waits for vectors of texts. */
export function hasFieldQueries({ sparseQuery, lateInteraction }: SearchRequest): boolean {
  return sparseQuery?.text != null || lateInteraction?.text != null;
}

/**
 * The plan with the vectors of the texts of a request that was checked.
 * @throws PelorusError `invalid_argument` for a text that the model cannot take, and as {@link Inference.fieldVectors} does
 */
export async function withFieldQueries(
  plan: SearchPlan,
  { sparseQuery, lateInteraction }: SearchRequest,
  index: Pick<IndexDefinition, 'name' | 'fieldModel'>,
  inference: Pick<Inference, 'fieldVectors'>,
  options: Omit<FieldOptions, 'priority'>,
): Promise<SearchPlan> {
  const vectorsOf = async (name: MemberName, field: string, text: string) => {
    const model = modelOf(name, field, index);
    const [made] = await inference.fieldVectors(model, [text], { ...options, priority: 'query' });
    return { made: made as FieldVectors, dimensions: model.dimensions };
  };
  const { lexical, lateInteraction: late } = plan;
  const [sparse, many] = await Promise.all([
    sparseQuery?.text == null || lexical == null
      ? null
      : vectorsOf('sparseQuery', sparseQuery.fieldName, sparseQuery.text),
    lateInteraction?.text == null || late === null
      ? null
      : vectorsOf('lateInteraction', lateInteraction.fieldName, lateInteraction.text),
  ]);
  return {
    ...plan,
    ...(lexical?.sparse != null &&
      sparse !== null && {
        lexical: { ...lexical, sparse: { ...lexical.sparse, ...sparseOf(sparse.made) } },
      }),
    ...(late !== null &&
      many !== null && { lateInteraction: { ...late, vectors: rowsOf(many.made, many.dimensions) } }),
  };
}

function sparseOf(made: FieldVectors): { indices: readonly number[]; weights: readonly number[] } {
  if (made.kind !== 'sparse') throw noVectors('sparseQuery', made);
  return { indices: made.indices, weights: made.weights };
}

function rowsOf(made: FieldVectors, dimensions: number): number[][] {
  if (made.kind !== 'many') throw noVectors('lateInteraction', made);
  const { vectors } = made;
  return Array.from({ length: vectors.length / dimensions }, (_, row) => [
    ...vectors.subarray(row * dimensions, (row + 1) * dimensions),
  ]);
}

function noVectors(name: MemberName, made: FieldVectors): Error {
  if (made.kind !== 'failure') throw new TypeError(`a model made vectors that '${name}' does not have`);
  return invalidArgument(`'${name}': its text cannot be embedded: ${made.message}`);
}
