/**
 * Counts what a bridge asks of its objects and stores. It is started with another entry, which passes everything on and looks
 * at each call (`counters.ts`); the Worker itself knows nothing of it. What is counted is never timed.
 */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { CountedBindings } from './counters.ts';

/** A GET answers what was counted, a DELETE forgets it. */
export const COUNTS_PATH = '/_bench/counts';

/** @returns texts of modules by name, the entry first; `./index.js` is the Worker. */
export function countingScripts(bindings: CountedBindings): Record<string, string> {
  const counters = readFileSync(join(import.meta.dirname, 'counters.ts'), 'utf8');
  const classes = Object.values(bindings.objects);
  return { 'entry.js': entryText(bindings, classes), 'counters.js': stripTypeScriptTypes(counters) };
}

const entryText = (
  bindings: CountedBindings,
  classes: readonly string[],
): string => `import * as worker from './index.js';
import { Counting } from './counters.js';

const counting = new Counting(${JSON.stringify(bindings)});
${classes.map((name) => `export const ${name} = counting.classOf('${name}', worker.${name});`).join('\n')}

const answerCounts = ({ method }) => {
  if (method === 'DELETE') counting.forget();
  return Response.json(counting.counts);
};

export default {
  ...worker.default,
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname === '${COUNTS_PATH}') return answerCounts(request);
    counting.counts.requests += 1;
    return worker.default.fetch(request, counting.environment(env), ctx);
  },
  scheduled(controller, env, ctx) {
    counting.counts.requests += 1;
    return worker.default.scheduled(controller, counting.environment(env), ctx);
  },
};
`;
