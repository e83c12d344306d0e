import type { Check, Finding } from './check.js';
import { findImports } from './imports.js';
import { doorFiles, LOOSE, moduleRooms, roomOrders } from './room-orders.js';
import { isTestCode, readSourceFiles, type SourceFile } from './source-files.js';

/** The order of rooms. */
export const rooms: Check = {
  name: 'rooms',
  title: 'rooms of a folder import lower rooms only',
  run: async (root) => readSourceFiles(root).flatMap(judgeRooms),
};

/** Imports of a file from rooms above its own, or from one that has no place in the order. */
export function judgeRooms(file: SourceFile): Finding[] {
  if (isTestCode(file.path)) return [];
  return foldersWithRooms(file.path).flatMap(({ folder, order }) => {
    const rankOf = (path: string) => (isDoorFile(folder, path) ? order.length : order.indexOf(roomOf(folder, path)));
    const rank = rankOf(file.path);
    const room = roomOf(folder, file.path);
    const isAbove = (path: string) => rankOf(path) > rank || (rankOf(path) === rank && roomOf(folder, path) !== room);
    return findImports(file)
      .filter(({ target }) => target?.startsWith(`${folder}/`) && isAbove(target))
      .map(
        ({ specifier, line }) =>
          `${file.path}:${line}: imports "${specifier}": room "${room}" imports itself and lower rooms of ${folder} only (room-orders.ts)`,
      );
  });
}

/** Folders around a file that have rooms, with the order of these, outermost first. */
function foldersWithRooms(path: string): { readonly folder: string; readonly order: readonly string[] }[] {
  const stated = Object.entries(roomOrders).map(([folder, order]) => ({ folder, order }));
  const module = /^control-plane\/src\/modules\/[^/]+(?=\/)/.exec(path)?.[0];
  const standard = module === undefined || module in roomOrders ? [] : [{ folder: module, order: moduleRooms }];
  return [...standard, ...stated.filter(({ folder }) => path.startsWith(`${folder}/`))];
}

function roomOf(folder: string, path: string): string {
  const rest = path.slice(folder.length + 1);
  return rest.includes('/') ? rest.slice(0, rest.indexOf('/')) : LOOSE;
}

function isDoorFile(folder: string, path: string): boolean {
  return doorFiles.some((name) => path === `${folder}/${name}`);
}
