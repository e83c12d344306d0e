import { randomUUID } from 'node:crypto';
import { SeededRandom } from '../../seeded-random.js';
import { enrollAtOnce } from '../strangers.js';
import { claims, type FaultKind } from './fault.js';

const STRANGERS = { least: 2, most: 6 };

/** Several who have read one enrollment token use it at once, at all replicas. The one it let in is removed again. */
export const tokenStolen: FaultKind = {
  weight: 2,
  lastsMs: { least: 100, most: 2_000 },
  aim: (_shape, random) => {
    const strangers = random.integer(STRANGERS.least, STRANGERS.most);
    const seed = random.integer(1, 1_000_000);
    return {
      says: `by ${strangers} at once`,
      claims: [claims.enrollment],
      inflict: async (world) => {
        // identifies the token in the records, since the token itself is a secret
        const label = `stolen ${randomUUID().slice(0, 8)}`;
        const answer = await world.ask({ method: 'POST', path: '/v1/nodes/enrollment-tokens', body: { label } });
        if (answer?.status !== 201) throw new Error(`no enrollment token: ${answer?.code ?? 'no answer'}`);
        const { token } = answer.data as { token: string };
        world.secrets.push(token);
        const nodeIds = await enrollAtOnce(world, { token, label, strangers, random: new SeededRandom(seed) });
        return async () => {
          for (const id of nodeIds) await world.ask({ method: 'DELETE', path: `/v1/account/nodes/${id}` }, 120_000);
        };
      },
    };
  },
};
