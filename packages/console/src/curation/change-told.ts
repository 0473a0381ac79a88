import type { Failure } from '../server/failure.js';

/** A message that begins with the path of a member, such as `rules[0].consequence.filter: …` or `searchDefaults: …`. */
const WITH_PATH = /^(?:\w+(?:\.\w+|\[\d+\])+|searchDefaults): (.*)$/s;

/**
 * The failure of a change in the words of the page: all choices are sent at once, so that the server tells of a place among
 * them that nobody sees. A failure that is not about a member stays as it is.
 *
 * @param title what is not done
 */
export function toldChange(failure: Failure, title: string): Failure {
  const said = failure.problems.map(({ message }) => message);
  const [, behindPath] = WITH_PATH.exec(failure.message) ?? [];
  const words = said.length > 0 || behindPath === undefined ? said : [behindPath];
  if (words.length === 0) return failure;
  return { ...failure, message: title, problems: [...new Set(words)].map((message) => ({ field: '', message })) };
}
