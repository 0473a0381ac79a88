import type { types } from '@pelorus/client';
import { useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { FailureNotice } from '../../parts/notice.js';
import { go } from '../../router.js';
import { useAction } from '../../server/load.js';
import { t } from '../../strings/strings.js';

interface DeleteDialogProps {
  readonly name: string;
  readonly stats: types.IndexStats | undefined;
  readonly onClose: () => void;
}

/** Deletes an index once its name is typed. */
export function DeleteDialog({ name, stats, onClose }: DeleteDialogProps) {
  const [typed, setTyped] = useState('');
  const remove = useAction((client) => client.deleteIndex(name));
  const isSame = typed === name;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!isSame || !(await remove.run())) return;
    announce(t.indexes.deleted(name));
    go(['indexes']);
  };
  return (
    <Dialog title={t.indexes.deleteTitle} onClose={onClose}>
      <form onSubmit={submit} class="stack">
        {remove.failure !== undefined && <FailureNotice failure={remove.failure} />}
        <p>{t.indexes.deleteExplanation}</p>
        {stats !== undefined && (
          <p>
            <strong>{t.indexes.counts(stats.numberOfDocuments, stats.numberOfVectors)}</strong>
          </p>
        )}
        <Field
          label={t.indexes.deleteConfirm(name)}
          hint={typed !== '' && !isSame ? t.indexes.deleteMismatch : undefined}
        >
          {(control) => (
            <input
              {...control}
              class="mono"
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <Button tone="danger" type="submit" disabled={!isSame} isBusy={remove.isRunning}>
            {t.indexes.deleteDo}
          </Button>
          <Button onClick={onClose}>{t.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
