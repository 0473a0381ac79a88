import type { ComponentChildren } from 'preact';
import type { Action } from '../server/load.js';
import { t } from '../strings/strings.js';
import { announce } from './announcer.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { FailureNotice } from './notice.js';

interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The words of the button that does it. */
  readonly label: string;
  readonly tone?: 'danger' | 'primary';
  readonly action: Action<readonly []>;
  /** Told once it is done. */
  readonly done: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks before something is done that cannot be taken back, or that many see. */
export function ConfirmDialog({
  title,
  children,
  label,
  tone = 'danger',
  action,
  done,
  onClose,
  onDone,
}: ConfirmDialogProps) {
  const act = async () => {
    if (!(await action.run())) return;
    announce(done);
    onDone();
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        {action.failure !== undefined && <FailureNotice failure={action.failure} />}
        <div>{children}</div>
        <div class="actions">
          <Button tone={tone} isBusy={action.isRunning} onClick={act}>
            {label}
          </Button>
          <Button onClick={onClose}>{t.cancel}</Button>
        </div>
      </div>
    </Dialog>
  );
}
