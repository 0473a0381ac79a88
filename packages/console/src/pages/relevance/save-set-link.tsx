import { useEffect, useState } from 'preact/hooks';
import { useStore } from '../../store.js';
import { t } from '../../strings/strings.js';
import { sentQueries } from './judged-queries.js';
import type { SetEditor } from './set-editor.js';

/** The state of the set at the server, and a link that saves it as a file which the import takes. */
export function SaveSetLink({ editor }: { editor: SetEditor }) {
  const { queries, configurations, save } = useStore(editor.state);
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const text = JSON.stringify({ queries: sentQueries(queries), configurations }, null, 1);
    const made = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [queries, configurations]);
  return (
    <>
      <span class="faint" role="status">
        {t.relevance.saves[save]}
      </span>
      <a class="button button-small" href={url} download={`${editor.name}.json`}>
        {t.relevance.saveFile}
      </a>
    </>
  );
}
