import { styleText } from 'node:util';

/** The part of an output that decides on colours. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export interface Styles {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warning(text: string): string;
  bad(text: string): string;
}

/** The styles of texts for one output: none where it is no terminal, or where NO_COLOR asks for none. */
export function stylesFor(stream: Output = process.stdout): Styles {
  const styled = (format: Parameters<typeof styleText>[0]) => (text: string) => styleText(format, text, { stream });
  return {
    bold: styled('bold'),
    dim: styled('dim'),
    good: styled('green'),
    warning: styled('yellow'),
    bad: styled('red'),
  };
}

/** Columns of an output that is no terminal: lines there are for other programs, and are never cut. */
export const WIDTH_OF_FILES = Number.POSITIVE_INFINITY;

/** Columns of a line. */
export function widthOf(stream: Output = process.stdout): number {
  return stream.isTTY === true ? stream.columns || 80 : WIDTH_OF_FILES;
}
