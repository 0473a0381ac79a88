import { PelorusError, type types } from '@pelorus/client';
import { useState } from 'preact/hooks';
import { toldChange } from '../../curation/change-told.js';
import { defaultSentence, memberInWords } from '../../curation/default-sentence.js';
import { membersOf, otherMembers, withMembers } from '../../curation/search-defaults.js';
import { defaultChanges } from '../../curation/version-changes.js';
import { Button } from '../../parts/button.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { Skeleton } from '../../parts/empty.js';
import { FailureNotice, Notice } from '../../parts/notice.js';
import { DECIDING_MIN, type Lead } from '../../relevance/comparison.js';
import { address } from '../../router.js';
import { useAction, useLoad } from '../../server/load.js';
import { clientOfVersion } from '../../server/session.js';
import { t } from '../../strings/strings.js';
import type { ComparisonRun } from './comparison-run.js';
import '../../curation/curation.css';

interface KeepWinnerProps extends Lead {
  readonly run: ComparisonRun;
  /** Queries that have figures. */
  readonly count: number;
}

/** Keeps members of the way to search that ranks better as defaults of its index. */
export function KeepWinner({ run, side, mayBeChance, count }: KeepWinnerProps) {
  const { index, search } = run.sides[side];
  const name = t.relevance.sides[side];
  const { data, failure, reload } = useLoad((client, signal) => client.index(index).curation({ signal }), [index]);
  const [isAsked, setAsked] = useState(false);
  const members = membersOf(search);
  const others = otherMembers(search);
  const next = data && withMembers(data.searchDefaults, members);
  const changes = data && defaultChanges(data.searchDefaults, next);
  const title = t.defaults.keep.title(name, index);
  const doubt = mayBeChance ? t.defaults.keep.doubt(name, count, DECIDING_MIN) : undefined;
  return (
    <section class="panel panel-body stack" aria-label={title}>
      <h2>{title}</h2>
      {doubt !== undefined && <p>{doubt}</p>}
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      {changes === undefined && failure === undefined && <Skeleton lines={2} />}
      {members.length === 0 && <p>{t.defaults.keep.nothing(name)}</p>}
      {changes !== undefined && members.length > 0 && changes.length === 0 && (
        <p>
          {t.defaults.keep.isKept(name, index)}{' '}
          <a href={address(['indexes', index, 'rules'])}>{t.defaults.keep.seen}</a>
        </p>
      )}
      {changes !== undefined && changes.length > 0 && (
        <>
          <p>{t.defaults.keep.hint(index)}</p>
          <Changes of={members.map(defaultSentence)} />
          <div class="actions">
            <Button onClick={() => setAsked(true)}>
              {mayBeChance ? t.defaults.keep.openAnyway : t.defaults.keep.open}
            </Button>
          </div>
        </>
      )}
      {others.length > 0 && <p class="field-hint">{t.defaults.keep.others(others.map(memberInWords).join(', '))}</p>}
      {isAsked && data !== undefined && changes !== undefined && (
        <KeepDialog
          {...{ index, title, changes, reload, doubt }}
          curation={data}
          searchDefaults={next}
          onClose={() => setAsked(false)}
        />
      )}
    </section>
  );
}

interface KeepDialogProps {
  readonly index: string;
  readonly title: string;
  readonly curation: types.Curation;
  readonly searchDefaults: types.SearchDefaults | undefined;
  readonly changes: readonly string[];
  /** The reason that it may be no better; undefined where it is. */
  readonly doubt: string | undefined;
  readonly reload: () => void;
  readonly onClose: () => void;
}

/** Tells what changes, and changes it unless others have changed the curation meanwhile. */
function KeepDialog({ index, title, curation, searchDefaults, changes, doubt, reload, onClose }: KeepDialogProps) {
  const action = useAction(async () => {
    const { version, rules, synonyms } = curation;
    try {
      await clientOfVersion(version).index(index).setCuration({ rules, synonyms, searchDefaults });
    } catch (error) {
      // The next try is about what others have made of it.
      if (error instanceof PelorusError && error.code === 'version_conflict') reload();
      throw error;
    }
  });
  return (
    <ConfirmDialog
      title={title}
      label={doubt === undefined ? t.defaults.keep.act : t.defaults.keep.actAnyway}
      tone="primary"
      action={{ ...action, failure: action.failure && toldChange(action.failure, t.defaults.keep.failed) }}
      done={t.defaults.keep.done(index)}
      onClose={onClose}
      onDone={reload}
    >
      <div class="stack">
        {doubt !== undefined && <Notice tone="warn" title={doubt} />}
        <p>{t.defaults.keep.sure(index)}</p>
        <Changes of={changes} />
      </div>
    </ConfirmDialog>
  );
}

function Changes({ of: lines }: { of: readonly string[] }) {
  return (
    <ul class="sentences">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
