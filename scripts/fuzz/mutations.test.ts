import { readGoldenFrames } from '@vantage/shared/protocol/_support/golden-frames.js';
import { decodeAgentFrame } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { SeededRandom } from '../seeded-random.js';
import { makeInput } from './mutations.js';
import { readFields, writeFields } from './wire.js';

const seeds = readGoldenFrames().flatMap(({ side, bytes }) => (side === 'agent' ? [bytes] : []));
const inputs = (seed: number) =>
  Array.from({ length: 2_000 }, (_, index) => makeInput(new SeededRandom(Math.imul(seed, 0x85eb_ca6b) ^ index), seeds));

t.test('a frame that is taken apart and put together again is the same', async (t) => {
  for (const { name, bytes } of readGoldenFrames()) {
    const fields = readFields(bytes);
    t.ok(fields !== null && writeFields(fields).equals(bytes), name);
  }
});

t.test('inputs are the same for the same seed, others for another', async (t) => {
  const bytes = (seed: number) => Buffer.concat(inputs(seed).map((input) => input.bytes));
  t.ok(bytes(1).equals(bytes(1)));
  t.notOk(bytes(1).equals(bytes(2)));
});

t.test('among inputs there is all that a frame can be: malformed, of every known kind, and of none', async (t) => {
  const seen = new Set<string>();
  for (const { bytes, isText } of inputs(3)) {
    if (isText) seen.add('text');
    try {
      seen.add(decodeAgentFrame(bytes).body);
    } catch {
      seen.add('malformed');
    }
  }
  const kinds = ['hello', 'proof', 'results', 'dropped', 'heartbeat', 'keyRotation', 'states', 'upgradeStatus'];
  t.strictSame(
    [...kinds, 'unknown', 'malformed', 'text'].filter((kind) => !seen.has(kind)),
    [],
  );
});
