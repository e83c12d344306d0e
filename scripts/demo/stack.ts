import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { ApiClient } from 'vantage-control/client/api-client.js';
import { ADMINISTRATOR_SCOPES } from '../administrator-scopes.js';
import { makeScratchDirectory } from '../scratch-directory.js';
import { AlertReceivers } from './alerts.js';
import { HOST } from './names.js';
import { demoProgress } from './output.js';
import { Program, runToEnd } from './program.js';
import { startProvider } from './provider.js';
import type { Servers } from './servers.js';
import { type Sources, startSources } from './sources.js';

const DIRECTORY_PREFIX = 'vantage-demo-';
const ALLOWED = '127.0.0.0/8,::1/128';

// three distant places; declared, since all agents run on one machine
const places = [
  { name: 'frankfurt-1', country: 'DE', city: 'Frankfurt', asn: 3320, provider: 'demo', bind: '127.0.1.1' },
  { name: 'ashburn-1', country: 'US', city: 'Ashburn', asn: 7922, provider: 'demo', bind: '127.0.1.2' },
  { name: 'tokyo-1', country: 'JP', city: 'Tokyo', asn: 2516, provider: 'demo', bind: '127.0.1.3' },
];

/** Node of the demo. */
interface Node {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** A running control plane, its administrator, and three nodes. */
export interface Stack {
  /** Public URL: passkeys need a name. */
  readonly url: string;
  /** The same by the address at which it listens, for programs that may find another one for the name. */
  readonly listenUrl: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly client: ApiClient;
  readonly nodes: readonly Node[];
  readonly receivers: AlertReceivers;
}

/** Functions that end what the demo started; the last one is called first. */
export type CleanUps = (() => Promise<void>)[];

interface StackOptions {
  /** Root of the project. */
  readonly root: string;
  /** Servers of the demo that it examines; null for the Internet, with its registries and resolvers. */
  readonly servers: Servers | null;
  readonly cleanUps: CleanUps;
}

/** Starts everything in a directory that is removed at the end. */
export async function startStack({ root, servers, cleanUps }: StackOptions): Promise<Stack> {
  const scratch = await makeScratchDirectory({ prefix: DIRECTORY_PREFIX });
  cleanUps.push(() => scratch.remove());
  const directory = scratch.path;
  const progress = demoProgress();
  const receivers = await AlertReceivers.start();
  cleanUps.push(() => receivers.stop());
  const sources = servers === null ? null : await startSources({ root, directory, servers });
  cleanUps.push(async () => sources?.stop());
  const port = await lastingPort();
  const listenUrl = `http://${HOST}:${port}`;
  // a minimal system does not know the name
  const url = await lookup('localhost').then(
    () => `http://localhost:${port}`,
    () => listenUrl,
  );
  const provider = await startProvider({ root, url });
  cleanUps.push(() => provider.stop());
  const environment = {
    ...receivers.environment,
    ...provider.environment,
    ...sources?.controlPlane,
    // agents without a default route do not vote on monitors, unless a canary answers
    ...(servers === null ? {} : { VANTAGE_CANARY_TARGETS: `tcp://${HOST}:${servers.ports.greeter}` }),
    VANTAGE_DATA_DIR: join(directory, 'control-plane'),
    VANTAGE_LISTEN: `${HOST}:${port}`,
    VANTAGE_PUBLIC_URL: url,
    VANTAGE_CONTROL_URLS: listenUrl,
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: ALLOWED,
  };
  const controlScript = join(root, 'control-plane', 'bin', 'vantage-control.js');
  progress.show('starting the control plane and its database');
  const server = new Program(
    'vantage-control serve',
    controlScript,
    ['serve', '--remove-at-exit', directory],
    environment,
  );
  cleanUps.push(() => server.stop());
  await server.waitForLine((line) => (isReady(line) ? true : null));
  progress.show('creating an admin');
  const email = 'admin@demo.example';
  const password = randomBytes(12).toString('base64url');
  await runToEnd(
    controlScript,
    ['user', 'create', '--email', email, '--role', 'admin', '--password-stdin'],
    environment,
    password,
  );
  const create = ['token', 'create', '--user', email, '--scopes', ADMINISTRATOR_SCOPES];
  const token = (await runToEnd(controlScript, create, environment)).trim();
  const client = new ApiClient({ url: listenUrl, token });
  progress.show('enrolling three agents');
  const program = { script: join(root, 'agent', 'bin', 'vantage-agent.js'), directory, sources, cleanUps };
  await Promise.all(places.map((place) => startAgent(client, url, place, program)));
  const nodes = await waitForNodes(client);
  progress.clear();
  return { url, listenUrl, email, password, token, client, nodes, receivers };
}

interface AgentProgram {
  readonly script: string;
  readonly directory: string;
  readonly sources: Sources | null;
  readonly cleanUps: CleanUps;
}

async function startAgent(
  client: ApiClient,
  url: string,
  place: (typeof places)[number],
  { script, directory, sources, cleanUps }: AgentProgram,
): Promise<void> {
  const { token } = await client.call<{ token: string }>('POST', '/v1/nodes/enrollment-tokens', { label: place.name });
  const state = ['--state-dir', join(directory, 'agents', place.name)];
  const environment = { VANTAGE_AGENT_BIND: place.bind, VANTAGE_ALLOW_TARGETS: ALLOWED, ...sources?.agent };
  const { name, country, city, asn, provider } = place;
  const declared = ['--name', name, '--country', country, '--city', city, '--asn', String(asn), '--provider', provider];
  await runToEnd(script, ['enroll', '--url', url, '--token', '-', ...declared, ...state], environment, token);
  const agent = new Program(`vantage-agent run (${name})`, script, ['run', ...state], environment);
  cleanUps.push(() => agent.stop());
}

/** A busy machine takes long to start three agents. */
const ONLINE_MS = 60_000;

async function waitForNodes(client: ApiClient): Promise<readonly Node[]> {
  const deadline = Date.now() + ONLINE_MS;
  while (Date.now() < deadline) {
    const { items } = await client.call<{ items: Node[] }>('GET', '/v1/nodes?status=online');
    if (items.length === places.length)
      return places.map(({ name }) => items.find((node) => node.name === name) as Node);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the agents did not come online within ${ONLINE_MS / 1_000} s`);
}

function isReady(line: string): boolean {
  try {
    return (JSON.parse(line) as { msg?: string }).msg === 'ready';
  } catch {
    return false;
  }
}
