import type { Problem } from '@pelorus/contract';
import { broken, type Place, PROBLEMS_MAX, pathOf, placeOf } from './problems.js';

/**
 * Lists the texts and member names of a parsed body that hold half of a surrogate pair. JSON can write such texts, but
 * they have no UTF-8 and so can neither be stored nor compared.
 */
export function textProblems(value: unknown, problems: Problem[], place: Place = placeOf('body')): void {
  if (problems.length >= PROBLEMS_MAX) return;
  if (typeof value === 'string') {
    if (!value.isWellFormed()) problems.push(notUnicode(place));
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      // Vectors are long, and their numbers hold no text.
      if (typeof value[i] !== 'number') textProblems(value[i], problems, { parent: place, key: i });
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const here: Place = { parent: place, key: name };
      if (!name.isWellFormed()) problems.push(notUnicode(here));
      textProblems(member, problems, here);
    }
  }
}

function notUnicode(place: Place): Problem {
  return broken(pathOf(place), 'string is not valid Unicode');
}
