import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import {
  agentProofBytes,
  enrollmentProofBytes,
  type LinkTranscript,
  type RotationTranscript,
  rotationBytes,
  serverProofBytes,
} from './transcript.js';

const plain: LinkTranscript = {
  audience: 'https://control.example',
  nodeId: 'n_1',
  publicKey: new Uint8Array(32).fill(1),
  agentNonce: new Uint8Array(32).fill(2),
  serverNonce: new Uint8Array(32).fill(3),
  protocolVersion: 1,
  bootId: 'boot',
  generation: 7,
};

/** The fields a length-prefixed transcript was made of: an independent reading of the layout. */
function fieldsOf(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    fields.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

t.test('a link transcript holds the purpose and every field, each behind its length', async (t) => {
  const expected = [
    'https://control.example',
    'n_1',
    plain.publicKey,
    plain.agentNonce,
    plain.serverNonce,
    '1',
    'boot',
    '7',
  ].map((part) => Buffer.from(part));
  t.same(fieldsOf(agentProofBytes(plain)), [Buffer.from('vantage link agent proof v1'), ...expected]);
  t.same(fieldsOf(serverProofBytes(plain)), [Buffer.from('vantage link server proof v1'), ...expected]);
});

t.test('every field is signed: changing any changes the bytes', async (t) => {
  const changes: Partial<LinkTranscript>[] = [
    { audience: 'https://other.example' },
    { nodeId: 'n_2' },
    { publicKey: new Uint8Array(32).fill(9) },
    { agentNonce: new Uint8Array(32).fill(9) },
    { serverNonce: new Uint8Array(32).fill(9) },
    { protocolVersion: 2 },
    { bootId: 'other' },
    { generation: 8 },
  ];
  t.same(changes.flatMap(Object.keys).sort(), Object.keys(plain).sort(), 'no field is left out of this test');
  for (const change of changes) {
    t.notSame(agentProofBytes({ ...plain, ...change }), agentProofBytes(plain), JSON.stringify(change));
    t.notSame(serverProofBytes({ ...plain, ...change }), serverProofBytes(plain), JSON.stringify(change));
  }
});

t.test('a nonce is not taken for the other side’s', async (t) => {
  t.notSame(
    agentProofBytes({ ...plain, agentNonce: plain.serverNonce, serverNonce: plain.agentNonce }),
    agentProofBytes(plain),
  );
});

t.test('no signature is good for another purpose', async (t) => {
  t.notSame(agentProofBytes(plain), serverProofBytes(plain));
  t.not(enrollmentProofBytes('a', 'b', new Uint8Array(32)).toString(), agentProofBytes(plain).toString());
});

t.test('no two lists of fields give the same bytes', async () => {
  // short texts over few letters, so that moving a boundary is likely to give the same letters in a row
  const text = fc.string({ unit: fc.constantFrom('a', '\0', '1'), maxLength: 4 });
  const raw = fc.uint8Array({ maxLength: 3, max: 1 });
  const transcript = fc.record({
    audience: text,
    nodeId: text,
    publicKey: raw,
    agentNonce: raw,
    serverNonce: raw,
    protocolVersion: fc.nat(20),
    bootId: text,
    generation: fc.nat(200),
  });
  const key = (value: LinkTranscript) =>
    JSON.stringify(value, (_, member) => (member instanceof Uint8Array ? [...member] : member));
  fc.assert(
    fc.property(
      transcript,
      transcript,
      (a, b) => key(a) === key(b) || Buffer.compare(agentProofBytes(a), agentProofBytes(b)) !== 0,
    ),
    { numRuns: rounds(5000) },
  );
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 2, maxLength: 2 }),
      fc.array(text, { minLength: 2, maxLength: 2 }),
      ([a1 = '', n1 = ''], [a2 = '', n2 = '']) => {
        const same = a1 === a2 && n1 === n2;
        const compared = Buffer.compare(
          agentProofBytes({ ...plain, audience: a1, nodeId: n1 }),
          agentProofBytes({ ...plain, audience: a2, nodeId: n2 }),
        );
        return same === (compared === 0);
      },
    ),
    { numRuns: rounds(5000) },
  );
});

t.test('an enrollment proof binds audience, token and key, and does not show the token', async (t) => {
  const key = new Uint8Array(32).fill(1);
  const base = enrollmentProofBytes('https://control.example', 'ent_secret', key);
  t.notSame(enrollmentProofBytes('https://other.example', 'ent_secret', key), base);
  t.notSame(enrollmentProofBytes('https://control.example', 'ent_other', key), base);
  t.notSame(enrollmentProofBytes('https://control.example', 'ent_secret', new Uint8Array(32).fill(2)), base);
  t.equal(base.includes('ent_secret'), false);
  t.same(
    fieldsOf(base).map((field) => field.length),
    [21, 23, 32, 32],
  );
});

t.test('a rotation binds control plane, node, both keys in their places and the request', async (t) => {
  const key = (byte: number) => new Uint8Array(32).fill(byte);
  const base: RotationTranscript = {
    audience: 'https://control.example',
    nodeId: 'n_1',
    oldPublicKey: key(1),
    newPublicKey: key(2),
    nonce: key(3),
  };
  t.same(fieldsOf(rotationBytes(base)), [
    Buffer.from('vantage key rotation v1'),
    ...['https://control.example', 'n_1', key(1), key(2), key(3)].map((part) => Buffer.from(part)),
  ]);
  const changes: Partial<RotationTranscript>[] = [
    { audience: 'https://other.example' },
    { nodeId: 'n_2' },
    { oldPublicKey: key(9) },
    { newPublicKey: key(9) },
    { nonce: key(9) },
    { oldPublicKey: base.newPublicKey, newPublicKey: base.oldPublicKey },
  ];
  for (const change of changes) t.notSame(rotationBytes({ ...base, ...change }), rotationBytes(base));
});
