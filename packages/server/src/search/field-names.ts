import { PelorusError } from '@pelorus/contract';
import type { IndexDefinition } from '../indexes/definition.js';
import type { Settings } from '../indexes/settings.js';
import { listed, shown } from '../validation/echo.js';

const reservedNames = [
  '_highlights',
  '_score',
  '_tensor_facets',
  '_embedding',
  '_found',
  '__field_name',
  '__field_content',
];

/** Longest field name that is looked up, in characters. */
const nameLengthMax = 1024;

function fault(message: string): PelorusError {
  return new PelorusError('invalid_field_name', message);
}

/** @throws PelorusError when `name` cannot be the name of a stored field. */
export function checkAttributeName(name: string): void {
  if (name === '*') return;
  if (name === '') throw fault("field name can't be empty! ");
  if (name.length > nameLengthMax) throw fault(`A field name of ${name.length} characters is too long`);
  if (name.startsWith('__vector_')) {
    throw fault(`can't start field name with protected prefix __vector_. Please rename this field: ${shown(name)}`);
  }
  if (name.startsWith('__chunks')) {
    throw fault(`can't name field with protected field name __chunks. Please rename this field: ${shown(name)}`);
  }
  if (reservedNames.includes(name)) {
    throw fault(`field name can't be a protected field. Please rename this field: ${shown(name)}`);
  }
  const illegal = ['.', '/', '\n'].find((character) => name.includes(character));
  if (illegal !== undefined) throw fault(`Illegal character '${illegal}' detected in field name ${shown(name)}`);
}

/** A list of names; `["*"]` stands for all, as null does. */
export function namedAttributes(names: readonly string[] | null | undefined): readonly string[] | null {
  return names == null || (names.length === 1 && names[0] === '*') ? null : names;
}

function lexicalFields(settings: Settings): string[] {
  return (settings.allFields ?? [])
    .filter(({ features }) => features.includes('lexical_search'))
    .map(({ name }) => name);
}

/**
 * The tensor fields to search, null for all.
 * @throws PelorusError for a name that a structured index does not have as a tensor field
 */
export function tensorAttributes(
  { name: index, settings }: IndexDefinition,
  names: readonly string[] | null | undefined,
) {
  const chosen = namedAttributes(names);
  if (settings.type === 'unstructured' || chosen === null) return chosen;
  const known = settings.tensorFields ?? [];
  const unknown = chosen.find((name) => !known.includes(name));
  if (unknown === undefined) return chosen;
  throw fault(`Index ${index} has no tensor field ${shown(unknown)}. Available tensor fields are: ${listed(known)}`);
}

/** As `tensorAttributes`, for the lexical fields. */
export function lexicalAttributes(
  { name: index, settings }: IndexDefinition,
  names: readonly string[] | null | undefined,
) {
  const chosen = namedAttributes(names);
  if (settings.type === 'unstructured' || chosen === null) return chosen;
  const known = lexicalFields(settings);
  const unknown = chosen.find((name) => !known.includes(name));
  if (unknown === undefined) return chosen;
  throw fault(
    `Index ${index} has no lexically searchable field ${shown(unknown)}. Available lexically searchable fields are: ${listed(known)}`,
  );
}

/** The fields to return, null for all. */
export function retrievedAttributes(
  { name: index, settings }: IndexDefinition,
  names: readonly string[] | null | undefined,
) {
  const chosen = namedAttributes(names);
  if (settings.type === 'unstructured' || chosen === null) return chosen;
  const known = (settings.allFields ?? []).map(({ name }) => name);
  const unknown = chosen.find((name) => name !== '_id' && !known.includes(name));
  if (unknown === undefined) return chosen;
  throw fault(`Index ${index} has no field ${shown(unknown)}. Available fields are: ${listed(known)}`);
}

/** A structured index must have fields of the kind that `method` searches. */
export function checkSearchable({ name, settings }: IndexDefinition, method: 'TENSOR' | 'LEXICAL' | 'HYBRID'): void {
  if (settings.type === 'unstructured') return;
  const noTensor = (settings.tensorFields ?? []).length === 0;
  const noLexical = lexicalFields(settings).length === 0;
  const kind =
    method === 'TENSOR' && noTensor
      ? 'no tensor fields, thus tensor'
      : method === 'LEXICAL' && noLexical
        ? 'no lexically searchable fields, thus lexical'
        : method === 'HYBRID' && (noTensor || noLexical)
          ? 'either no tensor fields or no lexically searchable fields, thus hybrid'
          : undefined;
  if (kind === undefined) return;
  const text = kind.startsWith('either no tensor') ? kind.replace('either no', 'either has no') : `has ${kind}`;
  throw new PelorusError(
    'invalid_argument',
    `Index ${name} ${text} search cannot be performed. Create an index with such a field, or try a different search method.`,
  );
}
