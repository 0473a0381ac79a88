import { Button } from '../../parts/button.js';
import { useStore } from '../../store.js';
import { t } from '../../strings/strings.js';
import { sentQueries } from './judged-queries.js';
import type { SetEditor } from './set-editor.js';

/** The state of the set at the server, and a button that saves it as a file which the import takes. */
export function SaveSetLink({ editor }: { editor: SetEditor }) {
  const { save } = useStore(editor.state);
  return (
    <>
      <span class="faint" role="status">
        {t.relevance.saves[save]}
      </span>
      <Button size="small" onClick={() => saveFile(editor)}>
        {t.relevance.saveFile}
      </Button>
    </>
  );
}

/** Some browsers begin to read what is downloaded only a while later. */
const DOWNLOAD_MS = 40_000;

/** Lets the browser save the set as it is now. A large one is written when somebody asks, not with each grade. */
function saveFile({ name, state: { value } }: SetEditor): void {
  const { queries, configurations } = value;
  const text = JSON.stringify({ queries: sentQueries(queries), configurations }, null, 1);
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_MS);
}
