/**
 * What whoever came by an upload link may do: look at kinds of file, try a file, send it, and see and correct what came of
 * it. Anything that is not in these lists is refused, so that a new route is closed until somebody opens it. Pure.
 */

/** Routes of the API, by method and path below `/v1`. `id` of a batch: only its own are there for it (`key-scope.ts`). */
const ROUTES: readonly RegExp[] = [
  /^GET \/v1\/mappings$/,
  /^GET \/v1\/mappings\/[^/]+\/sample$/,
  /^POST \/v1\/mappings\/match$/,
  /^POST \/v1\/mappings\/[^/]+\/preview$/,
  /^(?:GET|POST|PUT) \/v1\/batches$/,
  /^(?:POST|PUT) \/v1\/batches\/[^/]+$/,
  /^GET \/v1\/batches\/[^/]+(?:\/(?:rows|rows\/\d+|issues|report\.(?:csv|json)|corrections|correctable|source|acknowledgment))?$/,
  /^POST \/v1\/batches\/[^/]+\/corrections$/,
];

/** Pages, by path below `/console`. The first page leads to its files. */
const PAGES: readonly RegExp[] = [
  /^\/?$/,
  /^\/upload(?:\/check|\/sample\/[^/]+)?$/,
  /^\/batches(?:\/b_[^/]+(?:\/(?:fix|fix\/live|events|report\.(?:csv|json)|corrections|source|acknowledgment))?)?$/,
  /^\/sign-out$/,
];

const plain = (path: string): string => path.replace(/(?<=.)\/+$/, '');

export const linkMayCall = (method: string, path: string): boolean =>
  ROUTES.some((route) => route.test(`${method === 'HEAD' ? 'GET' : method} ${plain(path)}`));

/** @param path with `/console`. */
export const linkMaySee = (path: string): boolean =>
  PAGES.some((page) => page.test(plain(path).replace(/^\/console/, '')));
