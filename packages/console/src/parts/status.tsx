import { t } from '../strings/strings.js';

export type HealthStatus = 'green' | 'yellow' | 'red';

/** Health as a sign with its word: colour is never all that tells it. */
export function Status({ status }: { status: HealthStatus }) {
  return (
    <span class={`status status-${status}`}>
      <span class="status-sign" aria-hidden="true" />
      {t.server[status]}
    </span>
  );
}
