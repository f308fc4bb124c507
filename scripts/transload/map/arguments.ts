/** What the map command is asked for. */
export type MappingWanted = { name: string } | { path: string };

export type Wanted =
  | { does: 'map'; mapping: MappingWanted; file: string; lookUps: string | undefined }
  | { does: 'check' | 'sample'; mapping: MappingWanted };

/** A YAML file, or a name in mappings/. */
export const mappingAt = (text: string): MappingWanted => (/\.ya?ml$/.test(text) ? { path: text } : { name: text });

export interface MapOptions {
  mappingFile?: string;
  check?: boolean;
  sample?: boolean;
  lookups?: string;
}

/** @param words the arguments without options. @returns what is wrong with them, as text. */
export function wantedOf(words: readonly string[], options: MapOptions): Wanted | string {
  const { mappingFile: path, check = false, sample = false, lookups: lookUps } = options;
  const [name, ...others] = path === undefined ? words : ['', ...words];
  const [file, ...surplus] = others;
  if (name === undefined) return 'say which mapping: a name, or --mapping-file PATH';
  if (surplus.length > 0) return `too many arguments: ${surplus.join(' ')}`;
  if (check && sample) return '--check and --sample exclude each other';
  const mapping = path === undefined ? mappingAt(name) : { path };
  if (!check && !sample)
    return file === undefined ? 'say which file to map; - is standard input' : { does: 'map', mapping, file, lookUps };
  if (file !== undefined) return 'no file goes with --check or --sample';
  if (lookUps !== undefined) return '--lookups goes with a file to map';
  return { does: check ? 'check' : 'sample', mapping };
}
