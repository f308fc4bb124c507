/** Work on the directory (D1), which may be down: that is an answer, and no bug. */
import { log, messageOf } from '../../kernel/log.ts';
import { err, type Result } from '../../kernel/result.ts';

export interface DirectoryUnavailable {
  code: 'directory_unavailable';
}

export async function directoryReached<T, E>(
  work: () => Promise<Result<T, E>>,
): Promise<Result<T, E | DirectoryUnavailable>> {
  try {
    return await work();
  } catch (thrown) {
    log('error', 'directory_unavailable', { detail: messageOf(thrown) });
    return err({ code: 'directory_unavailable' });
  }
}
