import { useState } from 'preact/hooks';
import { t } from '../../../strings/strings.js';

interface FileDropProps {
  /** The use of the file, in a sentence. */
  readonly hint: string;
  readonly isBusy?: boolean;
  readonly onFile: (file: File) => void;
}

/** Takes a file that is dropped on it or chosen. */
export function FileDrop({ hint, isBusy = false, onFile }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  const take = (file: File | undefined) => file && onFile(file);
  return (
    <section
      class={`drop ${isOver ? 'drop-over' : ''}`}
      aria-label={t.data.dropLabel}
      aria-busy={isBusy}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files[0]);
      }}
    >
      <p class="drop-title">{t.data.drop}</p>
      <p class="muted">{hint}</p>
      <label class="button button-primary">
        {t.data.choose}
        <input
          type="file"
          class="unseen"
          accept=".csv,.tsv,.json,.jsonl,.ndjson,.parquet"
          onChange={({ currentTarget }) => {
            take(currentTarget.files?.[0]);
            // The same file may be chosen again, once it is mended.
            currentTarget.value = '';
          }}
        />
      </label>
      {isBusy && <span class="faint">{t.loading}…</span>}
    </section>
  );
}
