/** Runs `tasks` in order, so many at a time; the results are in the order of the tasks. Rejects with the first failure. */
export async function inLanes<T>(lanes: number, tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const left = tasks.entries();
  const work = async () => {
    // one iterator for all lanes
    for (const [index, task] of left) results[index] = await task();
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return results;
}
