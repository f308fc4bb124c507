/** Which mapping a file is for, where nobody says: the bridge tries those of the key on its beginning. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { looksLike } from '../../../src/formats/magic.ts';
import type { Answered } from '../../../src/http/contract/contract.ts';
import { PREVIEW_BYTES_MAX } from '../../../src/ops/publishing/limits.ts';
import { NotRun } from '../../frame/command.ts';
import type { Bridge } from '../bridge.ts';
import type { Surroundings } from '../surroundings.ts';
import { canAsk, choose } from '../terminal.ts';

/** Enough for some dozens of records. */
const HEAD_BYTES = 64 * 1024;
const CHOICES_MOST = 5;
const MIB = 1024 * 1024;

type Match = Answered<'POST /v1/mappings/match'>['mappings'][number];

/** @throws NotRun where nobody can be asked: it says which could be meant. */
export async function mappingFor(bridge: Bridge, file: string, surroundings: Surroundings): Promise<string> {
  if (file === '-')
    throw new NotRun('Say which kind of file it is: --mapping NAME. `transload mapping list` shows them.');
  const found = await matches(bridge, head(file));
  if (found.length === 0)
    throw new NotRun(`No mapping of your key takes ${file}. \`transload mapping list\` shows them.`);
  const choices = found.slice(0, CHOICES_MOST).map(({ mapping, description, fit, reason }) => ({
    id: mapping,
    label: `${mapping} (${FITS[fit]}: ${reason}) ${description}`,
  }));
  if (canAsk(surroundings)) return choose(surroundings, `Which kind of file is ${file}?`, choices);
  const list = choices.map(({ label }) => `  ${label}`).join('\n');
  throw new NotRun(`Say which kind of file ${file} is: --mapping NAME. It could be:\n${list}`);
}

const FITS: Readonly<Record<Match['fit'], string>> = {
  certain: 'fits',
  likely: 'may fit',
  unlikely: 'hardly fits',
};

/**
 * @property isPart the file goes on. A workbook cannot be cut: the list of its parts is at its end. @throws NotRun where
 * it is larger than the bridge looks into.
 */
function head(path: string): { bytes: Buffer; isPart: boolean } {
  const size = statSync(path).size;
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(size, HEAD_BYTES));
    const bytes = buffer.subarray(0, readSync(file, buffer));
    const isZip = looksLike(bytes) === 'zip';
    if (isZip && size > PREVIEW_BYTES_MAX)
      throw new NotRun(
        `Say which kind of file ${path} is: --mapping NAME. A workbook or archive of more than ${PREVIEW_BYTES_MAX / MIB} MiB is not looked into.`,
      );
    return isZip && size > HEAD_BYTES
      ? { bytes: readFileSync(path), isPart: false }
      : { bytes, isPart: size > HEAD_BYTES };
  } finally {
    closeSync(file);
  }
}

/** Best first, as the bridge says. */
async function matches(
  bridge: Bridge,
  { bytes, isPart }: { bytes: Buffer; isPart: boolean },
): Promise<readonly Match[]> {
  const { mappings } = await bridge.call('POST /v1/mappings/match', {
    query: { part: isPart },
    bytes: new Uint8Array(bytes),
  });
  return mappings;
}
