/** The state of a document that is not there. */
export const ABSENT = '-';

/** The state of a document, by the number of its last add and of the last update since. */
export const stateOf = ({ version, note }) => `${version}:${note ?? 0}`;

/**
 * The states that documents may have, as a careful client knows them: an acknowledged write leaves one, and a write
 * without an answer, or with an error, may have happened or not until the next one is acknowledged.
 */
export class Model {
  /** @type {Map<string, Set<string>>} */
  #possible = new Map();

  possible(id) {
    return this.#possible.get(id) ?? new Set([ABSENT]);
  }

  get ids() {
    return [...this.#possible.keys()];
  }

  /** Takes in a write. `change` gives the state after it for one before; undefined where it changes nothing of that. */
  wrote(id, isAcknowledged, change) {
    const before = [...this.possible(id)];
    const after = before.map(change).filter((state) => state !== undefined);
    // An acknowledged update says that there was a document.
    this.#possible.set(id, new Set(isAcknowledged ? after : [...before, ...after]));
  }

  /** Takes in a refusal for want of the document. Tells whether that may be. */
  wasMissing(id) {
    return this.saw(id, ABSENT, true);
  }

  /** Takes in what was read. Tells whether that may be; what was read counts from now on where not. */
  saw(id, state, isLast = false) {
    const isPossible = this.possible(id).has(state);
    // A write without an answer may still be on its way, so that a read rules nothing out.
    if (!isPossible || isLast) this.#possible.set(id, new Set([state]));
    return isPossible;
  }
}
