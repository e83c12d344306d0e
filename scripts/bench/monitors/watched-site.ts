import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { CheckReport } from '@vantage/shared/monitor-state/check-report.js';
import { CHECK_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import { encodeAgentFrame, laneCode } from '@vantage/shared/protocol/codec.js';
import type { Stops } from '../harness.js';
import { type FleetAgent, linkAgent } from '../link/fleet-agent.js';
import { type Site, startSite } from '../link/site.js';
import type { Environment } from '../programs.js';

/** One node's assignment of one monitor. */
export interface Watch {
  readonly monitorId: string;
  readonly generation: number;
}

/** A node whose reports the benchmark decides. */
export interface WatchingNode {
  readonly watches: readonly Watch[];
  /** Delivers checks, all in one frame. */
  deliver(reports: readonly CheckReport[]): void;
}

/** A control plane whose nodes have monitors. */
export interface WatchedSite {
  readonly site: Site;
  readonly nodes: readonly WatchingNode[];
}

export interface WatchedSiteOptions {
  readonly monitors: number;
  readonly nodes: number;
  /** Nodes that check each monitor. */
  readonly perMonitor: number;
  readonly intervalSeconds: number;
  /** Settings of the control plane. */
  readonly settings?: Environment;
}

/** Starts one, and links all its nodes. Monitors are put into the tables: no benchmark measures their creation. */
export async function startWatchedSite(options: WatchedSiteOptions, stops: Stops): Promise<WatchedSite> {
  const site = await startSite(options.nodes, stops, options.settings);
  await insertMonitors(site, options);
  const watches = await readWatches(site);
  const agents = await Promise.all(site.nodes.map((node) => linkAgent(node, site.server.url)));
  stops.push(() => agents.forEach((agent) => agent.leave()));
  // else each slot would be looked up, because a previous process may have reported it
  await site.database.query("UPDATE nodes SET boot_seen_at = now() - interval '1 hour'");
  return { site, nodes: agents.map((agent, index) => watching(agent, watches.get(site.nodeIds[index] ?? '') ?? [])) };
}

/** A usual report of a check. */
export function reportOf({ monitorId, generation }: Watch, slotMs: number, isFailed = false): CheckReport {
  return {
    monitor_id: monitorId,
    generation,
    slot_ms: slotMs,
    late_ms: 4,
    outcome: isFailed ? 'failed' : 'ok',
    response_ms: isFailed ? null : 23.4,
    status_code: isFailed ? null : 200,
    error: isFailed ? { code: 'tcp_refused', message: 'connection refused' } : null,
    state: { verdict: isFailed ? 'failing' : 'ok', since_ms: isFailed ? slotMs : SINCE_MS, streak: 3 },
    through_ms: slotMs,
  };
}

/** Monitors that are well have been so for a minute: their state does not change. */
const SINCE_MS = Date.now() - 60_000;

async function insertMonitors(
  site: Site,
  { monitors, perMonitor, intervalSeconds }: WatchedSiteOptions,
): Promise<void> {
  const ids = Array.from({ length: monitors }, () => newId(idPrefixes.monitor));
  await site.database.query(
    `INSERT INTO monitors (id, owner_id, created_by, name, type, target, interval_s, config, node_selection, node_count, consecutive_fail,
       consecutive_ok, fail_node_quorum, notifies_owner, created_at)
     SELECT m.id, u.id, u.id, m.id, 'http', 'http://example.com/', $2, '{}', '{}', $3, 2, 1, '2/3', false, 'epoch'
     FROM unnest($1::text[]) AS m(id), (SELECT id FROM users LIMIT 1) u`,
    [ids, intervalSeconds, perMonitor],
  );
  await site.database.query('INSERT INTO monitor_states (monitor_id) SELECT id FROM monitors');
  await site.database.query(
    `INSERT INTO monitor_assignments (monitor_id, node_id)
     SELECT m.id, n.id FROM (SELECT id, row_number() OVER (ORDER BY id) AS at FROM monitors) m
     JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS at FROM nodes) n
       ON n.at IN (SELECT (m.at + k * $1) % $2 FROM generate_series(0, $3 - 1) k)`,
    [Math.max(1, Math.floor(site.nodeIds.length / perMonitor)), site.nodeIds.length, perMonitor],
  );
  // as of a table that has been there for a while: an index alone counts only rows that a vacuum has seen
  await site.database.query('VACUUM ANALYZE monitors, monitor_assignments, monitor_states, nodes');
}

async function readWatches(site: Site): Promise<ReadonlyMap<string, Watch[]>> {
  const { rows } = await site.database.query<{ node_id: string; monitor_id: string; generation: string }>(
    'SELECT node_id, monitor_id, generation FROM monitor_assignments ORDER BY monitor_id',
  );
  const watches = new Map<string, Watch[]>();
  for (const { node_id, monitor_id, generation } of rows) {
    const own = watches.get(node_id) ?? [];
    watches.set(node_id, own);
    own.push({ monitorId: monitor_id, generation: Number(generation) });
  }
  return watches;
}

function watching(agent: FleetAgent, watches: readonly Watch[]): WatchingNode {
  let last = 0;
  return {
    watches,
    deliver(reports) {
      const results = reports.map((report) => ({ kind: CHECK_KIND, resultJson: Buffer.from(JSON.stringify(report)) }));
      const frame = { results: { epoch: agent.epoch, lane: laneCode('check'), first: last + 1, results } };
      last += reports.length;
      agent.socket?.send(encodeAgentFrame(frame));
    },
  };
}
