/**
 * Passwords as hashes. scrypt from `node:crypto`: the other one that the runtime has, PBKDF2, is held to 100,000 rounds
 * there, a sixth of what is advised. 16 MiB and five passes (OWASP, Password Storage) fit the 128 MB of an isolate.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const COST = { log2: 14, blocks: 8, passes: 5 } as const;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;
const FORM = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

/** Checked where there is no password, so that an unknown name takes as long as a wrong password. */
const NOBODYS = `scrypt$${COST.log2}$${COST.blocks}$${COST.passes}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** @returns how it is stored, its costs in front: they may rise later. */
export async function hashPassword(password: string, salt: Uint8Array = randomBytes(SALT_BYTES)): Promise<string> {
  const { log2, blocks, passes } = COST;
  const hash = await derived(password, salt, { log2, blocks, passes });
  return ['scrypt', log2, blocks, passes, base64url(salt), base64url(hash)].join('$');
}

/** @param stored null: there is none, and the answer is no. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, log2, blocks, passes, salt = '', hash = ''] = FORM.exec(stored ?? NOBODYS) ?? [];
  if (log2 === undefined) return false;
  const costs = { log2: Number(log2), blocks: Number(blocks), passes: Number(passes) };
  const found = await derived(password, Buffer.from(salt, 'base64url'), costs);
  const wanted = Buffer.from(hash, 'base64url');
  return wanted.length === found.length && timingSafeEqual(wanted, found) && stored !== null;
}

/** Typed in another way, an umlaut is other bytes: one normal form for all. */
const derived = (
  password: string,
  salt: Uint8Array,
  { log2, blocks, passes }: { log2: number; blocks: number; passes: number },
): Promise<Buffer> =>
  new Promise((done, fail) => {
    const costs = { N: 2 ** log2, r: blocks, p: passes, maxmem: MEMORY_BYTES_MAX };
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, costs, (failed, hash) =>
      failed === null ? done(hash) : fail(failed),
    );
  });

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
