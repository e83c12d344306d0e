import pg from 'pg';

/** Statement as it is sent to the database. */
export interface AskedStatement {
  /** Undefined if it is not prepared. */
  readonly name: string | undefined;
  readonly text: string;
}

/** Calls `note` for each statement that this process sends, before it is sent. @returns stops it */
export function followStatements(note: (statement: AskedStatement) => void): () => void {
  const { prototype } = pg.Client;
  const query = prototype.query;
  prototype.query = function follow(this: pg.Client, ...values: unknown[]) {
    const [asked] = values;
    const { name, text } = typeof asked === 'string' ? { name: undefined, text: asked } : (asked as pg.QueryConfig);
    note({ name, text });
    return Reflect.apply(query, this, values);
  } as typeof query;
  return () => {
    prototype.query = query;
  };
}
