/** What the demo does not show: everything, in a file; and its keys, as profiles of the command. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { writeProfiles } from '../transload/profiles.ts';

const FOLDER = join(PROJECT_ROOT, '.transload', 'demo');
/** The file holds keys, though only of this machine. */
const FILE_MODE = 0o600;

export interface Story {
  path: string;
  /** As XDG_CONFIG_HOME of the command. */
  profilesFolder: string;
  write(text: string): void;
  keepProfiles(url: string, keys: ReadonlyMap<string, string>): void;
}

/** A run begins it anew. */
export function openStory(): Story {
  const path = join(FOLDER, 'demo.txt');
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path, '', { mode: FILE_MODE });
  return {
    path,
    profilesFolder: FOLDER,
    write: (text) => appendFileSync(path, `${text}\n`),
    keepProfiles(url, keys) {
      const profiles = Object.fromEntries([...keys].map(([name, key]) => [name, { url, key }]));
      writeProfiles({ XDG_CONFIG_HOME: FOLDER }, { current: 'demo-carrier', profiles });
    },
  };
}
