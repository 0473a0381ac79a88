import type { DocumentRules } from './document-rules.js';
import type { TableColumns } from './source.js';

/** The document that a row becomes, or the reason that it becomes none. */
export type RowDocument = { readonly id: string; readonly text: string } | 'no id';

/** Makes the documents of a table's rows, whose values need not be read again. */
export interface RowDocuments {
  /** @param madeId gives the id of a row that has none, where documents get one */
  of(values: readonly (string | undefined)[], madeId: () => string): RowDocument;
}

interface Column {
  readonly at: number;
  /** The name of the field, and what stands around it. */
  readonly start: string;
  /** Tells that numbers and truth values become texts. */
  readonly isText: boolean;
}

const made = new WeakMap<
  TableColumns,
  { readonly rules: DocumentRules; readonly documents: RowDocuments | undefined }
>();

/**
 * Works out once what the rules make of each column of a table; undefined where they have to look at values: at nested
 * ones, and at columns that become entries of a map.
 */
export function rowDocumentsOf(columns: TableColumns, rules: DocumentRules): RowDocuments | undefined {
  const known = made.get(columns);
  if (known?.rules === rules) return known.documents;
  const documents = documentsOf(columns, rules);
  made.set(columns, { rules, documents });
  return documents;
}

function documentsOf({ names, arePlain }: TableColumns, rules: DocumentRules): RowDocuments | undefined {
  const { omitted, texts, idField = '_id', makesIds } = rules;
  const fields = names.map((name) => rules.names?.of(name, undefined) ?? name);
  if (!arePlain || fields.some((field) => field === '_tensors' || field.includes('.'))) return undefined;
  const columns: Column[] = [];
  for (const [at, name] of names.entries()) {
    if (omitted.has(name) || fields[at] === '_id') continue;
    columns.push({ at, start: `,${JSON.stringify(fields[at])}:`, isText: texts.has(name) });
  }
  const idAt = names.indexOf(idField);
  return {
    of(values, madeId) {
      const own = idAt < 0 ? undefined : values[idAt];
      const id = own === undefined ? makesIds && madeId() : idIn(own);
      if (!id) return 'no id';
      let text = `{"_id":${JSON.stringify(id)}`;
      for (const { at, start, isText } of columns) {
        const value = values[at];
        if (value !== undefined) text += start + (isText && !value.startsWith('"') ? `"${value}"` : value);
      }
      return { id, text: `${text}}` };
    },
  };
}

/** The id that a value is: a text, or a whole number as it is spelt; undefined for others. */
function idIn(json: string): string | undefined {
  if (json.startsWith('"')) return JSON.parse(json) as string;
  return /^-?\d+$/.test(json) ? json : undefined;
}
