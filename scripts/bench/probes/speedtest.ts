import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Lab } from '../../lab/lab.js';
import { linkAddresses } from '../../lab/topology.js';
import { sized } from '../sized.js';
import { type Comparison, ratioRow } from './comparison.js';

const CLI = fileURLToPath(import.meta.resolve('vantage-agent/cli.js'));
const SERVER = `${linkAddresses(4, 'right').v4}:8089`;
const URL = `http://${SERVER}/speedtest`;
const LINK_MBIT_PER_SECOND = 20;
/** Six seconds of it: less than the ten that end a speed test. */
const BYTES = sized(15_000_000, 500_000);

/** Throughput over a link of a set rate, beside curl's. */
export const speedtest: Comparison = {
  name: 'speedtest',
  title: `speedtest: a link of ${LINK_MBIT_PER_SECOND} Mbit/s and 20 ms`,
  question: 'Is the rate that of the link?',
  peer: 'curl',
  lab: {},
  programs: ['curl'],
  async run({ lab, prober, rounds }) {
    const server = lab.spawn('far', [process.execPath, CLI, 'speedtest-server', '--listen', SERVER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (server.stdout === null) throw new Error('the server printed nothing');
    await once(server.stdout, 'data');
    await lab.setLink(2, 'both', { delayMs: 10, rateBitsPerSecond: LINK_MBIT_PER_SECOND * 1e6 });
    const down = { ours: [] as number[], theirs: [] as number[] };
    const up = { ours: [] as number[], theirs: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const result = await prober.probe('speedtest', URL, { bytes: BYTES });
      if (!result.success) throw new Error(`the speed test failed: ${result.error?.message}`);
      down.ours.push((result.download_bps ?? 0) / 1e6);
      up.ours.push((result.upload_bps ?? 0) / 1e6);
      down.theirs.push(
        await curlMbitPerSecond(lab, `curl -s -o /dev/null -w '%{speed_download}' '${URL}?bytes=${BYTES}'`),
      );
      const body = `head -c ${BYTES} /dev/zero | curl -s -o /dev/null -w '%{speed_upload}' --data-binary @- ${URL}`;
      up.theirs.push(await curlMbitPerSecond(lab, body));
    }
    return [
      ratioRow({ what: 'download, Mbit/s', ...down, goal: '0.95 to 1.05' }),
      ratioRow({ what: 'upload, Mbit/s', ...up, goal: '0.95 to 1.05' }),
    ];
  },
};

/** curl tells bytes per second, from the beginning of everything. */
async function curlMbitPerSecond(lab: Lab, command: string): Promise<number> {
  return (Number(await lab.exec('agent', 'sh', '-c', command)) * 8) / 1e6;
}
