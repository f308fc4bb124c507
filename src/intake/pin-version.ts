/** Stores a mapping version under its SHA-256, before anything points at it. Versions are immutable, so writing one twice is harmless. */
import { log, messageOf } from '../kernel/log.ts';
import { mappingKey } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { sha256Hex } from '../kernel/secret.ts';

/** @param version its text; null: it must be stored already. The name is checked before anything is stored under it. */
export async function pinVersion(
  files: Pick<R2Bucket, 'put' | 'head'>,
  version: { sha256: string; text: string | null },
): Promise<Result<void, { code: 'storage_unavailable' }>> {
  const { sha256, text } = version;
  const bytes = text === null ? null : new TextEncoder().encode(text);
  if (bytes && (await sha256Hex(bytes)) !== sha256)
    throw new Error(`mapping version ${sha256} does not match its name`);
  try {
    if (await files.head(mappingKey(sha256))) return ok(undefined);
    if (bytes) {
      await files.put(mappingKey(sha256), bytes);
      return ok(undefined);
    }
    log('error', 'mapping_version_missing', { detail: sha256 });
  } catch (thrown) {
    log('error', 'mapping_not_stored', { detail: messageOf(thrown) });
  }
  return err({ code: 'storage_unavailable' });
}
