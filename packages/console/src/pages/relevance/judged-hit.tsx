import type { ComponentChildren } from 'preact';
import { lineOf } from '../../documents/title.js';
import { t } from '../../strings/strings.js';
import { GradeChoice } from './grade-choice.js';

interface JudgedHitProps {
  readonly id: string;
  /** Undefined where it is not known, or not there. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
  readonly place?: number;
  readonly grade: number | undefined;
  readonly onGrade: (grade: number | undefined) => void;
  /** Facts beside the title. */
  readonly children?: ComponentChildren;
}

/** A document in a list, with its grade. */
export function JudgedHit({ id, document, place, grade, onGrade, children }: JudgedHitProps) {
  const { title, text } = document === undefined ? { title: undefined, text: '' } : lineOf(document);
  return (
    <li class={`judged ${grade === undefined ? 'judged-not' : ''}`}>
      {place !== undefined && (
        <span class="judged-place" aria-hidden="true">
          {place}
        </span>
      )}
      <div class="judged-text">
        <p class="judged-title">
          {title !== undefined && <strong>{title} </strong>}
          <code class="faint">{id}</code>
          {grade === undefined && <span class="badge badge-open">{t.relevance.unjudged}</span>}
          {children}
        </p>
        {text !== '' && <p class="judged-more">{text}</p>}
      </div>
      <GradeChoice label={title ?? id} grade={grade} onGrade={onGrade} />
    </li>
  );
}
