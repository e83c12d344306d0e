/** The members of an object with these names, value for value. */
export function membersOf<T extends object, K extends keyof T>(value: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, value[name]])) as unknown as Pick<T, K>;
}
