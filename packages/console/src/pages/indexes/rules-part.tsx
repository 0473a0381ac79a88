import { useMemo } from 'preact/hooks';
import { CurationEditor } from '../../curation/curation-editor.js';
import { indexCurator } from '../../curation/index-curator.js';
import { PageHead } from '../../parts/page-head.js';
import { address, go, route } from '../../router.js';
import { useStore } from '../../store.js';
import { t } from '../../strings/strings.js';

/** The rules and synonyms that searches of an index follow. */
export function RulesPart({ name }: { name: string }) {
  const query = useStore(route).parameters.get('q') ?? undefined;
  const curator = useMemo(() => indexCurator(name), [name]);
  const above = (
    <p class="above">
      <a href={address(['indexes', name])}>{name}</a>
    </p>
  );
  return (
    <>
      <PageHead title={t.curation.title} above={above} />
      <CurationEditor curator={curator} query={query} onQuery={(q) => go(['indexes', name, 'rules'], { q })} />
    </>
  );
}
