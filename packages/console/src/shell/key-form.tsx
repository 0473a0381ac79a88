import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { Checkbox, Field } from '../parts/field.js';
import { changeKey, session } from '../server/session.js';
import { t } from '../strings/strings.js';

interface KeyDialogProps {
  /** The words of the server to the last call; undefined where somebody opened the dialog. */
  readonly wanted: string | undefined;
  readonly onClose: () => void;
}

/** Asks for the key of calls. */
export function KeyDialog({ wanted, onClose }: KeyDialogProps) {
  const [key, setKey] = useState('');
  const [isShown, setShown] = useState(false);
  const [isKept, setKept] = useState(false);
  const [error, setError] = useState<string>();
  const submit = (event: Event) => {
    event.preventDefault();
    const typed = key.trim();
    if (typed === '') return setError(t.key.empty);
    try {
      changeKey(typed, isKept);
      onClose();
    } catch {
      setError(t.key.malformed);
    }
  };
  const forget = () => {
    changeKey('', false);
    onClose();
  };
  return (
    <Dialog
      title={wanted === undefined ? t.key.title : t.key.wantedTitle}
      onClose={onClose}
      canClose={wanted === undefined}
    >
      <form onSubmit={submit} class="stack">
        {wanted !== undefined && session.value.key !== '' && (
          <p class="field-error" role="alert">
            {wanted}
          </p>
        )}
        <p>{t.key.explanation}</p>
        <Field label={t.key.label} error={error}>
          {(control) => (
            <input
              {...control}
              class="mono"
              type={isShown ? 'text' : 'password'}
              autocomplete="off"
              spellcheck={false}
              value={key}
              onInput={({ currentTarget }) => {
                setKey(currentTarget.value);
                setError(undefined);
              }}
            />
          )}
        </Field>
        <Checkbox label={t.key.show} checked={isShown} onChange={() => setShown(!isShown)} />
        <Checkbox label={t.key.keep} hint={t.key.keepHint} checked={isKept} onChange={() => setKept(!isKept)} />
        <div class="actions">
          <Button tone="primary" type="submit">
            {t.key.use}
          </Button>
          {wanted === undefined && session.value.key !== '' && <Button onClick={forget}>{t.key.forget}</Button>}
        </div>
      </form>
    </Dialog>
  );
}
