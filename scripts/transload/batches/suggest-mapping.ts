/** Which mapping a file is for, where nobody says: every mapping of the key is tried on its beginning. */
import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { NotRun } from '../../frame/command.ts';
import { type Bridge, Unreached } from '../bridge.ts';
import type { Surroundings } from '../surroundings.ts';
import { canAsk, choose } from '../terminal.ts';

/** Enough for some dozens of records; small enough that a preview is at once. */
const HEAD_BYTES = 64 * 1024;
const CHOICES_MOST = 5;

interface Preview {
  records: readonly { requests: readonly unknown[]; errors: readonly unknown[] }[];
}

interface Match {
  name: string;
  description: string;
  good: number;
  records: number;
}

/** @throws NotRun where nobody can be asked: it says which could be meant. */
export async function mappingFor(bridge: Bridge, file: string, surroundings: Surroundings): Promise<string> {
  if (file === '-')
    throw new NotRun('Say which kind of file it is: --mapping NAME. `transload mapping list` shows them.');
  const found = await matches(bridge, head(file), basename(file));
  if (found.length === 0)
    throw new NotRun(`No mapping of your key takes ${file}. \`transload mapping list\` shows them.`);
  const choices = found.slice(0, CHOICES_MOST).map(({ name, description, good, records }) => ({
    id: name,
    label: `${name} (${good} of the first ${records} records right): ${description}`,
  }));
  if (canAsk(surroundings)) return choose(surroundings, `Which kind of file is ${file}?`, choices);
  const list = choices.map(({ label }) => `  ${label}`).join('\n');
  throw new NotRun(`Say which kind of file ${file} is: --mapping NAME. It could be:\n${list}`);
}

/** The beginning, cut at the end of a line where there is one. */
function head(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const bytes = readSync(file, buffer);
    if (bytes < HEAD_BYTES) return buffer.subarray(0, bytes);
    const end = buffer.lastIndexOf('\n');
    return end > 0 ? buffer.subarray(0, end + 1) : buffer;
  } finally {
    closeSync(file);
  }
}

/** Best first: by how much of it is right, then by a name that is in the file's. */
async function matches(bridge: Bridge, bytes: Buffer, fileName: string): Promise<Match[]> {
  const { mappings } = await bridge.json<{ mappings: { name: string; description: string }[] }>({
    path: '/v1/mappings',
  });
  const tried = await Promise.all(
    mappings.map(async ({ name, description }): Promise<Match | undefined> => {
      const path = `/v1/mappings/${encodeURIComponent(name)}/preview`;
      try {
        const { records } = await bridge.json<Preview>({ method: 'POST', path, body: new Uint8Array(bytes) });
        const good = records.filter(({ requests, errors }) => requests.length > 0 && errors.length === 0).length;
        return { name, description, good, records: records.length };
      } catch (thrown) {
        if (thrown instanceof Unreached || !(thrown instanceof Error)) throw thrown;
        return undefined; // refused: it is not for this kind of file
      }
    }),
  );
  const share = ({ good, records }: Match): number => good / Math.max(1, records);
  const isNamed = ({ name }: Match): number => (fileName.includes(name) ? 1 : 0);
  return tried
    .filter((match) => match !== undefined)
    .filter(({ good }) => good > 0)
    .sort(
      (left, right) =>
        isNamed(right) - isNamed(left) || share(right) - share(left) || left.name.localeCompare(right.name),
    );
}
