/** Bindings that vitest.config.ts adds for the worker tests. */
declare namespace Cloudflare {
  interface Env {
    MIGRATIONS: import('cloudflare:test').D1Migration[];
  }
}
