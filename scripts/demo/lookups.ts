import { type ApiClient, ApiRefusal } from 'vantage-control/client/api-client.js';
import { type Answered, type Cache, lookupText, type ShownKind } from './lookup-text.js';
import { DOMAIN, HOST, PUBLIC_ADDRESS, WEB_DOMAIN } from './names.js';
import { demoProgress } from './output.js';
import type { Servers } from './servers.js';

// Every question is asked twice:
//
//   all kinds at once ──> a node, a database or a list answers ──once more──> what a node answered is kept

interface Question {
  /** In the words of people. */
  readonly question: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface ShowOptions {
  readonly client: ApiClient;
  readonly servers: Servers;
  /** Called with the lines of each answer. */
  readonly say: (lines: string) => void;
}

/** Time within which the control plane loads its lists. */
const PATIENCE_MS = 20_000;
const LOOK_MS = 100;

/** Asks a question of every kind, all of them at once and then once more. */
export async function showLookups({ client, servers, say }: ShowOptions): Promise<readonly Answered[]> {
  const progress = demoProgress();
  progress.show('looking up');
  const all = Object.entries(questionsFor(servers)) as [ShownKind, readonly Question[]][];
  const asked = all.flatMap(([kind, questions]) => questions.map((question) => ({ kind, ...question })));
  const first = await Promise.all(asked.map((question) => ask(client, question)));
  const again = await Promise.all(
    first.map(async (answered, i) => {
      const question = asked[i];
      const isKept = question !== undefined && answered.cache !== null;
      return isKept ? { ...answered, cache_again: (await ask(client, question)).cache } : answered;
    }),
  );
  progress.clear();
  for (const answered of again) say(lookupText(answered));
  return again;
}

/** A new kind does not compile without its question. */
function questionsFor({ ports }: Servers): { readonly [K in ShownKind]: readonly Question[] } {
  const about = (q: string) => ({ question: q, parameters: { q } });
  const web = String(ports.web);
  return {
    ip: [about(PUBLIC_ADDRESS)],
    whois: [about(DOMAIN), about(PUBLIC_ADDRESS)],
    ssl: [{ question: `${WEB_DOMAIN}:${web}`, parameters: { q: WEB_DOMAIN, port: web } }],
    dns: [about(DOMAIN)],
    icp: [about(DOMAIN)],
    headers: [about(`https://${HOST}:${web}/`)],
    reputation: [about(PUBLIC_ADDRESS)],
    'domain-combo': [{ question: 'a vowel + dns, .com or .net', parameters: { spec: JSON.stringify(vowelDns) } }],
  };
}

const vowelDns = {
  slots: [
    { kind: 'letter', variant: 'vowel' },
    { kind: 'literal', literal: 'dns' },
  ],
  tlds: ['com', 'net'],
};

function pathOf(kind: ShownKind): string {
  if (kind === 'reputation') return '/v1/ip/reputation';
  return kind === 'domain-combo' ? '/v1/domain-combo/preview' : `/v1/info/${kind}`;
}

async function ask(
  client: ApiClient,
  { kind, question, parameters }: Question & { readonly kind: ShownKind },
): Promise<Answered> {
  const path = `${pathOf(kind)}?${new URLSearchParams(parameters)}`;
  const { data, meta } = await readOnceLoaded<Answered['data'], { readonly cache?: Cache }>(client, path);
  return { kind, question, data, cache: meta.cache ?? null, cache_again: null };
}

/** Reads an answer, waiting while the control plane still loads the lists for it. @throws ApiRefusal, ApiUnreachable */
async function readOnceLoaded<T, M>(client: ApiClient, path: string): Promise<{ readonly data: T; readonly meta: M }> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await client.read<T, M>(path);
    } catch (error) {
      const isLoading = error instanceof ApiRefusal && error.code === 'UNAVAILABLE' && performance.now() < deadline;
      if (!isLoading) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}
