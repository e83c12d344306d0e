import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { testdata } from '../../test/_support/testdata.js';
import { decrypted, encrypted } from './age-file.js';

const PASSPHRASE = 'correct horse battery';
/** Rounds of scrypt that a test waits for. */
const FEW = 4;
const CHUNK = 65_536;

async function* pieces(bytes: Buffer, size = 10_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const seal = (plain: Buffer) => buffer(encrypted(pieces(plain), PASSPHRASE, FEW));
const open = (file: Buffer, passphrase = PASSPHRASE) => buffer(decrypted(pieces(file), passphrase));

t.test('a file of age 1.1.1, written by `age --passphrase`, is decrypted', async (t) => {
  const file = pieces(testdata('backup/age-1.1.1.age'));
  t.equal(String(await buffer(decrypted(file, PASSPHRASE))), 'rows of a table\n'.repeat(4_200));
});

t.test('what is encrypted is decrypted, on both sides of the border of a chunk', async (t) => {
  for (const bytes of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 17]) {
    const plain = Buffer.alloc(bytes, 'abc');
    t.ok((await open(await seal(plain))).equals(plain), `${bytes} bytes`);
  }
});

t.test('two files with the same content and passphrase have nothing in common', async (t) => {
  const [one, other] = await Promise.all([seal(Buffer.alloc(100)), seal(Buffer.alloc(100))]);
  t.notOk(one.subarray(-100).equals(other.subarray(-100)));
});

t.test('a wrong passphrase is named, before anything is read', async (t) => {
  await t.rejects(open(await seal(Buffer.from('secret')), 'correct horse batterz'), {
    name: 'BackupError',
    message: 'the passphrase is wrong',
  });
});

t.test('a file that was changed, cut off or extended anywhere is refused', async (t) => {
  const plain = Buffer.alloc(2 * CHUNK + 100, 'abc');
  const file = await seal(plain);
  const sealed = CHUNK + 16;
  const end = file.length;
  const payload = end - 2 * sealed - 116;
  const flip = (at: number) => {
    const copy = Buffer.from(file);
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
    return copy;
  };
  const swapped = Buffer.concat([
    file.subarray(0, payload),
    file.subarray(payload + sealed, payload + 2 * sealed),
    file.subarray(payload, payload + sealed),
    file.subarray(payload + 2 * sealed),
  ]);
  const cases: readonly (readonly [name: string, file: Buffer])[] = [
    ...[0, 30, 45, 52, 90, 115, 160, payload - 1, payload, payload + sealed, end - 1].map(
      (at) => [`byte ${at} changed`, flip(at)] as const,
    ),
    ['the last byte missing', file.subarray(0, -1)],
    ['the last chunk missing', file.subarray(0, payload + 2 * sealed)],
    ['all chunks missing', file.subarray(0, payload)],
    ['only the header', file.subarray(0, 60)],
    ['nothing', Buffer.alloc(0)],
    ['two chunks swapped', swapped],
    ['a byte added', Buffer.concat([file, Buffer.alloc(1)])],
    ['no backup', Buffer.from('{"this": "is json"}\n')],
    ['no lines', Buffer.alloc(1_000_000)],
  ];
  for (const [name, bad] of cases) await t.rejects(open(bad), { name: 'BackupError' }, name);
});
