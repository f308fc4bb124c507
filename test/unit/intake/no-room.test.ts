import { expect, it } from 'vitest';
import { NO_ROOM_REMEMBERED_MS } from '../../../src/intake/limits.ts';
import { NoRoom } from '../../../src/intake/no-room.ts';
import type { UploadError } from '../../../src/intake/upload-error.ts';

const FULL: UploadError = { code: 'too_much_under_way', files: 5, bytes: 1, rows: 1 };

it('a partner that has no room is refused for a second, and no other partner is', () => {
  const noRoom = new NoRoom();
  noRoom.note('test/one', FULL, 1_000);
  expect(noRoom.lately('test/one', 1_000 + NO_ROOM_REMEMBERED_MS - 1)).toBe(FULL);
  expect(noRoom.lately('test/two', 1_000)).toBeUndefined();
  expect(noRoom.lately('test/one', 1_000 + NO_ROOM_REMEMBERED_MS)).toBeUndefined();
});
