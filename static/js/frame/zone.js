/** Tells the server the time zone of this browser, by which it groups the sessions. Loaded when the server has another one. */
import { api } from "../base/api.js";
import { refresh } from "./list.js";

try {
  await api("PATCH", "/api/me", { time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  await refresh();
} catch { /* the next page tries again */ }
