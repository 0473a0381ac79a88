/**
 * The glosses of a WordNet data file: what follows the bar of each line, see `wndb(5)`. Lines that
 * begin with a blank are the licence.
 */
export function glossesOf(file: string): string[] {
  return file
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(' '))
    .map((line) => line.slice(line.indexOf('| ') + 2).trim());
}
