import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, matchRoute, Router, useLocation, useRouter } from 'wouter-preact';
import { person, signInAddress } from '../api/session.js';
import { locale } from '../texts/locale.js';
import { common } from '../texts/words.js';
import { NotFound } from '../ui/states.js';
import { type Area, areas, type View } from './areas.js';
import { Banners } from './banners.js';
import { PersonMenu } from './person-menu.js';
import { SignInDialog } from './sign-in-dialog.js';
import { StepUpDialog } from './step-up-dialog.js';
import { shellTexts } from './texts.js';

/** The console: its frame, and the view of its address. */
export function App() {
  return (
    <Router base="/console">
      <Frame />
    </Router>
  );
}

function Frame() {
  const text = shellTexts();
  const [path] = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => setIsOpen(false), [path]);
  useEffect(() => {
    document.documentElement.lang = locale.value;
  }, [locale.value]);
  const shown = areas.filter(mayOpen);
  return (
    <div class="console">
      <a class="skip" href="#content">
        {text.skip}
      </a>
      <header class="bar">
        <button
          type="button"
          class="quiet menu"
          aria-expanded={isOpen}
          aria-controls="areas"
          onClick={() => setIsOpen(!isOpen)}
        >
          {text.menu}
        </button>
        <Link class="brand" href="/">
          <Brand /> Vantage
        </Link>
        <PersonMenu />
      </header>
      <nav id="areas" class={isOpen ? 'areas open' : 'areas'} aria-label={text.areas}>
        {shown.map((area) => (
          <Link key={area.path} href={area.path} aria-current={isWithin(path, area) ? 'page' : undefined}>
            {text[area.title]}
          </Link>
        ))}
        <a href="/docs">{text.docs}</a>
      </nav>
      <main id="content" tabIndex={-1}>
        <Banners />
        {person.value === undefined ? <p class="muted">{common().loading}</p> : <Place path={path} />}
      </main>
      <SignInDialog />
      <StepUpDialog />
    </div>
  );
}

function Brand() {
  return (
    <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
      <rect width="16" height="16" rx="3" fill="#0b5cad" />
      <path d="M3.5 4.5 8 12l4.5-7.5" fill="none" stroke="#fff" stroke-width="2" />
    </svg>
  );
}

function mayOpen(area: Area): boolean {
  if (area.for === 'anyone') return true;
  return area.for === 'person' ? person.value !== null : person.value?.role === 'admin';
}

function isWithin(path: string, area: Area): boolean {
  return area.path === '/' ? path === '/' : path === area.path || path.startsWith(`${area.path}/`);
}

/** The view of an address, once the script of its area is there. */
function Place({ path }: { readonly path: string }) {
  const area = areas.find((candidate) => isWithin(path, candidate));
  const [loaded, setLoaded] = useState<{ readonly area: Area; readonly views: readonly View[] | null } | null>(null);
  useEffect(() => {
    if (area === undefined || !mayOpen(area)) return;
    let isOver = false;
    area.load().then(
      ({ views }) => !isOver && setLoaded({ area, views }),
      () => !isOver && setLoaded({ area, views: null }),
    );
    return () => {
      isOver = true;
    };
  }, [area, person.value?.id]);
  if (area === undefined) return <NotFound requestId={null} />;
  if (!mayOpen(area)) return person.value === null ? <SignInFirst /> : <NotFound requestId={null} />;
  if (loaded?.area !== area) return <p class="muted">{common().loading}</p>;
  return loaded.views === null ? <Unloaded /> : <Shown path={path} views={loaded.views} />;
}

function Shown({ path, views }: { readonly path: string; readonly views: readonly View[] }) {
  const { parser } = useRouter();
  for (const { path: pattern, view: Found } of views) {
    const [isMatch, params] = matchRoute(parser, pattern, path);
    if (isMatch) return <Titled key={path} view={Found} params={params} />;
  }
  return <NotFound requestId={null} />;
}

/** Names the tab after the heading of its view, and moves the focus there when the address changes. */
function Titled({
  view: Found,
  params,
}: {
  readonly view: ComponentType<{ params: Record<string, string | undefined> }>;
  readonly params: Record<string, string | undefined>;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const node = element.current;
    if (node === null) return;
    const name = () => {
      const heading = node.querySelector('h1')?.textContent ?? '';
      document.title = heading === '' ? 'Vantage' : `${heading} · Vantage`;
    };
    const observer = new MutationObserver(name);
    observer.observe(node, { childList: true, subtree: true, characterData: true });
    name();
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={element}>
      <Found params={params} />
    </div>
  );
}

function SignInFirst() {
  const text = shellTexts();
  return (
    <section class="empty">
      <h1>{text.signIn}</h1>
      <p>{common().signInFirst}</p>
      <p class="row">
        <a class="button" href={signInAddress()}>
          {text.signIn}
        </a>
      </p>
    </section>
  );
}

/** The script of an area did not come: most often a newer version was installed meanwhile. */
function Unloaded() {
  const text = shellTexts();
  return (
    <div class="refusal" role="alert">
      <p>{text.failedToLoad}</p>
      <button type="button" onClick={() => location.reload()}>
        {text.reload}
      </button>
    </div>
  );
}
