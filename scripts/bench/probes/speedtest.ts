import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { linkAddresses } from '../../lab/topology.js';
import { rowOf, sized } from '../harness.js';
import type { Both, Comparison } from './comparison.js';

const CLI = fileURLToPath(import.meta.resolve('vantage-agent/cli.js'));
const SERVER = `${linkAddresses(4, 'right').v4}:8089`;
const URL = `http://${SERVER}/speedtest`;
const LINK_MBIT_PER_SECOND = 20;
/** Six seconds of it: less than the ten that end a speed test. */
const BYTES = sized(15_000_000, 500_000);

/** Throughput over a link of a set rate, compared with curl's. */
export const speedtest: Comparison = {
  name: 'speedtest',
  title: `speedtest: a link of ${LINK_MBIT_PER_SECOND} Mbit/s and 20 ms`,
  question: 'Is the rate that of the link?',
  peer: 'curl',
  lab: {},
  programs: ['curl'],
  async run({ lab, prober, rounds }) {
    const command = [process.execPath, CLI, 'speedtest-server', '--listen', SERVER];
    const server = lab.spawn('far', command, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (server.stdout === null) throw new Error('the server printed nothing');
    await once(server.stdout, 'data');
    await lab.setLink(2, 'both', { delayMs: 10, rateBitsPerSecond: LINK_MBIT_PER_SECOND * 1e6 });
    // curl measures bytes per second, from the beginning of everything
    const curl = async (script: string) => (Number(await lab.exec('agent', 'sh', '-c', script)) * 8) / 1e6;
    const down: Both = { ours: [], baseline: [] };
    const up: Both = { ours: [], baseline: [] };
    for (let round = 0; round < rounds; round += 1) {
      const result = await prober.probe('speedtest', URL, { bytes: BYTES });
      if (!result.success) throw new Error(`the speed test failed: ${result.error?.message}`);
      down.ours.push((result.download_bps ?? 0) / 1e6);
      up.ours.push((result.upload_bps ?? 0) / 1e6);
      down.baseline.push(await curl(`curl -s -o /dev/null -w '%{speed_download}' '${URL}?bytes=${BYTES}'`));
      const post = `curl -s -o /dev/null -w '%{speed_upload}' --data-binary @- ${URL}`;
      up.baseline.push(await curl(`head -c ${BYTES} /dev/zero | ${post}`));
    }
    return [
      rowOf('download, Mbit/s', { ...down, goal: '0.95 to 1.05' }),
      rowOf('upload, Mbit/s', { ...up, goal: '0.95 to 1.05' }),
    ];
  },
};
