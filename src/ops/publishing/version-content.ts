/** The text of a stored mapping version, and the document and the code lists in it. */
import { log, messageOf } from '../../kernel/log.ts';
import { mappingKey } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { CodeListDocument } from '../../mapping/document/code-list.ts';
import type { MappingDocument } from '../../mapping/document/document.ts';
import { versionContent } from '../../mapping/document/versions.ts';
import type { Bundle } from './bundle.ts';

export interface VersionContent {
  document: MappingDocument;
  codeLists: CodeListDocument[];
}

/** @param text of a version that this program stored: checked then, and named by its SHA-256 since. */
export const contentOf = (text: string): VersionContent => versionContent(text) as VersionContent;

export async function storedVersion(
  files: Pick<R2Bucket, 'get'>,
  sha256: string,
): Promise<Result<string, { code: 'storage_unavailable' }>> {
  try {
    const stored = await files.get(mappingKey(sha256));
    if (stored) return ok(await stored.text());
    log('error', 'mapping_version_missing', { detail: sha256 });
  } catch (thrown) {
    log('error', 'mapping_version_unread', { detail: messageOf(thrown) });
  }
  return err({ code: 'storage_unavailable' });
}

/** Of a version that the name points or pointed at: the bundled one need not be in storage. */
export async function versionText(
  { bundle, files }: { bundle: Bundle; files: Pick<R2Bucket, 'get'> },
  name: string,
  sha256: string,
): Promise<Result<string, { code: 'storage_unavailable' }>> {
  const bundled = await bundle.mapping(name);
  return bundled?.sha256 === sha256 ? ok(bundled.text) : storedVersion(files, sha256);
}
