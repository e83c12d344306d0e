// Draws the land of the map of nodes, and finds a point in every country: writes control-plane/src/modules/pages/map/land.ts and
// country-points.ts. Its source is Natural Earth (public domain, naturalearthdata.com), as the npm package world-atlas 2.0.2 has it:
// npm pack world-atlas@2.0.2, unpack it, npm run build, then node scripts/draw-map.mjs FOLDER. Nobody needs to run it again before
// a coast moves.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { iso31661 } from 'iso-3166';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = process.argv[2];
const pages = 'modules/pages/map';
const { MAP_HEIGHT, project } = await import(join(root, 'control-plane/dist/src', pages, 'projection.js'));

/** Least distance of two points of an outline, and least extent of an island, in units of the drawing. */
const DETAIL = 2;
const LEAST_ISLAND = 4;

const land = readTopology('land-110m.json');
const rings = polygonsOf(land, land.objects.land.geometries[0]).flatMap(([outer]) => cutAtEdge(outer));
write(
  'land.ts',
  'Outline of the land, as a path of SVG in the projection of the map',
  `export const LAND =\n  '${rings.map(pathOf).join('')}';`,
);

const countries = readTopology('countries-50m.json');
const codes = new Map(iso31661.map(({ numeric, alpha2 }) => [numeric, alpha2]));
// some territories have the number of their country
const ringsOf = new Map();
for (const country of countries.objects.countries.geometries) {
  const code = codes.get(String(country.id).padStart(3, '0'));
  const outlines = polygonsOf(countries, country).map(([outer]) => outer);
  if (code !== undefined) ringsOf.set(code, [...(ringsOf.get(code) ?? []), ...outlines]);
}
const rows = [...ringsOf]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([code, outlines]) => {
    const [lon, lat] = centreOf(outlines);
    return `  ${code}: [${lat}, ${lon}],`;
  });
write(
  'country-points.ts',
  'Latitude and longitude of a point in each country, by its ISO 3166-1 alpha-2 code',
  `export const COUNTRY_POINTS: Readonly<Record<string, readonly [number, number]>> = {\n${rows.join('\n')}\n};`,
);

function write(name, about, code) {
  const head = `// Drawn by scripts/draw-map.mjs from Natural Earth (public domain); not to be edited.\n\n/** ${about}. */\n`;
  writeFileSync(join(root, 'control-plane/src', pages, name), `${head}${code}\n`);
}

/** TopoJSON: arcs are lists of steps from point to point, on a grid. */
function readTopology(name) {
  const topology = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const { scale, translate } = topology.transform;
  const arcs = topology.arcs.map((steps) => {
    let [x, y] = [0, 0];
    return steps.map(([dx, dy]) => {
      x += dx;
      y += dy;
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
  });
  return { ...topology, arcs };
}

/** Polygons of a geometry, each a list of rings; an arc with a negative number runs backwards. */
function polygonsOf({ arcs }, geometry) {
  const ringOf = (numbers) => numbers.flatMap((n) => (n >= 0 ? arcs[n] : arcs[~n].toReversed()).slice(1));
  if (geometry.type === 'GeometryCollection') return geometry.geometries.flatMap((part) => polygonsOf({ arcs }, part));
  const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : (geometry.arcs ?? []);
  return polygons.map((polygon) => polygon.map(ringOf));
}

/** Parts of a ring on both sides of the 180th meridian, where the drawing ends. */
function cutAtEdge(ring) {
  const whole = [];
  for (const [lon, lat] of ring) {
    const last = whole.at(-1)?.[0] ?? lon;
    whole.push([lon + 360 * Math.round((last - lon) / 360), lat]);
  }
  return [-360, 0, 360].flatMap((shift) => {
    const shifted = whole.map(([lon, lat]) => [lon + shift, lat]);
    const part = clip(clip(shifted, 180, 1), -180, -1);
    return part.length < 3 ? [] : [part];
  });
}

/** Part of a ring below (side 1) or above (side -1) a meridian. */
function clip(ring, edge, side) {
  const isInside = ([lon]) => side * (edge - lon) >= 0;
  return ring.flatMap((point, i) => {
    const next = ring[(i + 1) % ring.length];
    const kept = isInside(point) ? [point] : [];
    if (isInside(point) === isInside(next)) return kept;
    const share = (edge - point[0]) / (next[0] - point[0]);
    return [...kept, [edge, point[1] + share * (next[1] - point[1])]];
  });
}

function pathOf(ring) {
  const shown = [];
  for (const [lon, lat] of ring) {
    const { x, y } = project(lat, lon);
    const point = [Math.round(x), Math.round(y)];
    const last = shown.at(-1);
    if (last === undefined || Math.hypot(point[0] - last[0], point[1] - last[1]) >= DETAIL) shown.push(point);
  }
  const extent = (axis) => Math.max(...shown.map((p) => p[axis])) - Math.min(...shown.map((p) => p[axis]));
  if (shown.length < 3 || Math.max(extent(0), extent(1)) < LEAST_ISLAND) return '';
  if (Math.min(...shown.map((p) => p[1])) > MAP_HEIGHT) return '';
  const steps = shown.slice(1).map(([x, y], i) => `${x - shown[i][0]} ${y - shown[i][1]}`);
  return `M${shown[0].join(' ')}l${steps.join(' ')}z`.replaceAll(' -', '-');
}

/** Centre of the largest of some rings, rounded to a tenth of a degree. */
function centreOf(rings) {
  const [largest] = rings.map((ring) => ({ ring, area: Math.abs(areaOf(ring)) })).sort((a, b) => b.area - a.area);
  const { ring } = largest;
  const area = areaOf(ring);
  const sums = ring.reduce(
    ([sx, sy], [x0, y0], i) => {
      const [x1, y1] = ring[(i + 1) % ring.length];
      const cross = x0 * y1 - x1 * y0;
      return [sx + (x0 + x1) * cross, sy + (y0 + y1) * cross];
    },
    [0, 0],
  );
  return sums.map((sum) => Math.round((sum / (6 * area)) * 10) / 10);
}

function areaOf(ring) {
  return ring.reduce((sum, [x0, y0], i) => {
    const [x1, y1] = ring[(i + 1) % ring.length];
    return sum + (x0 * y1 - x1 * y0) / 2;
  }, 0);
}
