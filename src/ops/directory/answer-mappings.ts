/** How answers of the order-status endpoints are read in an environment, in D1: read, set, and who set what when. */

import type { EditedMapping } from '../../feed/settings.ts';
import type { Environment } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type AnswerMapping, answerMapping, DEFAULT_ANSWER_MAPPING } from '../../upstream/statuses/answer-mapping.ts';
import { type Edition, type EditionAuthor, type EditionRefusal, type EditionTable, editionsIn } from './editions.ts';

export type AgreedMapping = Omit<Edition<AnswerMapping>, 'value'> & EditedMapping;

export interface MappingChange extends EditionAuthor {
  mapping: AnswerMapping;
}

export type AnswerMappingRefusal = EditionRefusal;

export interface AnswerMappings {
  read(environment: Environment): Promise<Result<AgreedMapping, AnswerMappingRefusal>>;
  set(environment: Environment, change: MappingChange): Promise<Result<AgreedMapping, AnswerMappingRefusal>>;
}

/** The one there is. */
const NAME = 'order-status';

const TABLE: EditionTable<AnswerMapping> = {
  table: 'answer_mapping',
  keys: ['environment', 'name'],
  column: 'mapping',
  usual: DEFAULT_ANSWER_MAPPING,
  parse: (json) => answerMapping.parse(JSON.parse(json)),
};

export function answerMappings(database: D1Database): AnswerMappings {
  const editions = editionsIn(database, TABLE);
  return {
    async read(environment) {
      return agreed(await editions.read([environment, NAME]));
    },
    async set(environment, { mapping, ...author }) {
      return agreed(await editions.set([environment, NAME], mapping, author));
    },
  };
}

function agreed(
  found: Result<Edition<AnswerMapping>, AnswerMappingRefusal>,
): Result<AgreedMapping, AnswerMappingRefusal> {
  if (!found.ok) return found;
  const { value: mapping, ...edition } = found.value;
  return ok({ ...edition, mapping });
}
