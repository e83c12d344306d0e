import { serveThread } from '../thread.js';

export interface TestMessages {
  readonly open: { readonly request: { readonly isBroken: boolean }; readonly reply: string };
  readonly double: { readonly request: Uint8Array; readonly reply: Uint8Array };
  readonly fail: { readonly request: string; readonly reply: never };
  readonly exit: { readonly request: null; readonly reply: never };
}

serveThread<TestMessages>(({ isBroken }) => {
  if (isBroken) throw new Error('cannot open', { cause: Object.assign(new Error('no such file'), { code: 'ENOENT' }) });
  return {
    opened: 'ready',
    double: (numbers, transfer) => {
      const doubled = numbers.map((number) => 2 * number);
      transfer(doubled.buffer);
      return doubled;
    },
    fail: (message) => {
      throw new Error(message);
    },
    exit: () => process.exit(),
    close: () => {},
  };
});
