import { countryName } from '../../texts/format.js';

/** Land and a point in each country, in units of the drawing. */
interface World {
  readonly land: string;
  readonly width: number;
  readonly height: number;
  readonly points: Readonly<Record<string, readonly [x: number, y: number]>>;
}

/** The build takes it from the map of the pages, and writes it here as JSON. */
declare const WORLD: string;
const { land, width, height, points } = JSON.parse(WORLD) as World;

interface MapProps {
  readonly label: string;
  readonly countries: readonly { readonly country: string; readonly online: number; readonly all: number }[];
}

/** A point in each country that has nodes, larger where more are online, hollow where none is. The list beside it says the same. */
export function NodeMap({ label, countries }: MapProps) {
  return (
    <svg class="map" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <path class="land" d={land} />
      {countries.map(({ country, online, all }) => {
        const place = points[country];
        if (place === undefined) return null;
        const [x, y] = place;
        const radius = 5 + 2.5 * Math.sqrt(Math.max(online, 1));
        return (
          <circle key={country} class={online > 0 ? 'online' : 'offline'} cx={x} cy={y} r={radius}>
            <title>{`${countryName(country)}: ${online}/${all}`}</title>
          </circle>
        );
      })}
    </svg>
  );
}
