import type { ApiClient } from 'vantage-control/client/api-client.js';
import { endText, sectionText } from 'vantage-control/client/report-text.js';
import { runDiagnose } from 'vantage-control/client/run-diagnose.js';
import type { ReportView } from 'vantage-control/modules/diagnose/index.js';
import { HOST } from './names.js';
import { demoScreen } from './output.js';
import type { Servers } from './servers.js';

interface ShowOptions {
  readonly client: ApiClient;
  readonly servers: Servers;
  /** Called with lines as they come. */
  readonly say: (lines: string) => void;
}

/** Has a report about the web server of the demo written by all nodes, which everyone may read. */
export async function showReport({ client, servers, say }: ShowOptions): Promise<ReportView> {
  const whole = demoScreen();
  // indented by two
  const screen = { ...whole, width: whole.width - 2 };
  const report = await runDiagnose(
    client,
    {
      target: `https://${HOST}:${servers.ports.web}/`,
      shared: true,
      scope: ['http', 'ssl', 'ping', 'traceroute', 'security_headers'],
    },
    {
      onBegun: async () => {},
      onSection: (name, section, { begun }) => say(sectionText(name, section, { nodes: begun.nodes, screen })),
    },
  );
  say(endText(report, { isShared: true, screen }));
  return report;
}
