import type { types } from '@pelorus/client';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { Empty, Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { PageHead } from '../../parts/page-head.js';
import { TableScroll } from '../../parts/table-scroll.js';
import { address } from '../../router.js';
import { useAction, useLoad } from '../../server/load.js';
import { formatMoment, formatNumber, t } from '../../strings/strings.js';
import { SetDialog } from './set-dialog.js';
import { forgetSet, setPath } from './set-editor.js';

/** The sets of judgements of the server. */
export function SetList() {
  const { data, failure, reload } = useLoad(
    (client, signal) => client.call<types.JudgementSetList>('GET', '/judgement-sets', undefined, { signal }),
    [],
  );
  const [opened, setOpened] = useState<'create' | 'import'>();
  const [leaving, setLeaving] = useState<string>();
  const results = data?.results;
  return (
    <>
      <PageHead title={t.relevance.title}>
        <Button onClick={() => setOpened('import')}>{t.relevance.import}</Button>
        <Button tone="primary" onClick={() => setOpened('create')}>
          {t.relevance.create}
        </Button>
      </PageHead>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      <section class="panel" aria-label={t.relevance.sets}>
        {results === undefined ? (
          failure === undefined && <Skeleton />
        ) : results.length === 0 ? (
          <Empty title={t.relevance.none}>
            <p>{t.relevance.noneHint}</p>
          </Empty>
        ) : (
          <SetTable sets={results} onDelete={setLeaving} />
        )}
      </section>
      {opened !== undefined && (
        <SetDialog
          isImport={opened === 'import'}
          names={results?.map(({ setName }) => setName) ?? []}
          onClose={() => setOpened(undefined)}
        />
      )}
      {leaving !== undefined && <DeleteDialog name={leaving} onClose={() => setLeaving(undefined)} onDone={reload} />}
    </>
  );
}

interface SetTableProps {
  readonly sets: readonly types.JudgementSetSummary[];
  readonly onDelete: (name: string) => void;
}

function SetTable({ sets, onDelete }: SetTableProps) {
  return (
    <TableScroll label={t.relevance.setTable}>
      <thead>
        <tr>
          <th scope="col">{t.relevance.name}</th>
          <th scope="col" class="number">
            {t.relevance.queries}
          </th>
          <th scope="col" class="number">
            {t.relevance.judgements}
          </th>
          <th scope="col">{t.relevance.changed}</th>
          <th scope="col">
            <span class="unseen">{t.operations.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sets.map(({ setName, queryCount, judgementCount, updatedAt, fault }) => (
          <tr key={setName}>
            <td>
              {fault === undefined ? (
                <a class="strong" href={address(['relevance', setName])}>
                  {setName}
                </a>
              ) : (
                <>
                  <span class="strong">{setName}</span>
                  <p class="field-error">{fault}</p>
                </>
              )}
            </td>
            <td class="number">{formatNumber(queryCount)}</td>
            <td class="number">{formatNumber(judgementCount)}</td>
            <td>{updatedAt === null ? '' : formatMoment(updatedAt)}</td>
            <td class="number">
              <Button size="small" aria-label={t.relevance.deleteOf(setName)} onClick={() => onDelete(setName)}>
                {t.operations.delete}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </TableScroll>
  );
}

function DeleteDialog({ name, onClose, onDone }: { name: string; onClose: () => void; onDone: () => void }) {
  const action = useAction(async (client) => {
    await client.call('DELETE', setPath(name));
    forgetSet(name);
  });
  return (
    <ConfirmDialog
      title={t.relevance.deleteTitle(name)}
      label={t.relevance.deleteDo}
      action={action}
      done={t.relevance.deleted(name)}
      onClose={onClose}
      onDone={onDone}
    >
      {t.relevance.deleteSure}
    </ConfirmDialog>
  );
}
