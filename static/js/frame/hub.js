/**
 * Changes made elsewhere, for all pages of this browser: one connection of server-sent events, and the newest events for
 * pages that join later. It runs as a shared worker, or in one of the pages (changes.js). This file imports nothing, so
 * that the worker is one file with an address of this build.
 * @typedef {{at: number, name: string, data: any}} News
 */
const NAMES = ["session", "choice", "persona", "turn", "task", "suggestion", "transfer", "memory", "reminder", "file", "index", "reload"];
const WAIT_MIN_MS = 1000, WAIT_MAX_MS = 60_000;
const SILENCE_MS = 2 * 60_000; // the server pings every 45 s
const KEPT = 256;
const AHEAD_US = 10_000_000; // a page's position may be so much newer than the server's clock, which is known with the delay of an event

const nowUs = () => Date.now() * 1000;

export class Hub {
  /** @type {EventSource | null} */
  line = null;
  /** @type {News[]} */
  news = [];
  seen = 0; // the position up to which everything has arrived
  since = 0; // `news` has everything after this position
  heard = 0;
  lag = 0; // our clock minus the server's, in microseconds
  wait = WAIT_MIN_MS;
  timer = 0;
  over = false; // another user has signed in

  /** @param {string} user @param {(n: News) => void} tell */
  constructor(user, tell) {
    this.user = user;
    this.tell = tell;
  }

  /** The changes after `at`, for a page that shows all changes up to it. @param {number} at @returns {News[]} */
  join(at) {
    if (!this.seen) {
      this.seen = this.since = at;
      this.lag = nowUs() - at;
    }
    this.wake();
    const isAhead = at > nowUs() - this.lag + AHEAD_US; // it is from before the server's clock was set back
    if (at < this.since || isAhead) return [{ at: this.seen, name: "reload", data: {} }];
    return this.news.filter((n) => n.at > at);
  }

  /** Connects, unless the connection is alive. Looks again when it may have become silent. */
  wake() {
    if (this.over) return;
    const silence = Date.now() - this.heard;
    if (this.line && silence < SILENCE_MS) return this.wakeIn(SILENCE_MS - silence);
    this.close();
    this.heard = Date.now();
    this.wakeIn(SILENCE_MS);
    const line = (this.line = new EventSource(`/api/events?from=${this.seen}`));
    for (const name of [...NAMES, "hello", "ping"]) line.addEventListener(name, (e) => this.take(name, /** @type {MessageEvent} */ (e)));
    line.addEventListener("error", () => {
      if (this.line !== line) return;
      this.close(); // the browser itself would retry at once, or never
      this.wakeIn(this.wait * (1 + Math.random())); // random, because after a restart of the server all browsers reconnect
      this.wait = Math.min(this.wait * 2, WAIT_MAX_MS);
    });
  }

  /** @param {number} ms */
  wakeIn(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.wake(), Math.min(ms, SILENCE_MS)); // longer after our clock was set back
  }

  close() {
    clearTimeout(this.timer);
    this.line?.close();
    this.line = null;
  }

  /** @param {string} name @param {MessageEvent} e */
  take(name, e) {
    this.heard = Date.now();
    this.wait = WAIT_MIN_MS;
    const data = JSON.parse(e.data), at = Number(e.lastEventId) || this.seen;
    if (name === "ping" || name === "reload") this.lag = nowUs() - at; // others may be old ones
    this.seen = name === "reload" ? at : Math.max(this.seen, at); // lower after the server's clock was set back
    if (name === "hello" && data.user !== this.user) {
      this.over = true;
      this.close();
    } else if (name === "hello") this.tell({ at, name, data });
    if (!NAMES.includes(name)) return;
    if (name === "reload") {
      this.news = [];
      this.since = at;
    }
    this.news.push({ at, name, data });
    if (this.news.length > KEPT) this.since = this.news.shift()?.at ?? at;
    this.tell({ at, name, data });
  }
}

/**
 * The worker: the connection is open while a page is visible.
 * @param {any} scope SharedWorkerGlobalScope
 */
function serve(scope) {
  /** @type {Map<MessagePort, boolean>} whether the page is visible */
  const pages = new Map();
  /** @type {Hub | undefined} */
  let hub;
  scope.onconnect = (/** @type {MessageEvent} */ { ports: [port] }) => {
    if (!port) return;
    port.onmessage = ({ data: { user, join, visible } }) => {
      hub ??= new Hub(user, (n) => pages.forEach((_, p) => p.postMessage(n)));
      if (visible === undefined) pages.delete(port);
      else pages.set(port, visible);
      if (![...pages.values()].includes(true)) hub.close();
      else if (join !== undefined) hub.join(join).forEach((n) => port.postMessage(n));
    };
  };
}
if ("onconnect" in globalThis) serve(globalThis);
