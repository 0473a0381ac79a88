import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Page, type PageProps, pages } from '../pages.js';
import { Announcer } from '../parts/announcer.js';
import { Skeleton } from '../parts/empty.js';
import { FailureNotice, Notice } from '../parts/notice.js';
import { PageHead } from '../parts/page-head.js';
import { address, route } from '../router.js';
import { type Failure, failureOf } from '../server/failure.js';
import { reasonsOf, useServerState } from '../server/server-state.js';
import { isAway, keyWanted, session } from '../server/session.js';
import { useStore } from '../store.js';
import { t } from '../strings/strings.js';
import { KeyDialog } from './key-form.js';
import './shell.css';
import compass from './compass.svg';
import { chooseTheme, type Theme, theme } from './theme.js';
import { WorkLine } from './work-line.js';

/** The frame of all pages: the menu, the state of the server, and the page that the address names. */
export function Shell() {
  const { segments } = useStore(route);
  const wanted = useStore(keyWanted);
  const { key } = useStore(session);
  const [isKeyOpen, setKeyOpen] = useState(false);
  const { facts, isLost } = useServerState();
  const segment = segments[0] ?? pages[0]?.segment;
  const page = pages.find((one) => one.segment === segment);
  const main = useRef<HTMLElement>(null);
  const status = isLost ? 'red' : facts?.health.status;
  const isOther = facts !== undefined && facts.version !== '' && facts.version !== __VERSION__;
  const reasons = facts === undefined ? [] : reasonsOf(facts.health);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {t.skip}
      </button>
      <header class="side">
        <a class="brand" href={address([])}>
          <img src={compass} alt="" width="28" height="28" />
          <span>
            {t.product} <small>{t.console}</small>
          </span>
        </a>
        <nav aria-label={t.menu}>
          {pages.map(({ segment: own, title, icon }) => (
            <a key={own} href={address([own])} aria-current={own === segment ? 'page' : undefined}>
              <svg viewBox="0 0 20 20" aria-hidden="true">
                <path d={icon} />
              </svg>
              {title}
            </a>
          ))}
        </nav>
        <div class="side-foot">
          {status !== undefined && (
            <p class={`status status-${status}`}>
              <span class="status-sign" aria-hidden="true" />
              {isLost ? t.server.away : t.server.healthOf(t.server[status])}
            </p>
          )}
          <button type="button" class="side-button" onClick={() => setKeyOpen(true)}>
            {key === '' ? t.key.unset : t.key.set}
          </button>
          <ThemeChoice />
          {facts !== undefined && <p class="faint side-version">{t.server.version(facts.version)}</p>}
        </div>
      </header>
      <main class="main" ref={main} tabIndex={-1}>
        {isLost && facts !== undefined && (
          <Notice tone="warn" title={t.server.away}>
            {t.server.awayAdvice}
          </Notice>
        )}
        {isOther && (
          <Notice tone="warn" title={t.server.otherVersion(__VERSION__, facts?.version ?? '')}>
            {t.server.otherVersionAdvice}
          </Notice>
        )}
        {!isLost && reasons.length > 0 && (
          <Notice tone="warn" title={t.server.healthOf(t.server[status ?? 'yellow'])}>
            <ul>
              {reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          </Notice>
        )}
        <WorkLine />
        {page === undefined ? <NotFound /> : <PageFrame key={page.segment} page={page} segments={segments.slice(1)} />}
      </main>
      {(wanted !== undefined || isKeyOpen) && <KeyDialog wanted={wanted} onClose={() => setKeyOpen(false)} />}
      <Announcer />
    </div>
  );
}

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

function ThemeChoice() {
  const chosen = useStore(theme);
  return (
    <div class="theme">
      <span aria-hidden="true">{t.theme.label}</span>
      <select
        aria-label={t.theme.label}
        value={chosen}
        onChange={({ currentTarget }) => chooseTheme(currentTarget.value as Theme)}
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {t.theme[one]}
          </option>
        ))}
      </select>
    </div>
  );
}

function NotFound() {
  return (
    <>
      <h1>{t.notFound.title}</h1>
      <p>{t.notFound.message}</p>
      <p>
        <a href={address([])}>{t.notFound.back}</a>
      </p>
    </>
  );
}

/** Loads the code of a page when it is opened first. */
function PageFrame({ page, segments }: { page: Page; segments: readonly string[] }) {
  const [loaded, setLoaded] = useState<{ Page: ComponentType<PageProps> }>();
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    page.load().then(
      (module) => setLoaded({ Page: module.default }),
      () => {
        isAway.set(true);
        setFailure({ message: t.failures.connection[0], advice: t.failures.pageUnreached, problems: [] });
      },
    );
  }, [page]);
  if (failure !== undefined) {
    return (
      <>
        <PageHead title={page.title} />
        <FailureNotice failure={failure} retry={() => location.reload()} />
      </>
    );
  }
  if (loaded === undefined) return <Skeleton lines={6} />;
  return (
    <Guard>
      <loaded.Page segments={segments} />
    </Guard>
  );
}

/** Keeps a fault of a page from taking the frame along. */
class Guard extends Component<{ children: ComponentChildren }, { failure?: Failure }> {
  static override getDerivedStateFromError(error: unknown) {
    console.error(error);
    const { message } = failureOf(error);
    return {
      failure: { message: `${t.failures.unexpected} ${message}`, advice: t.failures.unexpectedHere, problems: [] },
    };
  }

  override render() {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    return <FailureNotice failure={failure} retry={() => location.reload()} />;
  }
}
