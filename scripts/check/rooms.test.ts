import t from 'tap';
import { judgeRooms } from './rooms.js';

const modules = 'control-plane/src/modules';
const http = 'control-plane/src/http';

/** [path, an import that is above it] */
const breaches = [
  [`${modules}/monitors/events/a.ts`, `import { x } from '../acts/monitor-acts.js';`],
  [`${modules}/monitors/definition/a.ts`, `import type { X } from '../judging/judges.js';`],
  [`${modules}/monitors/reading/a.ts`, `export { x } from '../index.js';`],
  [`${modules}/monitors/monitors.ts`, `import { x } from './routes/events.js';`],
  [`${modules}/monitors/routes/a.ts`, `import { monitorsModule } from '../module.js';`],
  [`${modules}/tokens/store.ts`, `import { listKeys } from './routes/api-keys.js';`],
  [`${modules}/tokens/index.ts`, `await import('./routes.js');`],
  [`${http}/route.ts`, `import { x } from './frame/app.js';`],
  [`${http}/frame/a.ts`, `import { x } from '../openapi/openapi.js';`],
  [`${modules}/monitors/others/a.ts`, `import { x } from '../mails/index.js';`],
  [`${modules}/tokens/words/a.ts`, `import { x } from '../index.js';`],
  [`${modules}/tokens/words/a.ts`, `import { x } from '../mails/a.js';`],
] as const;

t.test('an import of a room above is found, with its line', async (t) => {
  for (const [path, text] of breaches) {
    const findings = judgeRooms({ path, text: `// first line\n${text}\n` });
    t.equal(findings.length, 1, `${path}: ${text}`);
    t.match(findings[0], new RegExp(`^${path}:2: `));
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

t.test('imports of lower rooms, and those of tests, are left alone', async (t) => {
  for (const [path, text] of allowed) t.strictSame(judgeRooms({ path, text }), [], `${path}: ${text}`);
});
