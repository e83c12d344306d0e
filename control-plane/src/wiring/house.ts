import { Outbound } from '../deliver/index.js';
import { GeoDatabases } from '../geo/index.js';
import { HEARTBEAT_MS, LinkTable } from '../links/index.js';
import type { OpenHouse } from '../modules/module.js';
import { TargetLists } from '../target-lists.js';
import { version } from '../version.js';

type Given = Omit<OpenHouse, 'geo' | 'heartbeatMs' | 'links' | 'lists' | 'outbound'>;

/** Builds the parts that all modules share; nothing runs yet. */
export function wireHouse(given: Given): OpenHouse {
  const { config, clock, log, metrics, publicUrl } = given;
  const links = new LinkTable();
  metrics.watchLinks(links);
  const geo = new GeoDatabases({ directory: config.geoipDir, clock, log: log.child({ part: 'geo' }) });
  metrics.watchGeoDatabases(geo);
  metrics.watchGeoAges(() => geo.ages());
  const lists = new TargetLists({
    allow: config.allowTargets,
    denyFile: config.denyTargetsFile,
    clock,
    log: log.child({ part: 'targets' }),
    onChange: () => {
      for (const session of links.all()) session.sendConfig();
      outbound.closeKept();
    },
  });
  const userAgent = `Vantage/${version} (+${publicUrl})`;
  const outbound = new Outbound({ policy: () => lists.policy, userAgent, clock });
  return { ...given, heartbeatMs: HEARTBEAT_MS, links, geo, lists, outbound };
}
