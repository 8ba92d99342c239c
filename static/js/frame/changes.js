/**
 * Pages follow what changes elsewhere. The pages of a browser share one connection: through a shared worker, else
 * through the visible page that holds a lock and tells the others, else each has its own (hub.js). Loaded a moment
 * after the page.
 * @import {News} from "./hub.js"
 */
import { t as first } from "texts";
import { t } from "texts-later";
import { $, h, icon, need, store, version } from "../base/dom.js";
import { load } from "../base/api.js";
import { sheet } from "../base/sheets.js";
import { Hub } from "./hub.js";
import { scriptUrl } from "../base/trust.js";
import "./low.js";
import "./pulse.js";

const [user = "", shown = "0"] = (document.documentElement.dataset.live ?? "").split(" ");
/** The position up to which this page knows everything: at first its own time. */
let at = Number(shown);

/** @type {((n: News) => void)[]} */
const listeners = [];
/** Calls `fn` for each change. @param {(n: News) => void} fn */
export const listen = (fn) => void listeners.push(fn);

let isOutdated = false;
/** The server was updated: scripts that this page loads from now on may not fit to it. Said once. */
async function outdated() {
  if (isOutdated) return;
  isOutdated = true;
  const el = h("div", { class: "toast" }, h("p", {}, t.updated), h("button", { class: "btn", type: "button", onclick: () => location.reload() }, t.reload),
    h("button", { class: "ibtn", type: "button", "aria-label": t.close, title: t.close, onclick: () => el.remove() }, icon("close")));
  await sheet("/static/css/over.css");
  need("#toasts", HTMLElement).replaceChildren(el);
}

/** @param {News} n */
function take(n) {
  if (n.name === "hello") return void (`?v=${n.data.version}` !== version && outdated());
  if (n.at <= at && n.name !== "reload") return;
  at = n.name === "reload" ? n.at : Math.max(at, n.at); // lower after the server's clock was set back
  for (const fn of listeners) fn(n);
}

/**
 * The ways to share. `here`: the page is visible and wants news since `at`; `away`: hidden; `gone`: unloaded.
 * @typedef {{here: () => void, away: () => void, gone: () => void}} Way
 */

/** @returns {Way} */
function worker() {
  const shared = new SharedWorker(scriptUrl(`/static/${document.documentElement.dataset.asset}/js/frame/hub.js`), { type: "module", name: `alfred ${user}` });
  const { port } = shared;
  shared.onerror = () => { // its script did not arrive
    way = apart();
    look();
  };
  port.onmessage = ({ data }) => take(data);
  return {
    here: () => port.postMessage({ user, join: at, visible: true }),
    away: () => port.postMessage({ user, visible: false }),
    gone: () => port.postMessage({ user }),
  };
}

/** @returns {Way} */
function leader() {
  const name = `alfred ${user} ${version}`, me = crypto.randomUUID(), channel = new BroadcastChannel(name);
  /** @type {Hub | null} */
  let hub = null;
  /** @type {AbortController | null} */
  let wish = null;
  let resign = () => {};
  channel.onmessage = ({ data: { to, news, join } }) => {
    if (news && (!to || to === me)) news.forEach(take);
    else if (hub && join) channel.postMessage({ to, news: hub.join(join) });
  };
  const lead = () => new Promise((done) => {
    const mine = (hub = new Hub(user, (n) => {
      take(n);
      channel.postMessage({ news: [n] });
    }));
    resign = () => {
      mine.close();
      hub = null;
      done(0);
    };
    mine.join(at).forEach(take);
  });
  const away = () => {
    wish?.abort();
    wish = null;
    resign();
  };
  return {
    here() {
      if (hub) return hub.wake();
      channel.postMessage({ to: me, join: at });
      if (wish) return;
      wish = new AbortController();
      navigator.locks.request(name, { signal: wish.signal }, lead).catch(() => {}); // aborted
    },
    away,
    gone: away,
  };
}

/** @returns {Way} */
function alone() {
  const hub = new Hub(user, take);
  const close = () => hub.close();
  return { here: () => hub.join(at).forEach(take), away: close, gone: close };
}

/** Without a worker. @returns {Way} */
const apart = () => ("locks" in navigator && "BroadcastChannel" in window ? leader() : alone());

/** @type {Way} */
let way;
const notifies = "notifications" in document.documentElement.dataset; // also of what begins while the page is hidden
const look = () => (document.hidden && !notifies ? way.away() : way.here());

/** The error above the message box keeps its Retry, but says no longer that the page is offline. */
function online() {
  const p = $("#send-problem p");
  if (p && navigator.onLine) p.textContent = (p.textContent ?? "").replace(first.offline, t.online);
}
addEventListener("online", online);
online(); // this file, too, may have come late

// Times in words are right for a minute.
const times = () => void import("../base/times.js").then((m) => m.refresh());
setTimeout(times, 60_000);
addEventListener("pageshow", (e) => e.persisted && times());

if (user) {
  if ($("#transcript")) listen((await load("chat/watch")).take);
  listen((await load("frame/follow")).take);
  way = "SharedWorker" in window ? worker() : apart();
  document.addEventListener("visibilitychange", look);
  addEventListener("online", look);
  addEventListener("pagehide", () => way.gone());
  addEventListener("pageshow", (e) => e.persisted && look());
  look();
  if (store.get("alfred.theme") ?? store.get("alfred.send")) void import("./moved.js");
  // Here, because the first use of Intl is a long task on a slow device.
  const { zone } = document.documentElement.dataset;
  if ($("#text")) void import("./typing.js");
  if (zone && zone !== Intl.DateTimeFormat().resolvedOptions().timeZone) void import("./zone.js");
}
