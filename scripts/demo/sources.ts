import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HOST } from './names.js';
import type { Servers } from './servers.js';
import { startThirdParties } from './third-parties.js';

type Environment = Readonly<Record<string, string>>;

/** Sources of lookups on this machine, and the settings by which the programs use them. */
export interface Sources {
  readonly controlPlane: Environment;
  readonly agent: Environment;
  stop(): Promise<void>;
}

interface SourcesOptions {
  /** Root of the project. */
  readonly root: string;
  /** Directory for the files of the control plane. */
  readonly directory: string;
  readonly servers: Servers;
}

/** Starts stand-ins for third parties, and writes the files that name them. */
export async function startSources({ root, directory, servers }: SourcesOptions): Promise<Sources> {
  const { rdapBootstrap, whois, icpSource, networkList, stop } = await startThirdParties();
  const lists = join(directory, 'lists.json');
  await writeFile(
    lists,
    JSON.stringify([{ name: 'data-centers', signal: 'hosting', format: 'asns', url: networkList }]),
  );
  return {
    controlPlane: {
      VANTAGE_GEOIP_DIR: await writeGeoDatabases(root, directory),
      VANTAGE_REPUTATION_LISTS: lists,
    },
    agent: {
      VANTAGE_DNS_SERVERS: `${HOST}:${servers.ports.dns}`,
      VANTAGE_RDAP_BOOTSTRAP: rdapBootstrap,
      VANTAGE_WHOIS_SERVERS: `*=${whois}`,
      VANTAGE_ICP_SOURCE: icpSource,
    },
    stop,
  };
}

/** Databases of a few networks, in the forms of GeoLite2: those of the tests. */
async function writeGeoDatabases(root: string, directory: string): Promise<string> {
  const geo = join(directory, 'geo');
  const testdata = join(root, 'control-plane', 'test', 'testdata', 'geo');
  await mkdir(geo);
  await Promise.all(['city.mmdb', 'asn.mmdb'].map((name) => copyFile(join(testdata, name), join(geo, name))));
  return geo;
}
