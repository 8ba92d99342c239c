/** The search box of a page: operators and their values, offered while typing. */
import { $, h } from "../base/dom.js";
import { api } from "../base/api.js";

const WAIT_MS = 120;
const box = $("[data-offers]"), list = h("datalist", { id: "offers" });
let timer = 0, asked = 0;

async function look() {
  if (!(box instanceof HTMLInputElement)) return;
  const mine = ++asked;
  const { offers } = await api("GET", `/page/search/typed?q=${encodeURIComponent(box.value)}`).catch(() => ({ offers: [] }));
  if (mine === asked) list.replaceChildren(...offers.map((/** @type {{query: string}} */ o) => h("option", { value: o.query })));
}
box?.after(list);
box?.setAttribute("list", "offers");
box?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(look, WAIT_MS);
});
