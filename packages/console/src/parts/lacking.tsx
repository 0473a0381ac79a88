import { t } from '../strings/strings.js';
import { Empty } from './empty.js';

/** Stands in the place of what the hosted form does not have, and tells what it has instead. */
export function Lacking({ title, children }: { title: string; children: string }) {
  return (
    <div class="panel">
      <Empty title={t.hosted.lacking(title)}>
        <p>{children}</p>
      </Empty>
    </div>
  );
}
