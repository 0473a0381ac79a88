import type { PageProps } from '../../pages.js';
import { Button } from '../../parts/button.js';
import { Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { PageHead } from '../../parts/page-head.js';
import { address } from '../../router.js';
import { useStore } from '../../store.js';
import { t } from '../../strings/strings.js';
import { ComparePart } from './compare-part.js';
import { JudgePart } from './judge-part.js';
import { SaveSetLink } from './save-set-link.js';
import { forgetSet, type SetEditor, useSetEditor } from './set-editor.js';
import { SetList } from './set-list.js';
import './relevance.css';

const COMPARE = 'compare';

/** The relevance lab: sets of judgements, and searches compared by them. */
export default function RelevancePage({ segments }: PageProps) {
  const [name, part] = segments;
  return name === undefined ? <SetList /> : <SetPage key={name} name={name} isCompared={part === COMPARE} />;
}

function SetPage({ name, isCompared }: { name: string; isCompared: boolean }) {
  const { data: editor, failure, reload } = useSetEditor(name);
  const loadAgain = () => {
    forgetSet(name);
    reload();
  };
  return (
    <>
      <PageHead title={name} above={<a href={address(['relevance'])}>{t.relevance.back}</a>}>
        {editor !== undefined && <SaveSetLink editor={editor} />}
      </PageHead>
      <nav class="tabs" aria-label={t.relevance.parts}>
        <a href={address(['relevance', name])} aria-current={isCompared ? undefined : 'page'}>
          {t.relevance.judge}
        </a>
        <a href={address(['relevance', name, COMPARE])} aria-current={isCompared ? 'page' : undefined}>
          {t.relevance.compare}
        </a>
      </nav>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      {editor === undefined && failure === undefined && <Skeleton lines={6} />}
      {editor !== undefined && (
        <>
          <SaveNotice editor={editor} onLoadAgain={loadAgain} />
          {isCompared ? <ComparePart editor={editor} /> : <JudgePart editor={editor} />}
        </>
      )}
    </>
  );
}

/** The failure of the last change to reach the server, with what can be done. */
function SaveNotice({ editor, onLoadAgain }: { editor: SetEditor; onLoadAgain: () => void }) {
  const { failure, isOutdated } = useStore(editor.state);
  if (failure === undefined) return null;
  return (
    <div class="stack">
      <FailureNotice failure={failure} retry={isOutdated ? undefined : () => void editor.save()} />
      {isOutdated && (
        <p>
          <Button onClick={onLoadAgain}>{t.relevance.loadAgain}</Button>
        </p>
      )}
    </div>
  );
}
