/**
 * Counts what the objects ask of their databases. A bridge is started with another entry, which passes everything on and
 * looks at each statement as it is run; the Worker itself knows nothing of it. What is counted is never timed.
 */

/** Of one class of objects. Rows as the runtime bills them: an index that is touched is a row more. */
export interface StatementCounts {
  statements: number;
  rowsWritten: number;
  rowsRead: number;
  alarmsSet: number;
}

export const COUNTS_PATH = '/_bench/counts';

/** @param classes of the Worker's objects. @returns the text of the entry; `./index.js` is the Worker. */
export const countingEntry = (classes: readonly string[]): string => `import * as worker from './index.js';

const counts = {};
/** Cursors say what they read when they are at their end, which is before the next task. */
const open = [];
const close = () => {
  for (const { cursor, count } of open.splice(0)) {
    count.rowsWritten += cursor.rowsWritten;
    count.rowsRead += cursor.rowsRead;
  }
};

function watch(name, storage) {
  const count = (counts[name] ??= { statements: 0, rowsWritten: 0, rowsRead: 0, alarmsSet: 0 });
  const { sql } = storage;
  const { exec } = sql;
  Object.defineProperty(sql, 'exec', {
    value: (...parameters) => {
      count.statements += 1;
      const cursor = exec.apply(sql, parameters);
      if (open.push({ cursor, count }) === 1) queueMicrotask(close);
      return cursor;
    },
  });
  const { setAlarm } = storage;
  Object.defineProperty(storage, 'setAlarm', {
    value: (...parameters) => {
      count.alarmsSet += 1;
      return setAlarm.apply(storage, parameters);
    },
  });
}

const counted = (name) =>
  class extends worker[name] {
    constructor(ctx, env) {
      watch(name, ctx.storage);
      super(ctx, env);
    }
  };
${classes.map((name) => `export const ${name} = counted('${name}');`).join('\n')}

/** Says what was counted since it was asked last. */
const answerCounts = () => {
  const answer = Response.json(counts);
  for (const count of Object.values(counts)) for (const name of Object.keys(count)) count[name] = 0;
  return answer;
};

export default {
  ...worker.default,
  fetch: (request, env, ctx) =>
    new URL(request.url).pathname === '${COUNTS_PATH}' ? answerCounts() : worker.default.fetch(request, env, ctx),
};
`;
