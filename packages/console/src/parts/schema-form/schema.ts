/** The part of JSON Schema that the contract uses for settings. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** The control by which a value is given. */
export type Control = 'text' | 'number' | 'choice' | 'switch' | 'group' | 'lines' | 'entries' | 'json';

/** The schema of a value that is there: where null is allowed besides, that of the rest. */
export function withoutNull(schema: Schema): Schema {
  const { anyOf, ...own } = schema;
  const only = anyOf?.find(({ type }) => type !== 'null');
  return only === undefined ? schema : { ...only, ...own };
}

const typeOf = ({ type }: Schema): string | undefined =>
  typeof type === 'object' ? type.find((one) => one !== 'null') : type;

export function controlOf(given: Schema): Control {
  const schema = withoutNull(given);
  if (choicesOf(schema).length > 0) return 'choice';
  switch (typeOf(schema)) {
    case 'boolean':
      return 'switch';
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema.items?.properties === undefined ? 'lines' : 'entries';
    case 'object':
      return schema.properties === undefined ? 'json' : 'group';
    default:
      return 'text';
  }
}

/** The values to choose from; null stands for leaving the member out, which another choice does already. */
export const choicesOf = (schema: Schema): readonly string[] =>
  (withoutNull(schema).enum ?? []).filter((choice): choice is string => typeof choice === 'string');

export const isWhole = (schema: Schema): boolean => typeOf(withoutNull(schema)) === 'integer';

/**
 * A description of the contract for people who fill in a form, without the stop at its end: there what is left empty is
 * absent, and nobody gives null, so that its sentences about null are left out, as are marks and numbers of pages.
 */
export function plainWords(description: string): string {
  const sentences = description
    .replaceAll('`', '')
    .replaceAll(/ \([a-z]+ \d+\.\d+\)/g, '')
    .replaceAll(/\babsent or null\b|\babsent\b/g, 'left empty')
    .split(/(?<=\.) /);
  return sentences
    .filter((sentence) => !/\bnull\b/i.test(sentence))
    .join(' ')
    .replace(/\.$/, '');
}

/** A name of the interface as words: `vectorNumericType` becomes “Vector numeric type”. */
export function wordsOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type Values = Readonly<Record<string, unknown>>;

/** The values with one changed; undefined takes a member out, so that its default counts. */
export function changed(values: Values, name: string, value: unknown): Values {
  const { [name]: _former, ...rest } = values;
  return isAbsent(value) ? rest : { ...rest, [name]: value };
}

function isAbsent(value: unknown): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return (
    typeof value === 'object' && value !== null && !(value instanceof Unfinished) && Object.keys(value).length === 0
  );
}

/** A value that is half typed: shown as it stands, and never sent. */
export class Unfinished {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function isUnfinished(value: unknown): boolean {
  if (value instanceof Unfinished) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(isUnfinished);
}
