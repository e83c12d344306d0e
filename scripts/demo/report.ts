import type { ApiClient } from 'vantage-control/client/api-client.js';
import { endText, sectionText } from 'vantage-control/client/report-text.js';
import { runDiagnose } from 'vantage-control/client/run-diagnose.js';
import type { ReportView } from 'vantage-control/modules/diagnose/index.js';
import { HOST, type Servers } from './servers.js';

/** Answer of a lookup as the demo shows it. */
export interface DemoLookup {
  readonly kind: string;
  readonly question: string;
  readonly data: { readonly grade: string | null; readonly reasons: readonly string[] };
  /** True the second time: no node was asked. */
  readonly isKept: boolean;
}

/** Lookups and report that the demo produced. */
export interface ReportShown {
  readonly lookups: readonly DemoLookup[];
  readonly report: ReportView;
}

interface ShowOptions {
  readonly client: ApiClient;
  readonly servers: Servers;
  /** Called with lines as they come. */
  readonly say: (lines: string) => void;
}

/** Looks the web server of the demo up twice, and has a report about it written by all nodes, which everyone may read. */
export async function showReport({ client, servers, say }: ShowOptions): Promise<ReportShown> {
  const question = `https://${HOST}:${servers.ports.web}/`;
  const lookups = [await lookUp(client, question), await lookUp(client, question)];
  for (const { data, isKept } of lookups)
    say(
      `headers of ${question}: grade ${data.grade ?? '-'}, ${isKept ? 'kept for everyone who asks' : 'asked by one node'}`,
    );
  say('');
  const report = await runDiagnose(
    client,
    { target: question, shared: true, scope: ['http', 'ssl', 'ping', 'traceroute', 'security_headers'] },
    { onBegun: () => {}, onSection: (name, section, { begun }) => say(sectionText(name, section, begun)) },
  );
  say(endText(report, true));
  return { lookups, report };
}

async function lookUp(client: ApiClient, question: string): Promise<DemoLookup> {
  const { data, meta } = await client.read<DemoLookup['data'], { readonly cache?: { readonly hit: boolean } }>(
    `/v1/info/headers?q=${encodeURIComponent(question)}`,
  );
  return { kind: 'headers', question, data, isKept: meta.cache?.hit ?? false };
}
