import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { temporaryDirectory } from './temporary-directory.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A later version of the agent, whose spool has format 2: the one of today under another number, to which it converts a file that it opens. */
export function makeAgentOfNextFormat(t: Test): string {
  const copy = temporaryDirectory(t);
  const agent = join(copy, 'agent');
  mkdirSync(agent);
  for (const part of ['bin', 'package.json', 'dist/program'])
    cpSync(join(ROOT, 'agent', part), join(agent, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  symlinkSync(join(ROOT, 'agent/node_modules'), join(agent, 'node_modules'));
  const program = join(agent, 'dist/program');
  const source = readdirSync(program)
    .filter((name) => name.endsWith('.js'))
    .find((name) => readFileSync(join(program, name), 'utf8').includes('function useDatabase('));
  if (source === undefined) throw new Error('the program opens no spool');
  const changes: readonly (readonly [string, string])[] = [
    ['SCHEMA_VERSION = 1', 'SCHEMA_VERSION = 2'],
    [
      'database.pragma("synchronous = FULL")',
      'database.pragma("synchronous = FULL"), database.pragma("user_version = 2")',
    ],
  ];
  let text = readFileSync(join(program, source), 'utf8');
  for (const [from, to] of changes) {
    if (text.split(from).length !== 2) throw new Error(`the program does not have "${from}" once`);
    text = text.replace(from, to);
  }
  writeFileSync(join(program, source), text);
  return join(agent, 'bin/vantage-agent.js');
}
