import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { enrollmentProofBytes } from '@vantage/shared/protocol/transcript.js';
import type { SeededRandom } from '../seeded-random.js';
import type { World } from './world.js';

/** A node that a token enrolled. */
interface Enrolled {
  readonly nodeId: string;
}

/**
 * Lets `strangers` strangers use one enrollment token at once, each at any replica, and again where no response
 * came. Each response is recorded under the token's label: a token is a secret.
 * @returns the nodes that were enrolled
 */
export async function enrollAtOnce(
  world: World,
  { token, label, strangers, random }: { token: string; label: string; strangers: number; random: SeededRandom },
): Promise<readonly string[]> {
  const enrollments = Array.from({ length: strangers }, () => enroll(world, { token, label, random }));
  const enrolled = (await Promise.all(enrollments)).filter((answer) => answer !== null);
  return [...new Set(enrolled.map(({ nodeId }) => nodeId))];
}

const TRIES = 3;

async function enroll(
  { api, replicas, publicUrl, recorder }: World,
  { token, label, random }: { readonly token: string; readonly label: string; readonly random: SeededRandom },
): Promise<Enrolled | null> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = rawPublicKey(privateKey).toString('base64');
  const body = enrollBody(token, privateKey, publicUrl);
  for (let tries = 1; tries <= TRIES; tries++) {
    const { url } = random.pick(replicas);
    const answer = await api.call(url, { method: 'POST', path: '/v1/nodes/enroll', body });
    if (answer === null || answer.status >= 500 || answer.status === 429) continue;
    const isIn = answer.status === 201;
    recorder.record(isIn ? 'token-used' : 'token-refused', { token: label, publicKey });
    return isIn ? { nodeId: (answer.data as { node_id: string }).node_id } : null;
  }
  return null;
}

function enrollBody(token: string, privateKey: KeyObject, audience: string): object {
  const publicKey = rawPublicKey(privateKey);
  return {
    token,
    public_key: publicKey.toString('base64'),
    proof: signBytes(privateKey, enrollmentProofBytes(audience, token, publicKey)).toString('base64'),
    hostname: 'stranger.example',
    version: '0.1.0',
    os: 'linux',
    arch: 'x64',
    capabilities: [],
  };
}
