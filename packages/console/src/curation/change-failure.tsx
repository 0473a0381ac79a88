import { useEffect, useRef } from 'preact/hooks';
import { FailureNotice } from '../parts/notice.js';
import { toldChange } from './change-told.js';
import type { Editor, ShownChoices } from './choices.js';

interface ChangeFailureProps {
  readonly shown: ShownChoices;
  readonly editor: Editor;
  /** The query that the editor is about, where it is about one. */
  readonly query?: string;
  /** The step that failed, in a sentence. */
  readonly title: string;
}

/** The failure of a change beside the editor that made it, brought into view: the page is long. */
export function ChangeFailure({ shown: { failed }, editor, query, title }: ChangeFailureProps) {
  const box = useRef<HTMLDivElement>(null);
  const failure =
    failed?.editor === editor && (query === undefined || failed.query === query) ? failed.failure : undefined;
  useEffect(() => {
    if (failure !== undefined) box.current?.scrollIntoView({ block: 'nearest' });
  }, [failure]);
  if (failure === undefined) return null;
  return (
    <div ref={box}>
      <FailureNotice failure={toldChange(failure, title)} />
    </div>
  );
}
