// The console as files that a browser loads: one script and a style sheet, a further script for each area, all named after their content.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/**
 * Bundles `control-plane/console` of the checkout at `root` into `control-plane/dist/program/console`.
 * @returns what esbuild complains of, '' when nothing
 */
export async function bundleConsole(root) {
  // imported here: the set-up starts without node_modules
  const { build } = await import('esbuild');
  const sources = join(root, 'control-plane', 'console');
  const into = join(root, 'control-plane', 'dist', 'program', 'console');
  const built = (path) => import(`${pathToFileURL(join(root, 'control-plane', 'dist', 'src', path))}?${Date.now()}`);
  const { consoleColours } = await built('http/pages/page-style.js');
  rmSync(into, { recursive: true, force: true });
  try {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [join(sources, 'main.tsx'), join(sources, 'style.css')],
      outdir: join(into, 'assets'),
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      banner: { css: consoleColours },
      // a text, since it is then part of the one script that uses it
      define: { WORLD: JSON.stringify(JSON.stringify(await worldOf(built))) },
      legalComments: 'none',
      metafile: true,
      logLevel: 'silent',
    });
    const files = Object.keys(metafile.outputs);
    for (const file of files) compress(join(root, file));
    const named = (pattern) => basename(files.find((file) => pattern.test(file)));
    const page = readFileSync(join(sources, 'index.html'), 'utf8');
    writeFileSync(
      join(into, 'index.html'),
      page
        .replace('style.css', `/console/assets/${named(/\/style-\w+\.css$/)}`)
        .replace('main.js', `/console/assets/${named(/\/main-\w+\.js$/)}`),
    );
    return '';
  } catch (error) {
    return error.message;
  }
}

/** The map of the pages as data: its land, and the place of each country on it. */
async function worldOf(built) {
  const [{ LAND }, { COUNTRY_POINTS }, { MAP_WIDTH, MAP_HEIGHT, project }] = await Promise.all(
    ['land', 'country-points', 'projection'].map((name) => built(`modules/pages/map/${name}.js`)),
  );
  const points = Object.entries(COUNTRY_POINTS).map(([country, [latitude, longitude]]) => {
    const { x, y } = project(latitude, longitude);
    return [country, [Math.round(x), Math.round(y)]];
  });
  return { land: LAND, width: MAP_WIDTH, height: MAP_HEIGHT, points: Object.fromEntries(points) };
}

function compress(path) {
  const content = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
