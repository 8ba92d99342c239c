/** The JSON endpoints: every failure is an ApiError with a sentence for people. */
import { t } from "texts";
import { $ } from "./dom.js";

export class ApiError extends Error {
  /** @param {number} status 0: no answer @param {string} message @param {number} [retryAfter] seconds @param {any} [more] the rest of the answer */
  constructor(status, message, retryAfter = 0, more = {}) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
    this.more = more;
  }
}

/** No answer. */
export const unreachable = () => new ApiError(0, navigator.onLine ? t.unreachable : t.offline);

let again = "";
/** Imports a module of ours, also after a failure, which browsers remember by name. @param {string} name as "chat/live" @returns {Promise<any>} */
export const load = (name) => import(`../${name}.js${again}`).catch(() => {
  again = `?${Date.now()}`;
  throw unreachable();
});

/** A name that makes a repeated request harmless. */
export const clientId = () => crypto.randomUUID();

/** The CSRF token. */
export const token = () => $("meta[name=csrf]")?.getAttribute("content") ?? "";

/**
 * Resolves with any 2xx answer, else throws an ApiError.
 * @param {string} method @param {string} path @param {object} [body]
 * @param {RequestInit & {headers?: Record<string, string>}} [o]
 */
export async function send(method, path, body, o = {}) {
  const headers = { Accept: "application/json", ...(method !== "GET" && { "X-CSRF-Token": token() }), ...(body && { "Content-Type": "application/json" }), ...o.headers };
  let res;
  try {
    res = await fetch(path, { cache: "no-store", redirect: "manual", body: body && JSON.stringify(body), ...o, method, headers });
  } catch {
    throw unreachable();
  }
  if (res.ok && !res.headers.get("Content-Type")?.startsWith("text/html")) return res;
  const status = res.status < 300 ? 401 : res.status; // the sign-in of a proxy: HTML, or a redirection
  const more = (await res.json().catch(() => null)) ?? {}, e = more.error ?? {};
  throw new ApiError(status, e.message ?? await load("base/proxy").then((m) => m.reason(status), (why) => why.message), e.retry_after ?? Number(res.headers.get("Retry-After")), more);
}

/** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
export async function api(method, path, body) {
  const res = await send(method, path, body);
  return res.status === 204 ? {} : res.json();
}
