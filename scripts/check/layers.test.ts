import t from 'tap';
import { findImports } from './imports.js';
import { judgeFile } from './layers.js';

const modules = 'control-plane/src/modules';
const up = '../..';

/** [rule, path, a line that breaks it there] */
const breaches = [
  ['shared-knows-nobody', 'shared/src/ids.ts', `import { x } from '../../agent/src/agent.js';`],
  ['shared-knows-nobody', 'shared/src/ids.ts', `import { x } from 'vantage-control/dist/src/log.js';`],
  ['programs-never-meet', 'agent/src/agent.ts', `import type { X } from '../../control-plane/src/runtime/log.js';`],
  ['programs-never-meet', 'control-plane/test/a.test.ts', `await import('vantage-agent/dist/src/agent.js');`],
  ['shared-by-name', 'agent/src/agent.ts', `import { newId } from '${up}/shared/src/ids.js';`],
  ['scripts-are-last', 'agent/src/agent.ts', `import { main } from '../../scripts/demo.js';`],
  ['module-door', `${modules}/probes/index.ts`, `import { findNode } from '../nodes/store.js';`],
  ['module-door', `${modules}/probes/routes/a.ts`, `import type { Node } from '../../nodes/node.js';`],
  ['module-door', 'control-plane/src/control-plane.ts', `export { routes } from './modules/nodes/routes.js';`],
  ['part-door', `${modules}/probes/index.ts`, `import { Links } from '../../links/link-table.js';`],
  ['part-door', 'control-plane/src/links/session/session.ts', `import { storeBatch } from '../../ingest/store.js';`],
  ['koa-in-http', `${modules}/nodes/routes.ts`, `import type { Context } from 'koa';`],
  ['koa-in-http', 'control-plane/src/links/link-server.ts', `import Koa from 'koa';`],
  ['knex-in-db', `${modules}/nodes/index.ts`, `import knex, { type Knex } from 'knex';`],
  ['pg-in-db-and-bus', 'control-plane/src/ingest/ingest.ts', `import type { Client } from 'pg';`],
  ['sockets-have-places', 'agent/src/spool/spool.ts', `import { request } from 'undici';`],
  ['sockets-have-places', 'shared/src/ids.ts', `import { connect, isIP } from 'node:net';`],
  ['sockets-have-places', 'agent/src/schedule/a.ts', `const { createSocket } = await import('node:dgram');`],
  ['one-schema-compiler', `${modules}/nodes/schema.ts`, `import { Compile } from 'typebox/compile';`],
  ['one-schema-compiler', 'agent/src/config.ts', `import { Ajv2020 } from 'ajv/dist/2020.js';`],
  ['environment-in-config', 'agent/src/agent.ts', `const folder = process.env.HOME;`],
  ['time-in-clock', 'agent/src/schedule/a.ts', `const now = Date.now();`],
  ['time-in-clock', 'agent/src/schedule/a.ts', `const now = new Date();`],
  ['time-in-clock', 'agent/src/schedule/a.ts', `setInterval(tick, 1000);`],
  ['time-in-clock', 'control-plane/src/db/a.ts', `const signal = AbortSignal.timeout(5);`],
  ['sql-in-stores', `${modules}/nodes/index.ts`, `const rows = await this.#db('nodes').where({ id });`],
  ['sql-in-stores', `${modules}/nodes/index.ts`, `await trx.raw('select 1');`],
  ['no-drawers', 'shared/src/utils.ts', ''],
  ['no-drawers', 'shared/src/helpers/text.ts', ''],
] as const;

t.test('each layer rule finds its breach, and only it', async (t) => {
  for (const [rule, path, text] of breaches) {
    const findings = judgeFile({ path, text: `// first line\n${text}\n` });
    t.equal(findings.length, 1, `${rule}: ${text}`);
    t.match(findings[0], new RegExp(`^${path}(:2)?: .*\\(${rule}\\)$`));
  }
});

