import { invalidArgument, PelorusError, type schemas, truncated } from '@pelorus/contract';
import type { FieldModel, Inference } from '@pelorus/inference';
import { fieldNameProblem } from './names.js';
import type { Settings } from './settings.js';
import type { Field } from './structured-fields.js';

/** The type of the fields that models of a type make vectors of. */
export const FIELD_TYPES = { splade: 'sparse_vector', colbert: 'multi_vector' } as const;

/**
 * The models of the fields of an index, as they are stored; undefined for none.
 * @throws PelorusError that names the field for one that cannot have its model
 */
export function fieldModelsOf(
  inference: Pick<Inference, 'resolveField'>,
  { fieldModels, allFields, type }: schemas.IndexSettings,
): Settings['fieldModels'] | undefined {
  const wanted = Object.entries(fieldModels ?? {});
  if (wanted.length === 0) return undefined;
  const declared = type === 'structured' ? (allFields ?? []) : null;
  const stored = wanted.map(([name, { model, modelProperties, sourceField }]) => {
    const at = `fieldModels.${truncated(name)}`;
    const badName = fieldNameProblem(name);
    if (badName !== undefined) throw invalidArgument(`${at}: ${badName}`);
    const resolved = resolvedAt(at, () => inference.resolveField(model, modelProperties ?? undefined));
    if (declared !== null) checkDeclared(at, name, resolved, declared);
    if (sourceField != null) checkSource(at, sourceField, fieldModels ?? {}, declared);
    return [
      name,
      {
        model,
        ...(resolved.properties !== null && { modelProperties: resolved.properties }),
        ...(sourceField != null && { sourceField }),
      },
    ] as const;
  });
  return Object.fromEntries(stored);
}

function resolvedAt(at: string, resolve: () => FieldModel): FieldModel {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof PelorusError)) throw error;
    throw new PelorusError(error.code, `${at}: ${error.message}`, { link: error.link, cause: error });
  }
}

function checkDeclared(at: string, name: string, model: FieldModel, declared: readonly Field[]): void {
  const wanted = FIELD_TYPES[model.type];
  const field = declared.find((one) => one.name === name);
  if (field?.type !== wanted) {
    const received = field === undefined ? 'none of that name is declared' : `it is declared as ${field.type}`;
    throw invalidArgument(`${at}: a model of type ${model.type} needs a field of type ${wanted}, but ${received}`);
  }
  if (wanted === 'multi_vector' && field.dimensions !== model.dimensions) {
    throw invalidArgument(
      `${at}: the field is declared with vectors of ${field.dimensions} numbers, but those of the model have ${model.dimensions}`,
    );
  }
}

function checkSource(
  at: string,
  source: string,
  fieldModels: Readonly<Record<string, unknown>>,
  declared: readonly Field[] | null,
): void {
  const badName = fieldNameProblem(source);
  if (badName !== undefined) throw invalidArgument(`${at}.sourceField: ${badName}`);
  if (Object.hasOwn(fieldModels, source)) {
    throw invalidArgument(`${at}.sourceField: ${truncated(source)} has vectors itself, and no text`);
  }
  if (declared === null || declared.find((one) => one.name === source)?.type === 'text') return;
  throw invalidArgument(`${at}.sourceField: ${truncated(source)} is no declared field of type text`);
}
