import { useId } from 'preact/hooks';
import { t } from '../../strings/strings.js';
import { GRADES } from './judged-queries.js';

interface GradeChoiceProps {
  /** The document, for those who do not see where the choice stands. */
  readonly label: string;
  readonly grade: number | undefined;
  readonly onGrade: (grade: number | undefined) => void;
}

const CLASS = 'grades';

/**
 * The grade of one document. A digit gives it and goes on to the next document of the list, as j does without one; k goes
 * back, and the backspace key takes the grade away.
 */
export function GradeChoice({ label, grade, onGrade }: GradeChoiceProps) {
  const name = useId();
  const press = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    const digit = GRADES.find((one) => String(one) === key);
    if (digit !== undefined) onGrade(digit);
    else if (key === 'Backspace' || key === 'Delete') onGrade(undefined);
    else if (key !== 'j' && key !== 'k') return;
    event.preventDefault();
    if (digit !== undefined || key === 'j') focusBeside(event.currentTarget as HTMLElement, 1);
    if (key === 'k') focusBeside(event.currentTarget as HTMLElement, -1);
  };
  return (
    <fieldset class={CLASS} onKeyDown={press}>
      <legend class="unseen">{t.relevance.gradeOf(label)}</legend>
      {[undefined, ...GRADES].map((one) => (
        <label key={String(one)} title={told(one)}>
          <input
            type="radio"
            name={name}
            aria-label={told(one)}
            checked={grade === one}
            onChange={() => onGrade(one)}
          />
          <span aria-hidden="true">{one ?? '–'}</span>
        </label>
      ))}
    </fieldset>
  );
}

const told = (grade: number | undefined): string =>
  grade === undefined ? t.relevance.unjudged : `${grade}: ${t.relevance.grades[grade]}`;

/** Puts the focus on the choice that stands so many behind one in its list. */
function focusBeside(choice: HTMLElement, step: number): void {
  const choices = [...(choice.closest('ol, ul')?.querySelectorAll<HTMLElement>(`.${CLASS}`) ?? [])];
  choices[choices.indexOf(choice) + step]?.querySelector<HTMLElement>('input:checked')?.focus();
}
