/** Names of an archive's files as they are shown: each once, and never used as a path. Pure. */
import { displayName } from '../../kernel/display-name.ts';
import { FILE_NAME_CHARACTERS_MAX } from '../../kernel/limits.ts';

/** By the file's own name; with its folders where two would look alike; with a number where even those do. */
export function shownNames(paths: readonly string[]): string[] {
  const short = paths.map((path) => displayName(path) ?? 'unnamed');
  const seen = new Set<string>();
  return paths.map((path, index) => {
    const own = short[index] ?? '';
    const name = short.filter((other) => other === own).length > 1 ? withFolders(path) || own : own;
    let shown = name;
    for (let copy = 2; seen.has(shown); copy += 1) shown = `${name} (${copy})`;
    seen.add(shown);
    return shown;
  });
}

function withFolders(path: string): string {
  const folders = path.split(/[\\/]/).flatMap((folder) => displayName(folder) ?? []);
  const shown = folders.filter((folder) => folder !== '.' && folder !== '..').join('/');
  return [...shown].slice(-FILE_NAME_CHARACTERS_MAX).join('');
}

/** What operating systems add by themselves. */
const CLUTTER = /(?:^|[\\/])(?:__MACOSX[\\/]|\.DS_Store$)/;
export const isClutter = (path: string): boolean => CLUTTER.test(path);

/** Files that every office document has and an archive of files has not. */
const OFFICE_FILES = new Set(['[Content_Types].xml', 'META-INF/manifest.xml']);
export const isOfficeFile = (path: string): boolean => OFFICE_FILES.has(path);
