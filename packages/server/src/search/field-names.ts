import { PelorusError, truncated } from '@pelorus/contract';

const reservedNames = [
  '_highlights',
  '_score',
  '_tensor_facets',
  '_embedding',
  '_found',
  '__field_name',
  '__field_content',
];

const protectedPrefix = '__vector_';
const protectedName = '__chunks';

/** Longest field name that is looked up, in characters. */
export const fieldNameLengthMax = 1024;

/** Tells whether the name is reserved: no field that a document brings has it. */
export function isReservedName(name: string): boolean {
  return name.startsWith(protectedPrefix) || name.startsWith(protectedName) || reservedNames.includes(name);
}

function invalidName(message: string): PelorusError {
  return new PelorusError('invalid_field_name', message);
}

/** @throws PelorusError when `name` cannot be the name of a stored field. The engine knows whether the index has it. */
export function checkFieldName(name: string): void {
  if (name === '*') return;
  if (name === '') throw invalidName("field name can't be empty! ");
  if (name.length > fieldNameLengthMax) throw invalidName(`A field name of ${name.length} characters is too long`);
  if (name.startsWith(protectedPrefix)) {
    throw invalidName(
      `can't start field name with protected prefix ${protectedPrefix}. Please rename this field: ${truncated(name)}`,
    );
  }
  if (name.startsWith(protectedName)) {
    throw invalidName(
      `can't name field with protected field name ${protectedName}. Please rename this field: ${truncated(name)}`,
    );
  }
  if (reservedNames.includes(name)) {
    throw invalidName(`field name can't be a protected field. Please rename this field: ${truncated(name)}`);
  }
  const illegal = ['.', '/', '\n'].find((character) => name.includes(character));
  if (illegal !== undefined)
    throw invalidName(`Illegal character '${illegal}' detected in field name ${truncated(name)}`);
}

/** A list of names; `["*"]` stands for all, as null does. */
export function namedFields(names: readonly string[] | null | undefined): readonly string[] | null {
  return names == null || (names.length === 1 && names[0] === '*') ? null : names;
}
