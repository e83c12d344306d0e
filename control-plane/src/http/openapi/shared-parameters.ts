import type { JsonObject } from './openapi-components.js';

type Paths = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** The paths with references to the parameters that operations share, and those parameters by the name of a component. */
export interface SharedParameters {
  readonly paths: Paths;
  readonly parameters: JsonObject;
}

/**
 * Writes a path or query parameter once that several operations have in the same words. Of parameters with one name
 * only the most frequent form is shared.
 */
export function shareParameters(paths: Paths): SharedParameters {
  const counts = new Map<string, number>();
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const text of operations.flatMap(parametersOf).map(textOf)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const forms = [...counts].filter(([, count]) => count > 1).toSorted(([, a], [, b]) => a - b);
  const shared = new Map(forms.map(([text]) => [componentName(JSON.parse(text)), text]));
  const refer = (parameter: JsonObject): JsonObject => {
    const name = componentName(parameter);
    return shared.get(name) === textOf(parameter) ? { $ref: `#/components/parameters/${name}` } : parameter;
  };
  const entries = Object.entries(paths).map(([path, methods]) => {
    const referring = Object.entries(methods).map(([method, operation]) => [
      method,
      { ...operation, parameters: (operation['parameters'] as JsonObject[]).map(refer) },
    ]);
    return [path, Object.fromEntries(referring)];
  });
  const parameters = [...shared]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => [name, JSON.parse(text)]);
  return { paths: Object.fromEntries(entries), parameters: Object.fromEntries(parameters) };
}

function parametersOf(operation: JsonObject): JsonObject[] {
  return (operation['parameters'] as JsonObject[]).filter((parameter) => !('$ref' in parameter));
}

/** `page_size` in the query as `PageSize`, `id` in the path as `IdInPath`. */
function componentName({ name, in: place }: JsonObject): string {
  const words = String(name).split('_');
  const pascal = words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('');
  return place === 'path' ? `${pascal}InPath` : pascal;
}

function textOf(parameter: JsonObject): string {
  return JSON.stringify(parameter);
}
