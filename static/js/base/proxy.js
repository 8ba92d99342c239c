/** Failures that Alfred does not describe: a proxy in front of it has answered. Loaded then. */
import { t } from "texts-later";

/** @type {Record<number, (o: {status: number}) => string>} */
const texts = {
  401: () => t.proxy_signin,
  408: t.proxy_slow,
  413: t.proxy_size,
  414: t.proxy_address,
  429: t.proxy_limit,
  431: t.proxy_cookies,
  504: t.proxy_timeout,
  524: t.proxy_timeout, // 520 to 526 are Cloudflare's
  525: t.proxy_tls,
  526: t.proxy_tls,
};

/** A sentence for people. @param {number} status that of a success: the page of a sign-in */
export const reason = (status) => (texts[status < 400 ? 401 : status] ?? (status < 500 ? t.proxy_refused : t.proxy_gateway))({ status });
