import type { ComponentChildren } from 'preact';

/** The place of what is not there yet, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <svg class="empty-sign" viewBox="0 0 64 64" aria-hidden="true">
        <circle cx="32" cy="32" r="26" />
        <circle cx="32" cy="32" r="20" class="empty-ticks" />
        <path d="M43 21 36 36 21 43 28 28z" />
      </svg>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Lines in the place of what is on its way. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, place) => (
        <span key={place} />
      ))}
    </div>
  );
}
