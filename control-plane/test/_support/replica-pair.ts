import type { Test } from 'tap';
import type { ControlPlane } from '../../src/control-plane.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { apiOf, createAdmin, type StackSettings, startReplica, type TestApi } from './stack.js';
import { TcpProxy } from './tcp-proxy.js';

/** Two control planes on one database behind one public URL. */
export interface ReplicaPair {
  readonly database: TestDatabase;
  /** Sets which of the two a new connection to the public URL reaches. */
  readonly proxy: TcpProxy;
  /** API at the public URL. */
  readonly entry: TestApi;
  /** API of each replica. */
  readonly one: TestApi;
  readonly other: TestApi;
  readonly otherControlPlane: ControlPlane;
}

/** Starts two control planes; the public URL leads to the first. Stopped with the test. */
export async function startReplicaPair(t: Test, more: StackSettings = {}): Promise<ReplicaPair> {
  const database = await createTestDatabase(t);
  const proxy = await TcpProxy.start(t);
  const settings = { ...more, VANTAGE_PUBLIC_URL: proxy.url };
  const controlPlane = await startReplica(t, database.url, settings);
  const otherControlPlane = await startReplica(t, database.url, settings);
  const one = await createAdmin(controlPlane);
  proxy.forwardTo(one.url);
  const at = (url: string) => apiOf(url, one.token, one.userId);
  return { database, proxy, entry: at(proxy.url), one, other: at(otherControlPlane.listenUrl), otherControlPlane };
}
