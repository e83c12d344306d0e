/**
 * Cycle of dependencies between monitors, in order, or null. `edges`: by the id of a monitor those that it depends on.
 * Messages about monitors of a cycle would hold each other.
 */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>();
  for (const start of edges.keys()) {
    const path: { readonly id: string; next: number }[] = [{ id: start, next: 0 }];
    const onPath = new Set([start]);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const target = done.has(at.id) ? undefined : edges.get(at.id)?.[at.next];
      at.next += 1;
      if (target === undefined) {
        done.add(at.id);
        onPath.delete(at.id);
        path.pop();
      } else if (onPath.has(target)) {
        const ids = path.map(({ id }) => id);
        return ids.slice(ids.indexOf(target));
      } else if (!done.has(target)) {
        onPath.add(target);
        path.push({ id: target, next: 0 });
      }
    }
  }
  return null;
}
