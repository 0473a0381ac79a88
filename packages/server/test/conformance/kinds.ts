import type { Case, Exchange } from './case.js';

/** The two kinds of index, which are the names of the indexes that cases use. */
export const kinds = ['unstructured', 'structured'] as const;
export type Kind = (typeof kinds)[number];
export const [U, S] = kinds;

/** The same case for each kind of index. */
export const inBothKinds = (section: string, about: string, exchanges: (index: Kind) => readonly Exchange[]): Case[] =>
  kinds.map((index) => ({ section, about: `${about}, in an index that is ${index}`, exchanges: exchanges(index) }));
