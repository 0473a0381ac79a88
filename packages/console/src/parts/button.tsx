import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../strings/strings.js';
import { announce } from './announcer.js';

interface ButtonProps extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, 'size' | 'icon'> {
  readonly tone?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly size?: 'normal' | 'small';
  readonly isBusy?: boolean;
  readonly children?: ComponentChildren;
}

export function Button({ tone = 'plain', size = 'normal', isBusy = false, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${tone} button-${size}`}
      aria-busy={isBusy ? 'true' : undefined}
    >
      {isBusy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

/** A button that copies a text, and says so. */
export function CopyButton({ text, label = t.copy }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce(t.copied);
    } catch {
      announce(t.copyFailed);
    }
  };
  return (
    <Button size="small" tone="quiet" onClick={copy} onBlur={() => setCopied(false)}>
      {isCopied ? t.copied : label}
    </Button>
  );
}
