/**
 * Rounds of a test that tries random input: all of them with VANTAGE_TEST_ROUNDS=all, as the long suites have it. Elsewhere a
 * fifth of them, or `quick`: the input of each run is new, so that many runs try as much.
 */
export function rounds(full: number, quick: number = Math.ceil(full / 5)): number {
  return process.env['VANTAGE_TEST_ROUNDS'] === 'all' ? full : quick;
}
