import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Site } from './site.js';

const ROWS_PER_STATEMENT = 5_000;

/** Stores so many node tasks that wait for their node, for each of these nodes. @returns their ids, by node */
export async function insertPending(
  { database }: Pick<Site, 'database'>,
  nodeIds: readonly string[],
  perNode: number,
): Promise<string[][]> {
  const ids = nodeIds.map(() => Array.from({ length: perNode }, () => newId(idPrefixes.probeTask)));
  const rows = ids.flatMap((own, index) => own.map((id) => ({ id, nodeId: nodeIds[index] })));
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const some = rows.slice(start, start + ROWS_PER_STATEMENT);
    await database.query(
      `INSERT INTO probe_node_tasks (id, task_id, node_id, probe_type, expires_at)
       SELECT id, id, node_id, 'ping', now() + interval '1 hour' FROM unnest($1::text[], $2::text[]) AS n(id, node_id)`,
      [some.map(({ id }) => id), some.map(({ nodeId }) => nodeId)],
    );
  }
  return ids;
}

/** Writes ids where a fleet can read them. @returns the file's path */
export async function writeTasks({ exchange }: Pick<Site, 'exchange'>, ids: unknown): Promise<string> {
  const file = join(exchange, 'tasks.json');
  await writeFile(file, JSON.stringify(ids));
  return file;
}
