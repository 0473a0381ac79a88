import type { types } from '@pelorus/client';
import { useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { Checkbox, Field } from '../../parts/field.js';
import { FailureNotice, Notice } from '../../parts/notice.js';
import { useAction } from '../../server/load.js';
import { t } from '../../strings/strings.js';

interface ModelDialogProps {
  readonly name: string;
  readonly settings: types.IndexSettingsResponse;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The outcome that a change would have. */
interface Trial {
  readonly error: boolean;
  readonly reason: string;
}

/** Changes how the model of an index is fetched and run: the one part of its settings that is not fixed. */
export function ModelDialog({ name, settings, onClose, onDone }: ModelDialogProps) {
  const [text, setText] = useState(() => JSON.stringify(settings.modelProperties ?? {}, null, 2));
  const [isForced, setForced] = useState(false);
  const [trial, setTrial] = useState<Trial>();
  const properties = objectOf(text);
  const send = useAction(async (client, isTrial: boolean) => {
    const query = new URLSearchParams({ dry_run: String(isTrial), force: String(isForced) });
    const path = `/indexes/${encodeURIComponent(name)}/index-settings?${query}`;
    const told = await client.call<Partial<Trial>>('PATCH', path, { modelProperties: properties });
    if (isTrial) setTrial({ error: told.error === true, reason: told.reason ?? '' });
  });
  const submit = async (event: Event) => {
    event.preventDefault();
    if (properties === undefined || !(await send.run(false))) return;
    announce(t.indexes.modelChanged);
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.indexes.modelChange} onClose={onClose} isWide>
      <form class="stack" onSubmit={submit}>
        {send.failure !== undefined && <FailureNotice failure={send.failure} />}
        {trial !== undefined && send.failure === undefined && (
          <Notice tone={trial.error ? 'warn' : 'good'} title={trial.error ? t.indexes.trialBad : t.indexes.trialGood}>
            {trial.reason}
          </Notice>
        )}
        <p>{t.indexes.modelHint}</p>
        <Field
          label={t.indexes.modelProperties}
          hint={t.indexes.modelSecrets}
          error={properties === undefined ? t.form.notJson : undefined}
        >
          {(control) => (
            <textarea
              {...control}
              class="mono"
              rows={12}
              spellcheck={false}
              value={text}
              onInput={({ currentTarget }) => {
                setText(currentTarget.value);
                setTrial(undefined);
              }}
            />
          )}
        </Field>
        <Checkbox
          label={t.indexes.force}
          hint={t.indexes.forceHint}
          checked={isForced}
          onChange={({ currentTarget }) => {
            setForced(currentTarget.checked);
            setTrial(undefined);
          }}
        />
        <div class="actions">
          <Button isBusy={send.isRunning} disabled={properties === undefined} onClick={() => send.run(true)}>
            {t.indexes.tryChange}
          </Button>
          <Button tone="primary" type="submit" disabled={properties === undefined || send.isRunning}>
            {t.indexes.doChange}
          </Button>
          <Button onClick={onClose}>{t.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The object that a text is the JSON of; undefined of any other text. */
function objectOf(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
