import type { CheckingNode } from './checking-node.js';
import type { TestApi } from './stack.js';

export const TOKEN = 'token-5e8d2c1b9a7f';
export const KEY = 'key-0b1c2d3e4f5a';
export const leaked = new RegExp(`${TOKEN}|${KEY}`);
/** Settings with two secrets. */
export const secrets = { auth: { type: 'bearer', token: TOKEN }, headers: { 'X-Api-Key': KEY } };
/** Places of the secrets. */
export const secretPaths = ['config.auth.token', 'config.headers.X-Api-Key'];

export async function makeSecretMonitor(api: TestApi, fields: object = {}) {
  const target = 'http://127.0.0.1:18080/';
  const body = { name: 'Shop', type: 'http', target, interval_s: 1800, config: secrets, ...fields };
  return api.call('POST', '/v1/monitors', { body });
}

/** Settings of a monitor in every assignment that a node was ever sent, as JSON. */
export function specsSent({ peer }: CheckingNode, monitorId: string): string[] {
  const set = peer.frames.flatMap(({ assignments }) => assignments?.set ?? []);
  return set.filter((one) => one.monitorId === monitorId).map(({ specJson }) => Buffer.from(specJson).toString());
}

/** True if a node was ever sent a secret of a monitor. */
export function wasAssigned(node: CheckingNode, monitorId: string): boolean {
  return specsSent(node, monitorId).some((spec) => leaked.test(spec));
}
