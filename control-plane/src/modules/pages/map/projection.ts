/** Place on the map, in units of its drawing. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
}

/** Size of the drawing. The south of it ends where no land but Antarctica is. */
export const MAP_WIDTH = 1_000;
export const MAP_HEIGHT = 442;

// B. Šavrič, T. Patterson, B. Jenny: The Equal Earth map projection (2018): areas are comparable, and nothing is far from its shape
const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796];
const M = Math.sqrt(3) / 2;
const GREATEST_X = Math.PI / (M * A1);
const SCALE = MAP_WIDTH / (2 * GREATEST_X);
/** Height of the northern edge in the projection, a little above Greenland. */
const TOP = 1.31;

/** Equal Earth projection of a place in degrees. */
export function project(latitude: number, longitude: number): MapPoint {
  const theta = Math.asin(M * Math.sin((latitude * Math.PI) / 180));
  const square = theta * theta;
  const sixth = square * square * square;
  const x =
    (((longitude * Math.PI) / 180) * Math.cos(theta)) /
    (M * (A1 + 3 * A2 * square + sixth * (7 * A3 + 9 * A4 * square)));
  const y = theta * (A1 + A2 * square + sixth * (A3 + A4 * square));
  return { x: (x + GREATEST_X) * SCALE, y: (TOP - y) * SCALE };
}
