import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Lab } from '../../lab/lab.js';

/** The web server's, as a literal. */
export const ADDRESS = '25.80.10.10';
/** Options of curl with which no TLS session is resumed. */
const FRESH = ['-s', '-k', '--no-sessionid', '-o', '/dev/null'];

/** One way to ask the web server. */
export interface HttpVariant {
  readonly name: string;
  readonly url: string;
  readonly version: '1.1' | '2';
}

/** A load of HTTP requests. */
export interface Load {
  readonly url: string;
  readonly inFlight: number;
  readonly windowMs: number;
}

/**
 * One request of curl's, as `docs/probes.md` maps its times to ours; milliseconds. The same process has made one to the
 * server's address before, on a connection of its own: a cold OpenSSL adds 2 to 4 ms to curl's first handshake.
 */
export async function curlPhases(lab: Lab, { url, version }: HttpVariant) {
  demand('curl');
  const protocol = version === '2' ? '--http2' : '--http1.1';
  const warmUp = [...FRESH, '--http1.1', '-H', 'Connection: close', url.replace('www.lab.test', ADDRESS)];
  const text = await lab.exec('agent', 'curl', ...warmUp, '--next', ...FRESH, protocol, '-w', '%{json}', url);
  const times = JSON.parse(text) as Record<string, number>;
  const ms = (name: string) => (times[`time_${name}`] ?? Number.NaN) * 1000;
  return {
    dns: ms('namelookup'),
    tcp: ms('connect') - ms('namelookup'),
    tls: Math.max(0, ms('appconnect') - ms('connect')),
    ttfb: ms('starttransfer') - ms('pretransfer'),
    download: ms('total') - ms('starttransfer'),
    total: ms('total'),
  };
}

/** Starts blackbox_exporter on the agent's machine; it ends with the lab. */
export async function startBlackbox(lab: Lab): Promise<{ probesPerSecond(load: Load): Promise<number> }> {
  demand('prometheus-blackbox-exporter');
  const configuration = join(mkdtempSync(join(tmpdir(), 'vantage-bench-')), 'blackbox.yml');
  writeFileSync(configuration, 'modules: {http_2xx: {prober: http, http: {preferred_ip_protocol: ip4}}}\n');
  const listen = '--web.listen-address=127.0.0.1:9115';
  const command = ['prometheus-blackbox-exporter', listen, `--config.file=${configuration}`, '--log.level=error'];
  lab.spawn('agent', command, { stdio: 'ignore' });
  return {
    async probesPerSecond(load) {
      const url = `http://127.0.0.1:9115/probe?module=http_2xx&target=${encodeURIComponent(load.url)}`;
      const count = await runLoad(lab, { ...load, url });
      return (count / load.windowMs) * 1000;
    },
  };
}

async function runLoad(lab: Lab, load: Load): Promise<number> {
  const child = lab.spawn('agent', [process.execPath, '-e', `const load = ${JSON.stringify(load)};\n${loadProgram}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += String(chunk);
  });
  await once(child, 'close');
  return Number(text);
}

const loadProgram = `
const http = require('node:http');
const agent = new http.Agent({ keepAlive: true, maxSockets: load.inFlight });
const ask = () => new Promise((resolve, reject) => {
  const request = http.request(load.url, { agent }, (response) => {
    const chunks = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => {
      const body = String(Buffer.concat(chunks));
      if (body.includes('probe_success 1')) resolve();
      else reject(new Error('blackbox_exporter: ' + body));
    });
    response.on('error', reject);
  });
  request.on('error', reject);
  request.end();
});
const until = async (endsAt) => {
  let count = 0;
  const loop = async () => { while (performance.now() < endsAt) { await ask(); count += 1; } };
  await Promise.all(Array.from({ length: load.inFlight }, loop));
  return count;
};
until(performance.now() + 500)
  .then(() => until(performance.now() + load.windowMs))
  .then((count) => { console.log(count); process.exit(); });`;
