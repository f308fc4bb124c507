/** Secrets a deployment may do without: wrangler's generated types know only those it requires. */
interface Env {
  /** Of which the signing keys of webhooks are derived. Without it there are none. */
  WEBHOOK_KEY?: string;
}
declare namespace Cloudflare {
  interface Env {
    WEBHOOK_KEY?: string;
  }
}
