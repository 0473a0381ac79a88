import { type Operation, PelorusError, type Scope } from '@pelorus/contract';

type KeyScope = Exclude<Scope, 'none'>;

const ranks = { none: 0, read: 1, read_write: 2, admin: 3 } as const satisfies Record<Scope, number>;

/** Tells whether a key of `scope` may call an operation that requires `required`. */
export function suffices(scope: Scope, required: Scope): boolean {
  return ranks[scope] >= ranks[required];
}

/** A key that is good, but not for this. */
export class InsufficientScopeError extends PelorusError {
  override readonly name = 'InsufficientScopeError';
  readonly #requiredScope: KeyScope | null;

  /** @param requiredScope the least scope that would do; null where no scope would */
  constructor(message: string, requiredScope: KeyScope | null) {
    super('insufficient_scope', message);
    this.#requiredScope = requiredScope;
  }

  override toBody(): Record<string, unknown> {
    const required = this.#requiredScope === null ? {} : { requiredScope: this.#requiredScope };
    return { ...super.toBody(), error: this.message, ...required };
  }
}

/** The refusal of a key whose scope is below that of `operation`, in the words of the interface. */
export function scopeTooLow({ scope, scopeTable }: Pick<Operation, 'scope' | 'scopeTable'>): InsufficientScopeError {
  const required = scope as KeyScope;
  const article = required === 'admin' ? 'an' : 'a';
  const named = `This operation requires ${article} ${required}-scoped API key.`;
  return new InsufficientScopeError(scopeTable === 'plain' ? 'Insufficient API key scope' : named, required);
}
