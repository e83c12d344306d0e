import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import type { PageKind } from '../../../src/modules/lookups/kinds/titles.js';
import { get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { Empty, FailureNote } from '../../ui/states.js';
import { Facts } from './facts.js';
import { lookupTexts } from './texts.js';

interface Target {
  /** As `headers` takes it. */
  readonly url: string;
  readonly host: string;
  /** Lookups that such a target has, the most asked first. */
  readonly kinds: readonly PageKind[];
}

const ofAddress: readonly PageKind[] = ['ip', 'whois', 'reputation', 'ssl', 'headers'];
const ofDomain: readonly PageKind[] = ['whois', 'dns', 'ssl', 'headers', 'icp', 'reputation'];
const ofUrl: readonly PageKind[] = ['headers', 'ssl', 'dns', 'whois', 'icp', 'reputation'];

/** Decides by what was entered which lookups there are for it. */
function targetOf(entered: string): Target {
  const text = entered.trim();
  const isUrl = /^https?:\/\//i.test(text) && URL.canParse(text);
  const host = isUrl ? new URL(text).hostname.replace(/^\[|\]$/g, '') : text.replace(/^\[|\]$/g, '');
  const isAddress = /^[\d.]+$/.test(host) || host.includes(':');
  return { url: text, host, kinds: isAddress ? ofAddress : isUrl ? ofUrl : ofDomain };
}

/** One field for a domain, an address or a URL, and what is known about it. */
export function Lookups({ params }: { readonly params: Readonly<Record<string, string | undefined>> }) {
  const text = lookupTexts();
  const [, navigate] = useLocation();
  const entered = new URLSearchParams(useSearch()).get('target') ?? '';
  const [target, setTarget] = useState(entered);
  useEffect(() => setTarget(entered), [entered]);
  const found = targetOf(entered);
  const kind = found.kinds.find((one) => one === params['kind']) ?? found.kinds[0] ?? 'whois';
  const addressOf = (one: PageKind) => `/lookups/${one}?target=${encodeURIComponent(entered)}`;
  return (
    <section>
      <h1>{entered === '' ? text.title : `${text.kinds[kind]}: ${visible(entered)}`}</h1>
      <form
        class="filters"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const [first = 'whois'] = targetOf(target).kinds;
          navigate(`/lookups/${first}?target=${encodeURIComponent(target.trim())}`);
        }}
      >
        <label class="choice">
          <span>{text.target}</span>
          <input
            type="search"
            data-search
            required
            maxLength={2_048}
            spellcheck={false}
            value={target}
            onInput={(event) => setTarget(event.currentTarget.value)}
          />
        </label>
        <button type="submit">{text.look}</button>
      </form>
      {entered === '' ? (
        <Empty>
          <p>{text.why}</p>
        </Empty>
      ) : (
        <>
          <nav class="tabs" aria-label={text.title}>
            {found.kinds.map((one) => (
              <Link key={one} href={addressOf(one)} aria-current={one === kind ? 'page' : undefined}>
                {text.kinds[one]}
              </Link>
            ))}
            <Link href={`/diagnose?target=${encodeURIComponent(entered)}`}>{text.diagnose}</Link>
          </nav>
          <Answer key={`${kind} ${entered}`} kind={kind} target={found} />
        </>
      )}
    </section>
  );
}

function Answer({ kind, target }: { readonly kind: PageKind; readonly target: Target }) {
  const text = lookupTexts();
  const q = kind === 'headers' ? target.url : target.host;
  const path = kind === 'reputation' ? '/v1/ip/reputation' : `/v1/info/${kind}`;
  // asked once: a lookup is a measurement, not a state
  const { data, failure, reload } = useQuery(
    `${kind} ${q}`,
    async (signal) => (await get(path, { query: { q }, signal })).data as Readonly<Record<string, unknown>>,
    86_400_000,
  );
  if (failure !== null) return <FailureNote failure={failure} retry={reload} />;
  if (data === null)
    return (
      <p class="muted" aria-busy="true">
        {text.waiting}
      </p>
    );
  const { attribution, ...facts } = data;
  return (
    <>
      <Facts value={facts} />
      {Array.isArray(attribution) &&
        attribution.map((line) => (
          <p key={line} class="small muted">
            {visible(String(line))}
          </p>
        ))}
      <p class="small">
        <a href={`/lookup/${kind}/${encodeURIComponent(target.host)}`}>{text.page}</a>
      </p>
    </>
  );
}
