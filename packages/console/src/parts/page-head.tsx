import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../strings/strings.js';

/** Tells whether a page was shown before: the first one leaves the focus where the browser puts it. */
let isFirst = true;

interface PageHeadProps {
  readonly title: string;
  readonly above?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The title of a page, and what can be done there. The focus goes to it with every change of the page. */
export function PageHead({ title, above, children }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${t.product}`;
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, [title]);
  return (
    <header class="page-head">
      <div>
        {above}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}
