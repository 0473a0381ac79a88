import { fieldNames } from './fields.js';

type Document = Readonly<Record<string, unknown>>;

/** Names of fields that name a document, in languages of spreadsheets, also behind the word for the thing. */
const TITLE_FIELD =
  /^((product|produkt|artikel|item|article)[ _-]?)?(title|name|heading|headline|subject|label|titel|bezeichnung|überschrift|ueberschrift|titre|nom|désignation|designation|título|titulo|nombre|titolo|naam)$/i;
const TEXT_MAX = 160;

/** Tells whether a field is called as those are that name a document. */
export const isTitle = (field: string): boolean => TITLE_FIELD.test(field);

/** The field that names a document for people; undefined where none does. */
export function titleField(document: Document): string | undefined {
  return fieldNames(document).find((name) => isTitle(name) && typeof document[name] === 'string');
}

/** A document in a line: its title, and the beginning of what else it says. */
export function lineOf(document: Document): { readonly title: string | undefined; readonly text: string } {
  const field = titleField(document);
  const others = fieldNames(document).filter((name) => name !== field);
  const texts = others.flatMap((name) => {
    const value = document[name];
    return typeof value === 'string' && value !== '' && !value.startsWith('data:') ? [value] : [];
  });
  const text = texts.join(' · ');
  return {
    title: field === undefined ? undefined : String(document[field]),
    text: text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text,
  };
}
