import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../strings/strings.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly isWide?: boolean;
  /** False where nothing else can be done before the dialog is answered. */
  readonly canClose?: boolean;
}

/** A dialog over the page: the browser keeps the focus in it and gives it back at its end. */
export function Dialog({ title, onClose, children, isWide = false, canClose = true }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      shown?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  // A second Escape closes whatever became of the first, unless its key is kept from the browser.
  useEffect(() => {
    if (canClose) return;
    const keep = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault();
    addEventListener('keydown', keep);
    return () => removeEventListener('keydown', keep);
  }, [canClose]);
  const cancel = (event: Event) => {
    event.preventDefault();
    if (canClose) onClose();
  };
  return (
    <dialog ref={dialog} class={`dialog ${isWide ? 'dialog-wide' : ''}`} aria-labelledby={id} onCancel={cancel}>
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {canClose && (
          <button type="button" class="button button-quiet button-icon" aria-label={t.close} onClick={onClose}>
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="m5 5 10 10M15 5 5 15" />
            </svg>
          </button>
        )}
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
