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

/** Tells whether a text is an address, which says nothing to people. */
const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text.trim());

/** A document in a line: its title, or else the first text that says something, and the beginning of what else it says. */
export function lineOf(document: Document): { readonly title: string | undefined; readonly text: string } {
  const named = titleField(document);
  const texts = fieldNames(document).flatMap((name) => {
    const value = document[name];
    return name !== named && typeof value === 'string' && value.trim() !== '' && !isAddress(value) ? [value] : [];
  });
  const title = named === undefined ? texts.shift() : String(document[named]);
  return { title: title && shortened(title), text: shortened(texts.join(' · ')) };
}

const shortened = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
