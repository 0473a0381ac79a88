import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** A doubt about the value, which is taken nevertheless. */
  readonly doubt?: string | undefined;
  readonly children: (control: {
    id: string;
    'aria-describedby'?: string;
    'aria-invalid'?: 'true';
  }) => ComponentChildren;
}

/** A control with its label, what to know about it, and what is wrong with its value. */
export function Field({ label, hint, error, doubt, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const doubtId = `${id}-doubt`;
  const described = [
    hint !== undefined && hint !== '' && hintId,
    error !== undefined && errorId,
    doubt !== undefined && doubtId,
  ]
    .filter(Boolean)
    .join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(error !== undefined && { 'aria-invalid': 'true' as const }),
      })}
      {hint !== undefined && hint !== '' && (
        <p class="field-hint" id={hintId}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error" id={errorId} role="alert">
          {error}
        </p>
      )}
      {doubt !== undefined && (
        <p class="field-error" id={doubtId} role="status">
          {doubt}
        </p>
      )}
    </div>
  );
}

interface CheckboxProps extends Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'label' | 'type'> {
  readonly label: ComponentChildren;
  readonly hint?: string;
}

export function Checkbox({ label, hint, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div class="checkbox">
      <input type="checkbox" id={id} {...rest} {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })} />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
