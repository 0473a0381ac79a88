import { inOneLine } from './width.js';

/** Prints texts to an output, each in one line that a terminal only shows. */
export function linesTo(out: NodeJS.WritableStream): (text: string) => void {
  return (text) => void out.write(`${inOneLine(text)}\n`);
}

/** Prints a result. */
export const print = linesTo(process.stdout);

/** Prints what there is to say beside the results. */
export const say = linesTo(process.stderr);
