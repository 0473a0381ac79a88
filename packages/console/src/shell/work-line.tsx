import { useEffect } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { address, route } from '../router.js';
import { useStore } from '../store.js';
import { t } from '../strings/strings.js';
import { backgroundWork } from './background-work.js';

/** A line about work that goes on while another page is looked at, with the way back to it. */
export function WorkLine() {
  const work = useStore(backgroundWork);
  const { segments } = useStore(route);
  const isHere = work?.place.every((segment, at) => segment === segments[at]) === true;
  const isSeen = isHere && work?.outcome !== undefined;
  useEffect(() => {
    if (isSeen) backgroundWork.set(undefined);
  }, [isSeen]);
  if (work === undefined || isHere) return null;
  const { title, share, outcome, place } = work;
  return (
    <section class="work-line" aria-label={t.work.label}>
      <span>{title}</span>
      {outcome === undefined && <progress max={1} value={share} aria-label={t.work.progress(title)} />}
      <span role="status">{outcome ?? ''}</span>
      <a href={address(place)}>{outcome === undefined ? t.work.look : t.work.lookBack}</a>
      {outcome !== undefined && (
        <Button size="small" tone="quiet" onClick={() => backgroundWork.set(undefined)}>
          {t.close}
        </Button>
      )}
    </section>
  );
}
