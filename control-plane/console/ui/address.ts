import { useLocation, useSearch } from 'wouter-preact';

/** Fields of the state of a view that its address keeps, as text; one that has its default value is not in it. */
export function useAddressState<S extends Record<string, string>>(
  defaults: S,
): readonly [S, (changes: Partial<S>) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const query = new URLSearchParams(search);
  const state = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, query.get(name) ?? value]),
  ) as S;
  const change = (changes: Partial<S>) => {
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === defaults[name]) query.delete(name);
      else query.set(name, value);
    }
    navigate(path + (query.size === 0 ? '' : `?${query}`), { replace: true });
  };
  return [state, change];
}
