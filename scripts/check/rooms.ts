import { posix } from 'node:path';
import type { Check, Finding } from './check.js';
import { findImports } from './imports.js';
import { maskCode } from './masked-code.js';
import {
  countedFolders,
  doorFiles,
  LOOSE,
  MAX_DOOR_NAMES,
  MAX_ROOM_FILES,
  moduleRooms,
  roomOrders,
} from './room-orders.js';
import { isTestCode, readSourceFiles, type SourceFile } from './source-files.js';

/** The order of rooms, their size, and the width of the doors of modules. */
export const rooms: Check = {
  name: 'rooms',
  title: 'rooms import lower rooms only, have at most 25 files, and modules export at most ten names',
  run: async (root) => judgeRooms(readSourceFiles(root)),
};

/** Every breach of a rule about rooms. */
export function judgeRooms(files: readonly SourceFile[]): Finding[] {
  const sources = files.filter(({ path }) => !isTestCode(path));
  return [...sources.flatMap(judgeOrder), ...judgeSizes(sources), ...sources.flatMap(judgeDoor)];
}

function judgeOrder(file: SourceFile): Finding[] {
  return foldersWithRooms(file.path).flatMap(({ folder, order }) => {
    const rankOf = (path: string) => (isDoorFile(folder, path) ? order.length : order.indexOf(roomOf(folder, path)));
    const rank = rankOf(file.path);
    const room = roomOf(folder, file.path);
    const isAbove = (path: string) => rankOf(path) > rank || (rankOf(path) === rank && roomOf(folder, path) !== room);
    if (rank === -1 && order !== moduleRooms)
      return [`${file.path}: room "${room}" has no place in the order of ${folder} (room-stated)`];
    return findImports(file)
      .filter(({ target }) => target?.startsWith(`${folder}/`) && isAbove(target))
      .map(
        ({ specifier, line }) =>
          `${file.path}:${line}: imports "${specifier}": room "${room}" imports itself and lower rooms of ${folder} only (room-order)`,
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

function judgeSizes(sources: readonly SourceFile[]): Finding[] {
  const counts = new Map<string, number>();
  for (const { path } of sources) {
    const folder = posix.dirname(path);
    if (countedFolders.some((counted) => `${folder}/`.startsWith(`${counted}/`)))
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_ROOM_FILES)
    .map(([folder, count]) => `${folder}: ${count} files in one room, at most ${MAX_ROOM_FILES} (room-size)`);
}

function judgeDoor({ path, text }: SourceFile): Finding[] {
  if (!/^control-plane\/src\/modules\/[^/]+\/index\.ts$/.test(path)) return [];
  const count = exportedNames(text).length;
  return count <= MAX_DOOR_NAMES ? [] : [`${path}: exports ${count} names, at most ${MAX_DOOR_NAMES} (door-width)`];
}

/** Names that a file exports, in its order. */
export function exportedNames(text: string): string[] {
  const code = maskCode(text);
  const lists = [...code.matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
  const own =
    /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:class|function\*?|const|let|interface|type|enum)\s+(\w+)/gm;
  const declared = [...code.matchAll(own)].map(([, name = '']) => name);
  const trees = [...code.matchAll(/^export\s+\*/gm)].map(() => '*');
  return [...lists, ...declared, ...trees];
}
