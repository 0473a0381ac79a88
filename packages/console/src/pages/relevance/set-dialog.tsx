import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { Checkbox, Field } from '../../parts/field.js';
import { FailureNotice, Notice } from '../../parts/notice.js';
import { go } from '../../router.js';
import { type Failure, failureOf } from '../../server/failure.js';
import { useAction } from '../../server/load.js';
import { isHosted } from '../../server/session.js';
import { t } from '../../strings/strings.js';
import { type JudgedQuery, judgementCount, sentQueries } from './judged-queries.js';
import { type FileSet, readJudgements } from './judgement-files.js';
import { setPath } from './set-editor.js';
import { readShopperGrades } from './shopper-grades.js';

interface SetDialogProps {
  /** Tells whether the set is to be filled from a file. */
  readonly isImport: boolean;
  /** The names of sets that are there. */
  readonly names: readonly string[];
  readonly onClose: () => void;
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Makes a set, empty or of a file that the browser reads. */
export function SetDialog({ isImport, names, onClose }: SetDialogProps) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string>();
  const [read, setRead] = useState<ReadSet>();
  const [isOfShoppers, setOfShoppers] = useState(false);
  const make = useAction(async (client) => {
    const { queries = [], configurations = [] } = read ?? {};
    await client.call('PUT', setPath(name), { version: 0, queries: sentQueries(queries), configurations });
    go(['relevance', name]);
  });
  const submit = (event: Event) => {
    event.preventDefault();
    const found = names.includes(name) ? t.relevance.nameTaken : NAME.test(name) ? undefined : t.relevance.nameWrong;
    setFault(found);
    if (found === undefined) void make.run();
  };
  return (
    <Dialog title={isImport ? t.relevance.import : t.relevance.create} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {make.failure !== undefined && <FailureNotice failure={make.failure} />}
        <Field label={t.relevance.nameLabel} hint={t.relevance.nameHint} error={fault}>
          {(control) => (
            <input
              {...control}
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value.trim())}
            />
          )}
        </Field>
        {isImport && isHosted && (
          <Checkbox
            label={t.relevance.shoppers.use}
            hint={t.relevance.shoppers.useHint}
            checked={isOfShoppers}
            onChange={({ currentTarget }) => {
              setOfShoppers(currentTarget.checked);
              setRead(undefined);
            }}
          />
        )}
        {isImport && (isOfShoppers ? <ShopperPart onRead={setRead} /> : <FilePart onRead={setRead} />)}
        <div class="actions">
          <Button type="submit" tone="primary" isBusy={make.isRunning} disabled={isImport && read === undefined}>
            {isImport ? t.relevance.importDo : t.relevance.createDo}
          </Button>
          <Button onClick={onClose}>{t.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ReadProps {
  readonly onRead: (set: ReadSet | undefined) => void;
}

/** The set that a file, or events, make. */
type ReadSet = Pick<FileSet, 'queries'> & Partial<Pick<FileSet, 'configurations'>>;

/** The customer whose events become grades. */
function ShopperPart({ onRead }: ReadProps) {
  const [customerId, setCustomerId] = useState('');
  const [pages, setPages] = useState(0);
  const [queries, setQueries] = useState<readonly JudgedQuery[]>();
  const stopper = useRef(new AbortController());
  useEffect(() => () => stopper.current.abort(), []);
  const read = useAction(async (client) => {
    stopper.current = new AbortController();
    const take = (found: readonly JudgedQuery[] | undefined) => {
      setQueries(found);
      onRead(found && { queries: found });
    };
    take(undefined);
    take(await readShopperGrades(client, customerId, stopper.current.signal, setPages));
  });
  return (
    <>
      <Field label={t.relevance.shoppers.customer} hint={t.relevance.shoppers.customerHint}>
        {(control) => (
          <input
            {...control}
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={customerId}
            onInput={({ currentTarget }) => setCustomerId(currentTarget.value.trim())}
          />
        )}
      </Field>
      <div class="row">
        <Button isBusy={read.isRunning} disabled={customerId === ''} onClick={() => void read.run()}>
          {t.relevance.shoppers.read}
        </Button>
        {read.isRunning && <Button onClick={() => stopper.current.abort()}>{t.data.stop}</Button>}
        {read.isRunning && <span role="status">{t.relevance.shoppers.pages(pages)}</span>}
      </div>
      {read.failure !== undefined && !stopper.current.signal.aborted && <FailureNotice failure={read.failure} />}
      {queries !== undefined && <ReadNotice queries={queries} />}
    </>
  );
}

/** The queries that were found, the first ones by their texts. */
function ReadNotice({ queries, children }: { queries: readonly JudgedQuery[]; children?: ComponentChildren }) {
  return (
    <Notice tone="good" title={t.relevance.fileRead(queries.length, judgementCount(queries))}>
      <p>{t.relevance.firstQueries(queries.slice(0, 3).map(({ q }) => q))}</p>
      {children}
    </Notice>
  );
}

/** The choice of the files, and what is in them. */
function FilePart({ onRead }: ReadProps) {
  const [file, setFile] = useState<File>();
  const [topics, setTopics] = useState<File>();
  const [set, setSet] = useState<FileSet>();
  const [failure, setFailure] = useState<Failure>();
  const turn = useRef(0);
  const read = async (judged: File | undefined, named: File | undefined) => {
    turn.current += 1;
    const own = turn.current;
    setFile(judged);
    setTopics(named);
    setFailure(undefined);
    let found: FileSet | undefined;
    let fault: Failure | undefined;
    try {
      found = judged === undefined ? undefined : await readJudgements(judged, named);
    } catch (error) {
      const { message } = failureOf(error);
      fault = { message: t.data.fileUnreadable(judged?.name ?? ''), advice: message, problems: [] };
    }
    // Other files were chosen meanwhile.
    if (own !== turn.current) return;
    setFailure(fault);
    setSet(found);
    onRead(found);
  };
  return (
    <>
      <Field label={t.relevance.file} hint={t.relevance.fileHint}>
        {(control) => (
          <input
            {...control}
            type="file"
            accept=".qrels,.qrel,.txt,.csv,.tsv,.json,.jsonl,.ndjson"
            onChange={({ currentTarget }) => read(currentTarget.files?.[0], topics)}
          />
        )}
      </Field>
      <Field label={t.relevance.topics} hint={t.relevance.topicsHint}>
        {(control) => (
          <input {...control} type="file" onChange={({ currentTarget }) => read(file, currentTarget.files?.[0])} />
        )}
      </Field>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {set !== undefined && (
        <ReadNotice queries={set.queries}>
          {set.movedGrades > 0 && <p>{t.relevance.movedGrades(set.movedGrades)}</p>}
          {set.unnamedTopics > 0 && <p>{t.relevance.unnamedTopics(set.unnamedTopics)}</p>}
        </ReadNotice>
      )}
    </>
  );
}