const allowed = [
  ['shared/src/protocol/codec.ts', `import { vantage } from '#generated/link.js';`],
  ['agent/src/agent.ts', `import { newId } from '@vantage/shared/ids.js';`],
  ['agent/src/link/jobs.ts', `import type { MeasuringProcess } from '../measuring/measuring-process.js';`],
  ['agent/src/probes/text.ts', `// process.env and Date.now() and import { x } from 'koa'\nconst a = "setTimeout(";`],
  [`${modules}/probes/index.ts`, `import type { Nodes } from '../nodes/index.js';`],
  ['control-plane/src/wiring/modules.ts', `import { nodesModule } from '../modules/nodes/module.js';`],
  ['scripts/bench/servers.ts', `import Koa from 'koa';`],
  [`${modules}/nodes/routes/ban.ts`, `import { findNode } from '../store.js';`],
  [`${modules}/nodes/index.ts`, `import type { Knex } from 'knex';`],
  [`${modules}/probes/dispatch.ts`, `import { Links } from '../../links/index.js';`],
  [`${modules}/monitors/types/rbl.ts`, `import { judge } from './judge.js';`],
  [`${modules}/nodes/budget-store.ts`, `await trx.raw('select 1');`],
  [`${modules}/nodes/enrollment.ts`, `import { type Knex } from 'knex';`],
  [`${modules}/nodes/store.ts`, `export const find = (db: Knex) => db('nodes').first();`],
  ['shared/src/target-policy/host.ts', `import { BlockList, isIP } from 'node:net';`],
  ['control-plane/src/ingest/a.ts', `import type { Socket } from 'node:net';`],
  [
    'control-plane/test/a.test.ts',
    `import { findNode } from '../src/modules/nodes/store.js';\nsetTimeout(f, process.env.X);`,
  ],
  ['control-plane/src/db/embedded/guardian.ts', `setTimeout(stop, 5);`],
  ['agent/src/config.ts', `export const readEnv = () => process.env;`],
  ['shared/src/validation.ts', `import { Ajv2020 } from 'ajv/dist/2020.js';\nimport type { TSchema } from 'typebox';`],
  [`${modules}/nodes/schema.ts`, `import { Type } from 'typebox';`],
  ['shared/src/clock.ts', `const now = () => Date.now();`],
  ['agent/src/schedule/a.ts', `const at = new Date(clock.now()).toISOString();`],
] as const;

t.test('no layer rule forbids what the layers allow', async (t) => {
  for (const [path, text] of allowed) t.strictSame(judgeFile({ path, text }), [], `${path}: ${text}`);
});

t.test('an import is read in all its forms', async (t) => {
  const text = [
    `import a from './a.js';`,
    `import * as b from "node:net";`,
    `import {`,
    `  isIP as is,`,
    `  type Socket,`,
    `} from 'node:net';`,
    `import './bare.js';`,
    `export type { X } from '../up.js';`,
    `const c = await import('ws');`,
    `import type D, { E } from 'koa';`,
    `export const from = 'not an import';`,
  ].join('\n');
  t.strictSame(findImports({ path: 'agent/src/net/x.ts', text }), [
    { specifier: './a.js', target: 'agent/src/net/a.ts', names: [], isType: false, line: 1 },
    { specifier: 'node:net', target: null, names: [], isType: false, line: 2 },
    { specifier: 'node:net', target: null, names: ['isIP', 'Socket'], isType: false, line: 3 },
    { specifier: './bare.js', target: 'agent/src/net/bare.ts', names: [], isType: false, line: 7 },
    { specifier: '../up.js', target: 'agent/src/up.ts', names: ['X'], isType: true, line: 8 },
    { specifier: 'ws', target: null, names: [], isType: false, line: 9 },
    { specifier: 'koa', target: null, names: ['E'], isType: true, line: 10 },
  ]);
});
