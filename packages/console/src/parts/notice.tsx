import type { ComponentChildren } from 'preact';
import { address } from '../router.js';
import type { Failure } from '../server/failure.js';
import { t } from '../strings/strings.js';
import { Button } from './button.js';

type Tone = 'info' | 'good' | 'warn' | 'danger';

/** A message in a box. Bad news is read out by screen readers at once. */
export function Notice({
  tone,
  title,
  children,
}: {
  tone: Tone;
  title: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <div class={`notice notice-${tone}`} role={tone === 'danger' || tone === 'warn' ? 'alert' : 'status'}>
      <p class="notice-title">{title}</p>
      {children !== undefined && children !== '' && <div class="notice-body">{children}</div>}
    </div>
  );
}

/** A failure, with what to do, and its second try where there is one. */
export function FailureNotice({ failure, retry: again }: { failure: Failure; retry?: (() => void) | undefined }) {
  const { message, advice, problems, requestId, code, isLasting } = failure;
  const retry = isLasting === true ? undefined : again;
  return (
    <Notice tone="danger" title={message}>
      {advice !== '' && (
        <p>
          {advice} {code === 'index_not_found' && <a href={address(['indexes'])}>{t.notFound.back}</a>}
        </p>
      )}
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li key={`${problem.field} ${problem.message}`}>
              {problem.field !== '' && <code>{problem.field}</code>} {problem.message}
            </li>
          ))}
        </ul>
      )}
      {(retry !== undefined || requestId !== undefined) && (
        <p class="notice-foot">
          {retry !== undefined && (
            <Button size="small" onClick={retry}>
              {t.retry}
            </Button>
          )}
          {requestId !== undefined && <span class="faint mono">{t.requestId(requestId)}</span>}
        </p>
      )}
    </Notice>
  );
}
