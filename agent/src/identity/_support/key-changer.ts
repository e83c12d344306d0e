import { NodeKeys } from '../node-keys.js';

// Changes the key in the directory given, again and again, reporting each step once it is done; to be killed.
const keys = await NodeKeys.open(process.argv[2] ?? '');
if (keys === null) throw new Error('no key');
for (;;) {
  const next = await keys.makeNext();
  process.stdout.write(`made ${next.publicKey.toString('hex')}\n`);
  await keys.settle(next.publicKey);
  process.stdout.write(`settled ${next.publicKey.toString('hex')}\n`);
}
