import t from 'tap';
import { MAX_ROOM_FILES, roomOrders } from './room-orders.js';
import { exportedNames, judgeRooms } from './rooms.js';

const modules = 'control-plane/src/modules';
const http = 'control-plane/src/http';

/** [rule, path, text that breaks it there] */
const breaches = [
  ['room-order', `${modules}/monitors/events/a.ts`, `import { x } from '../acts/monitor-acts.js';`],
  ['room-order', `${modules}/monitors/definition/a.ts`, `import type { X } from '../judging/judges.js';`],
  ['room-order', `${modules}/monitors/reading/a.ts`, `export { x } from '../index.js';`],
  ['room-order', `${modules}/monitors/monitors.ts`, `import { x } from './routes/events.js';`],
  ['room-order', `${modules}/monitors/routes/a.ts`, `import { monitorsModule } from '../module.js';`],
  ['room-order', `${modules}/tokens/store.ts`, `import { listKeys } from './routes/api-keys.js';`],
  ['room-order', `${modules}/tokens/index.ts`, `await import('./routes.js');`],
  ['room-order', `${http}/route.ts`, `import { x } from './frame/app.js';`],
  ['room-order', `${http}/frame/a.ts`, `import { x } from '../openapi/openapi.js';`],
  ['room-stated', `${modules}/monitors/others/a.ts`, ''],
  ['room-order', `${modules}/tokens/words/a.ts`, `import { x } from '../index.js';`],
  ['room-order', `${modules}/tokens/words/a.ts`, `import { x } from '../mails/a.js';`],
  [
    'door-width',
    `${modules}/tokens/index.ts`,
    `export { a, b, c, d, e, f, g, type H } from './store.js';
    \nexport class I {}\nexport type { J } from './store.js';\nexport interface K {}`,
  ],
] as const;

t.test('each rule about rooms finds its breach, and only it', async (t) => {
  for (const [rule, path, text] of breaches) {
    const findings = judgeRooms([{ path, text: `// first line\n${text}\n` }]);
    t.equal(findings.length, 1, `${rule}: ${path}: ${text}`);
    t.match(findings[0], new RegExp(`^${path}(:2)?: .*\\(${rule}\\)$`));
  }
});

const allowed = [
  [`${modules}/monitors/acts/a.ts`, `import { x } from '../events/event-store.js';\nimport { y } from './b.js';`],
  [`${modules}/monitors/module.ts`, `import { x } from './routes.js';\nimport { y } from './monitors.js';`],
  [`${modules}/monitors/routes.ts`, `import { x } from './routes/events.js';`],
  [`${modules}/monitors/events/a.test.ts`, `import { x } from '../acts/monitor-acts.js';`],
  [`${modules}/monitors/events/a.ts`, `// import { x } from '../acts/monitor-acts.js';`],
  [`${modules}/tokens/routes/a.ts`, `import { x } from '../index.js';\nimport { y } from '../words/a.js';`],
  [`${modules}/tokens/module.ts`, `import { x } from './routes.js';\nimport { y } from './mails/index.js';`],
  [`${http}/openapi/a.ts`, `import { x } from '../pages/page.js';`],
  ['control-plane/src/db/a.ts', `import { x } from './migrations/index.js';`],
] as const;

t.test('no rule about rooms forbids what the orders allow', async (t) => {
  for (const [path, text] of allowed) t.strictSame(judgeRooms([{ path, text }]), [], `${path}: ${text}`);
});

t.test('a room with more than twenty-five source files is refused, tests not counted', async (t) => {
  const files = Array.from({ length: MAX_ROOM_FILES }, (_, n) => ({
    path: `control-plane/src/links/${n}.ts`,
    text: '',
  }));
  const test = { path: 'control-plane/src/links/0.test.ts', text: '' };
  t.strictSame(judgeRooms([...files, test]), []);
  t.match(judgeRooms([...files, { path: 'control-plane/src/links/more.ts', text: '' }]), [
    /^control-plane\/src\/links: 26 files in one room, at most 25 \(room-size\)$/,
  ]);
});

t.test('every kind of export is counted as a name', async (t) => {
  const text = `export { a, type B as C } from './x.js';
export type { D } from './x.js';
export class E {}
export async function f() {}
export const g = 1;
export interface H {}
export type I = string;
export * from './y.js';
const notMe = 1; // export const norMe = 2;
`;
  t.equal(exportedNames(text).length, 9);
});

t.test('an order names each of its rooms once', async (t) => {
  for (const [folder, order] of Object.entries(roomOrders)) t.equal(new Set(order).size, order.length, folder);
});
