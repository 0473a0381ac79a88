import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../../../docs/interface/', import.meta.url);

/** A page of the description of the interface. */
export interface Page {
  readonly name: string;
  readonly text: string;
}

/** A request or an answer that a page shows. */
export interface Example {
  readonly page: string;
  /** `POST /indexes/movies/search`, or the operation and the status of an answer, `search 200`. */
  readonly of: string;
  readonly kind: 'request' | 'answer';
  /** Undefined for a request without a body. */
  readonly body: unknown;
}

/** Every page of docs/interface. */
export const pages: readonly Page[] = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));

/** A heading with its number, and the word before it outside of indexes and documents: `search 3.1`. */
const heading = /^##+ ((?:[a-z]+ )?\d{1,2}(?:\.\d{1,2})?)(?= )/gm;

/** The sections of all pages, as tests cite them. */
export const sections: readonly string[] = pages.flatMap(({ text }) =>
  [...text.matchAll(heading)].map(([, section]) => section as string),
);

/** Sections that the overview says no call shows. */
export const withoutCall: readonly string[] = pages
  .filter(({ name }) => name === 'README.md')
  .flatMap(({ text }) => [...text.matchAll(/^\| (models [\d.]+) \|/gm)].map(([, section]) => section as string));

const block = /^```(\w+)(?: (\w+ \d{3}))?\n([\s\S]*?)^```$/gm;

function examplesOf({ name, text }: Page): Example[] {
  return [...text.matchAll(block)].flatMap(([, language, answer, content = '']): Example[] => {
    if (answer !== undefined) return [{ page: name, of: answer, kind: 'answer', body: JSON.parse(content) }];
    if (language !== 'http') return [];
    const [call = '', ...rest] = content.split('\n');
    const body = rest.join('\n').trim();
    return [{ page: name, of: call, kind: 'request', body: body === '' ? undefined : JSON.parse(body) }];
  });
}

/** The blocks that pages mark as requests, `http`, and as answers, by their operation and status. */
export const examples: readonly Example[] = pages.flatMap(examplesOf);
