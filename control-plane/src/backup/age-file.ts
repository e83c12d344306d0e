import { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import { BackupError } from './errors.js';

// A file of age (age-encryption.org/v1) with one passphrase, which `age --decrypt` opens, too. Chunks that are changed, swapped, removed
// or cut off at the end are recognised when they are read.

/** Rounds of scrypt as a power of two: half a second to a few of them, and 128 MiB. */
const LOG2_ROUNDS = 17;

/** Bytes of a file that holds `plain` encrypted with the passphrase. */
export async function* encrypted(
  plain: AsyncIterable<Uint8Array>,
  passphrase: string,
  log2Rounds = LOG2_ROUNDS,
): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(log2Rounds);
  encrypter.setPassphrase(passphrase);
  yield* await encrypter.encrypt(ReadableStream.from(plain));
}

/** Plain bytes of a file, each chunk once it is proven to be genuine. @throws BackupError */
export async function* decrypted(file: AsyncIterable<Uint8Array>, passphrase: string): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  const plain = await decrypter.decrypt(ReadableStream.from(file)).catch((error: Error) => {
    throw new BackupError(
      isWrongPassphrase(error) ? 'the passphrase is wrong' : 'the file is not a backup of vantage-control',
    );
  });
  try {
    yield* plain;
  } catch (error) {
    throw new BackupError('the file is damaged or was cut off; use another copy of it', { cause: error });
  }
}

function isWrongPassphrase({ message }: Error): boolean {
  return message.startsWith('no identity matched');
}
