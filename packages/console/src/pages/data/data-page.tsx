import { IndexChoice, useIndexNames } from '../../documents/index-choice.js';
import { useFirstIndex, useRemembered } from '../../documents/last-index.js';
import type { PageProps } from '../../pages.js';
import { Empty } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { PageHead } from '../../parts/page-head.js';
import { address, go, route } from '../../router.js';
import { useStore } from '../../store.js';
import { t } from '../../strings/strings.js';
import { DocumentList } from './document-list.js';
import { ImportPart } from './import/import-part.js';
import { NewIndexDrop } from './import/new-index.js';
import './data.css';

const IMPORT = 'import';
/** The parameter of the address that asks for a new index. */
const NEW = 'new';

/** The documents of an index, or the import of a file into it. */
export default function DataPage({ segments }: PageProps) {
  const [name, part] = segments;
  const { parameters } = useStore(route);
  useRemembered(name);
  if (name === undefined) return <NoIndex isNew={parameters.get(NEW) === 'true'} />;
  const isImport = part === IMPORT;
  return (
    <>
      <PageHead title={isImport ? t.data.importTitle : t.data.title} />
      <div class="data-bar">
        <IndexChoice chosen={name} onChoose={(chosen) => go(isImport ? ['data', chosen, IMPORT] : ['data', chosen])} />
        <nav class="tabs" aria-label={t.data.parts}>
          <a href={address(['data', name])} aria-current={isImport ? undefined : 'page'}>
            {t.data.documents}
          </a>
          <a href={address(['data', name, IMPORT])} aria-current={isImport ? 'page' : undefined}>
            {t.data.importTitle}
          </a>
          <a href={address(['data'], { [NEW]: 'true' })}>{t.data.newIndex}</a>
        </nav>
      </div>
      {isImport ? <ImportPart key={name} index={name} /> : <DocumentList key={name} index={name} />}
    </>
  );
}

/** Chooses an index, or takes a file for a new one. @param isNew tells that none of those that there are is wanted */
function NoIndex({ isNew }: { isNew: boolean }) {
  const names = useIndexNames();
  useFirstIndex('data', isNew ? undefined : names.data);
  return (
    <>
      <PageHead title={t.data.title} />
      {names.failure !== undefined && <FailureNotice failure={names.failure} retry={names.reload} />}
      {names.data !== undefined && names.data.length > 0 && (
        <div class="panel">
          <Empty title={t.search.startTitle}>
            <IndexChoice chosen={undefined} onChoose={(chosen) => go(['data', chosen])} />
          </Empty>
        </div>
      )}
      {names.data !== undefined && <NewIndexDrop names={names.data} />}
    </>
  );
}
