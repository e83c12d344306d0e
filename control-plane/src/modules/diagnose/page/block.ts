/** Part of a section: a table, or lines in a fixed-width font. */
export type Block =
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'lines'; readonly title: string; readonly lines: readonly string[] };

/** Name of a node: its place, or its id. */
export type NameOf = (nodeId: string) => string;
