import fc from 'fast-check';
import t from 'tap';
import { thingRoutes } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { sendRaw } from '../../../test/_support/raw-http.js';

const numRuns = 1_000;

function post(body: Buffer, headers: string): Buffer {
  const head = `POST /v1/things HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

const jsonHeader = 'Content-Type: application/json\r\n';

/** JSON as people and attackers write it: any value, keys that mean something to JavaScript, escapes. */
const jsonBody = fc.oneof(
  fc.json({ maxDepth: 40 }),
  fc.jsonValue({ maxDepth: 5, noUnicodeString: false }).map((value) => JSON.stringify({ name: value })),
  fc
    .dictionary(
      fc.constantFrom('name', 'count', 'labels', 'data', '__proto__', 'constructor', '\ud800', '\0'),
      fc.jsonValue(),
    )
    .map((value) => JSON.stringify(value)),
);

const headerLine = fc
  .tuple(fc.string({ maxLength: 20 }), fc.uint8Array({ maxLength: 40 }))
  .map(([name, value]) => `${name}: ${Buffer.from(value).toString('latin1')}\r\n`);

t.test('random bytes as a body never make the server fail', async (t) => {
  const { port } = await startTestServer(t, thingRoutes(), { isStrict: false });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
      const { status } = await sendRaw(port, post(Buffer.from(bytes), jsonHeader));
      return status >= 200 && status < 500;
    }),
    { numRuns },
  );
});

t.test('random JSON as a body never makes the server fail', async (t) => {
  const { port } = await startTestServer(t, thingRoutes(), { isStrict: false });
  await fc.assert(
    fc.asyncProperty(jsonBody, async (body) => {
      const { status } = await sendRaw(port, post(Buffer.from(body), jsonHeader));
      return status >= 200 && status < 500;
    }),
    { numRuns },
  );
});

t.test('random headers and targets never make the server fail', async (t) => {
  const { port } = await startTestServer(t, thingRoutes(), { isStrict: false });
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 40 }), fc.array(headerLine, { maxLength: 5 }), async (target, lines) => {
      // Connection: close makes the server end what it took for a request, whatever comes after it
      const head = `GET /${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines.join('')}\r\n\r\n\r\n`;
      const { status } = await sendRaw(port, Buffer.from(head, 'latin1'));
      return status >= 200 && status < 500;
    }),
    { numRuns },
  );
});
