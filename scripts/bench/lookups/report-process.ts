// A whole site on one machine of the lab, which asks itself for reports: report-process.js TARGET RESOLVER ROOT ROUNDS. Sends the
// times of all reports to its parent, and ends.
import { ApiClient } from 'vantage-control/client/api-client.js';
import { runDiagnose } from 'vantage-control/client/run-diagnose.js';
import { startAskedSite } from './asked-site.js';

const NODES = 3;

/** Times of one report, in milliseconds from its request. */
export interface ReportTimes {
  readonly firstMs: number;
  readonly allMs: number;
}

const [target, resolver = '', root = '', rounds] = process.argv.slice(2);
if (process.send !== undefined && target !== undefined) {
  const site = await startAskedSite({
    agents: NODES,
    agent: { VANTAGE_DNS_SERVERS: resolver, VANTAGE_DNS_ROOT_HINTS: root },
  });
  try {
    const client = new ApiClient(site);
    const times: ReportTimes[] = [];
    // the first one opens connections and compiles, and is not counted
    for (let round = 0; round <= Number(rounds); round += 1) times.push(await timesOf(client, target));
    process.send(times.slice(1));
  } finally {
    await site.stop();
    process.disconnect?.();
  }
}

async function timesOf(client: ApiClient, about: string): Promise<ReportTimes> {
  const startedMs = performance.now();
  let firstMs = Number.NaN;
  const report = await runDiagnose(
    client,
    { target: about, nodes: { limit: NODES } },
    {
      onBegun: () => {},
      onSection: (_name, _section, { ended }) => {
        if (ended === 1) firstMs = performance.now() - startedMs;
      },
    },
  );
  const states = Object.entries(report.sections).map(([name, section]) => `${name} ${section?.status}`);
  if (report.status !== 'completed' || report.nodes.length !== NODES)
    throw new Error(`a report is ${report.status}, by ${report.nodes.length} nodes: ${states.join(', ')}`);
  return { firstMs, allMs: performance.now() - startedMs };
}
