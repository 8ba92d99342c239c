/** Changes a part of the page to what the server has now. Elements that stay keep their focus, text and open state. */

/** @param {Node} n */
function keyOf(n) {
  if (!(n instanceof HTMLElement)) return "";
  const { session, task, transfer, suggestion, key } = n.dataset;
  return n.id || session || task || transfer || suggestion || key || "";
}
/** @param {Element} el */
const focused = (el) => el.contains(document.activeElement) && document.activeElement !== document.body;

/** True for a field with the focus or unsaved text, for an open form, for an open menu, and for what scripts alone fill (data-said). @param {Element} el */
function busy(el) {
  const active = el === document.activeElement;
  if (el instanceof HTMLInputElement && el.type !== "hidden")
    return active || el.value !== el.defaultValue || el.checked !== el.defaultChecked;
  if (el instanceof HTMLTextAreaElement) return active || el.value !== el.defaultValue;
  if (el instanceof HTMLSelectElement) return active;
  return el.matches("details.rename[open], .row-rename, [role=menu], [data-said]");
}
/** True for a row that contains a busy element. @param {Element} el */
const inUse = (el) => keyOf(el) !== "" && el.matches("li, article") && [...el.querySelectorAll("input, textarea, select, details.rename[open]")].some(busy);

/** The server never sends aria-expanded: a button has it while its menu is open. @param {Element} old @param {Element} now */
function attributes(old, now) {
  const kept = old instanceof HTMLDetailsElement ? "open" : "aria-expanded";
  for (const { name } of [...old.attributes]) if (!now.hasAttribute(name) && name !== kept) old.removeAttribute(name);
  for (const { name, value } of now.attributes) if (old.getAttribute(name) !== value && name !== kept) old.setAttribute(name, value);
}

/** @param {Node} old @param {Node} now */
const alike = (old, now) => old.nodeName === now.nodeName && keyOf(old) === keyOf(now);
/** The node from `spot` on that becomes the unnamed `want`. Nodes before it, such as a notice, are gone. @param {ChildNode | null} spot @param {Node} want */
function ahead(spot, want) {
  if (want instanceof Element)
    for (let n = spot; n; n = n.nextSibling) if (alike(n, want) && n instanceof Element && n.className === want.className) return n;
  return spot;
}

/** Makes the children of `old` those of `now`. @param {Element} old @param {ParentNode} now */
export function morph(old, now) {
  const byKey = new Map([...old.children].map((c) => [keyOf(c), c]));
  const coming = new Set([...now.children].map(keyOf));
  let spot = old.firstChild;
  for (const want of [...now.childNodes]) {
    const key = keyOf(want);
    while (spot && !key && keyOf(spot) && coming.has(keyOf(spot))) spot = spot.nextSibling; // it has its own place
    /** @type {ChildNode | null | undefined} */
    const had = key ? byKey.get(key) : ahead(spot, want);
    if (!had || !alike(had, want)) {
      old.insertBefore(want, spot);
      continue;
    }
    if (had !== spot && !(had instanceof Element && focused(had))) old.insertBefore(had, spot);
    else
      while (spot && spot !== had) { // what has the focus would lose it
        const next = /** @type {ChildNode | null} */ (spot.nextSibling);
        old.insertBefore(spot, had.nextSibling);
        spot = next;
      }
    spot = had.nextSibling;
    if (had.isEqualNode(want)) continue;
    if (!(had instanceof Element && want instanceof Element)) had.nodeValue = want.nodeValue;
    else if (!busy(had) && !inUse(had)) {
      attributes(had, want);
      morph(had, want);
    }
  }
  while (spot) {
    const next = spot.nextSibling;
    if (!(spot instanceof Element && (busy(spot) || inUse(spot)))) spot.remove();
    spot = next;
  }
}
