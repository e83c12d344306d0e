import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { isSignatureValid, publicKeyFromRaw, rawPublicKey, signBytes, UnsafePublicKeyError } from './ed25519.js';

const hex = (text: string) => Buffer.from(text, 'hex');

// RFC 8032 section 7.1
const vectors = [
  {
    name: 'TEST 1',
    secret: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    name: 'TEST 2',
    secret: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    name: 'TEST 3',
    secret: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    publicKey: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
  {
    name: 'TEST SHA(abc)',
    secret: '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
    publicKey: 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    message:
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    signature:
      'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
  },
];

const PKCS8_PREFIX = hex('302e020100300506032b657004220420');
const SPKI_PREFIX = hex('302a300506032b6570032100');

// edwards25519 (RFC 8032 section 5.1), written out here so that the list of bad points is not checked against itself
const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
type Point = readonly [x: bigint, y: bigint];
const mod = (value: bigint) => ((value % P) + P) % P;
const D = mod(-121665n * inverse(121666n));
const SQRT_MINUS_1 = power(2n, (P - 1n) / 4n);

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let b = mod(base), e = exponent; e > 0n; e >>= 1n, b = mod(b * b)) if (e & 1n) result = mod(result * b);
  return result;
}

function inverse(value: bigint): bigint {
  return power(value, P - 2n);
}

function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const k = mod(D * x1 * x2 * y1 * y2);
  return [mod((x1 * y2 + x2 * y1) * inverse(1n + k)), mod((y1 * y2 + x1 * x2) * inverse(1n - k))];
}

function multiply(scalar: bigint, point: Point): Point {
  let result: Point = [0n, 1n];
  for (let s = scalar, p = point; s > 0n; s >>= 1n, p = add(p, p)) if (s & 1n) result = add(result, p);
  return result;
}

function pointWithY(y: bigint): Point | null {
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n));
  const root = power(square, (P + 3n) / 8n);
  for (const x of [root, mod(root * SQRT_MINUS_1)]) if (mod(x * x) === square) return [x, y];
  return null;
}

function encode(y: bigint, signBit: 0 | 1): Buffer {
  const bytes = Buffer.alloc(32);
  for (let i = 0, rest = y | (BigInt(signBit) << 255n); i < 32; i += 1, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
}

/** The eight points whose order divides 8: the multiples of L·Q for a Q of full order. */
function smallOrderPoints(): Point[] {
  for (let y = 2n; ; y += 1n) {
    const start = pointWithY(y);
    if (start === null) continue;
    const torsion = multiply(L, start);
    const all = Array.from({ length: 8 }, (_, k) => multiply(BigInt(k), torsion));
    if (new Set(all.map(String)).size === 8) return all;
  }
}

for (const { name, secret, publicKey, message, signature } of vectors) {
  t.test(`RFC 8032 ${name}`, async (t) => {
    const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, hex(secret)]), format: 'der', type: 'pkcs8' });
    t.equal(rawPublicKey(key).toString('hex'), publicKey);
    t.equal(signBytes(key, hex(message)).toString('hex'), signature);
    const read = publicKeyFromRaw(hex(publicKey));
    t.equal(rawPublicKey(read).toString('hex'), publicKey);
    t.equal(isSignatureValid(read, hex(message), hex(signature)), true);
    t.equal(isSignatureValid(read, Buffer.concat([hex(message), Buffer.from('x')]), hex(signature)), false);
  });
}

t.test('all eight points of small order are refused, with either sign bit', async (t) => {
  const points = smallOrderPoints();
  const ys = new Set(points.map(([, y]) => y));
  t.equal(ys.size, 5, 'five y coordinates');
  for (const y of ys) {
    for (const sign of [0, 1] as const) {
      t.throws(() => publicKeyFromRaw(encode(y, sign)), UnsafePublicKeyError, `${y} sign ${sign}`);
    }
  }
});

t.test(
  'the danger is real: node:crypto verifies one constant signature under a key of small order for any message',
  async (t) => {
    const identity = encode(1n, 0);
    const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, identity]), format: 'der', type: 'spki' });
    const forged = Buffer.concat([identity, Buffer.alloc(32)]);
    for (const message of ['a', 'anything at all']) t.equal(verify(null, Buffer.from(message), key, forged), true);
  },
);

t.test('encodings that are not canonical are refused', async (t) => {
  for (let y = P; y < 2n ** 255n; y += 1n) {
    for (const sign of [0, 1] as const) {
      t.throws(() => publicKeyFromRaw(encode(y, sign)), {
        name: 'UnsafePublicKeyError',
        message: 'the public key is not canonically encoded',
      });
    }
  }
});

t.test('other lengths than 32 bytes are refused', async (t) => {
  for (const length of [0, 31, 33, 64])
    t.throws(() => publicKeyFromRaw(new Uint8Array(length).fill(9)), UnsafePublicKeyError, String(length));
});

t.test('any other key of 32 bytes is accepted or refused as unsafe, and every real key is accepted', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (raw) => {
      try {
        return rawPublicKey(publicKeyFromRaw(raw)).equals(raw);
      } catch (error) {
        return error instanceof UnsafePublicKeyError;
      }
    }),
  );
  for (let i = 0; i < 50; i += 1) {
    const { publicKey } = generateKeyPairSync('ed25519');
    publicKeyFromRaw(rawPublicKey(publicKey));
  }
});

t.test('a malformed or foreign signature is false, never an exception', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const message = Buffer.from('message');
  const good = signBytes(privateKey, message);
  const flipped = fc.nat(511).map((bit) => good.map((value, i) => (i === bit >> 3 ? value ^ (1 << (bit & 7)) : value)));
  fc.assert(
    fc.property(
      fc.oneof(flipped, fc.uint8Array({ maxLength: 80 })),
      (signature) => !isSignatureValid(publicKey, message, signature),
    ),
    { numRuns: rounds(500) },
  );
});
