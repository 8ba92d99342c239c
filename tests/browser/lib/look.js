// Requirements on every page. Each function gives a list of findings, which is empty for a good page.
import { readFileSync } from 'node:fs';

import { ROOT } from '../../lib/rig.js';

const AXE = readFileSync(`${ROOT}/node_modules/axe-core/axe.min.js`, 'utf8');

async function injectAxe(frame) {
    if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(AXE);
}

/** The results of axe for a frame and the frames in it, as finishRun() takes them. */
async function partialResults(frame, context, options) {
    await injectAxe(frame);
    const inner = await frame.evaluate((c) => window.axe.utils.getFrameContexts(c), context);
    const results = [await frame.evaluate(([c, o]) => window.axe.runPartial(c, o), [context, options])];
    for (const { frameSelector, frameContext } of inner) {
        const element = await frame.evaluateHandle((s) => window.axe.utils.shadowSelect(s), frameSelector);
        results.push(...(await partialResults(await element.asElement().contentFrame(), frameContext, options)));
    }
    return results;
}

/** All findings of axe in the page and its frames, or those of some rules, or those inside of an element. */
export async function axe(page, { rules, within } = {}) {
    // Only violations are reported: the report of all passed checks takes longer than the checks.
    // axe reads all style sheets for css-orientation-lock alone, an experimental rule, which it does not run.
    const options = { resultTypes: ['violations'], preload: { assets: ['media'] }, ...(rules && { runOnly: rules }) };
    const context = { include: within ? [within] : [], exclude: [] };
    await injectAxe(page);
    // Colours of what fades in are not its colours. An animation that repeats has no end.
    await page.evaluate(() => Promise.allSettled(document.getAnimations().filter((a) => Number.isFinite(a.effect.getComputedTiming().endTime)).map((a) => a.finished)));
    // Frames of other origins are reached by runPartial() only. Its results hold all elements, so a page without frames does not use it.
    const partial = page.frames().length > 1 ? await partialResults(page.mainFrame(), context, options) : null;
    return page.evaluate(async ([c, o, p]) => {
        const { violations } = p ? await window.axe.finishRun(p, o) : await window.axe.run(c.include.length ? c : document, o);
        return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)} ${n.failureSummary?.split('\n')[1] ?? ''}`));
    }, [context, options, partial]);
}

/** The rules whose results depend on colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** The findings of axe in light colours, and those of the rules about colours in dark ones. Leaves the page in light colours. */
export async function axeInBothSchemes(page) {
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await axe(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await axe(page, { rules: OF_COLOURS });
    await page.emulateMedia({ colorScheme: 'light' });
    return [...light, ...dark.map((one) => `dark: ${one}`)];
}

/** Elements that exceed the window and are not in a scrolling box. */
export const sticksOut = (page) =>
    page.evaluate(() => {
        const width = document.documentElement.clientWidth;
        const wide = document.scrollingElement.scrollWidth > width ? [`the page is ${document.scrollingElement.scrollWidth} wide`] : [];
        const inScroller = (el) => {
            for (let p = el; p && p !== document.body; p = p.parentElement) {
                const s = getComputedStyle(p);
                if (s.position === 'fixed' || s.visibility === 'hidden' || (p !== el && /auto|scroll|hidden|clip/.test(s.overflowX)) || s.clipPath !== 'none') return true;
            }
            return false;
        };
        for (const el of document.querySelectorAll('body *')) {
            const box = el.getBoundingClientRect();
            if (el.checkVisibility() && box.width && (box.right > width + 1 || box.left < -1) && !inScroller(el)) wide.push(`${el.tagName}.${el.className} ${Math.round(box.left)}-${Math.round(box.right)}`);
        }
        return wide;
    });

/** Elements that stay in place while the page scrolls and take more than a third of the height of a low window. */
export const staysTooLarge = (page) =>
    page.evaluate(() => {
        const sticky = [...document.querySelectorAll('#page, #page *, .toasts, .toasts *')].filter((el) => ['fixed', 'sticky'].includes(getComputedStyle(el).position) && el.checkVisibility());
        const rows = sticky.map((el) => el.getBoundingClientRect()).filter((r) => r.height > 1 && r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth);
        const height = rows.reduce((sum, r) => sum + Math.min(r.bottom, innerHeight) - Math.max(r.top, 0), 0);
        return height > innerHeight / 3 ? [`${sticky.map((el) => `${el.tagName}.${el.className}#${el.id}`)} take ${height} of ${innerHeight}`] : [];
    });

/** The layout shifts since the page was opened: size, and the moved elements. */
export const shifts = (page) =>
    page.evaluate(async () => {
        const found = [];
        const observer = new PerformanceObserver((list) => found.push(...list.getEntries()));
        observer.observe({ type: 'layout-shift', buffered: true });
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
        found.push(...observer.takeRecords());
        const name = (node) => (node?.nodeType === 1 ? `${node.tagName}.${node.className}` : node?.nodeName);
        // Browsers report the sum with three decimals. A parser that pauses in a row which is aligned to its end, or whose fields
        // share its width, moves what stands there when it goes on: 0.0018 at most, on a busy machine only. The frame that shows
        // this can begin after the end of the parser, if one before was painted.
        const parsed = performance.getEntriesByType('navigation')[0].domInteractive;
        const paused = performance.getEntriesByName('first-paint').some((e) => e.startTime < parsed);
        const first = found.find((e) => e.startTime >= parsed);
        return found.filter((e) => e.value >= (e.startTime < parsed || (paused && e === first) ? 0.003 : 0.0005)).map((e) => `${e.value.toFixed(4)}: ${e.sources.map((s) => `${name(s.node)} ${s.previousRect.x},${s.previousRect.y} to ${s.currentRect.x},${s.currentRect.y}`).join('; ')}`);
    });

/** One level-one heading, a title, a main landmark, and a name for each control. */
export const unnamed = (page) =>
    page.evaluate(() => {
        const found = [];
        for (const what of ['h1', 'main']) if (document.querySelectorAll(what).length !== 1) found.push(`${document.querySelectorAll(what).length} ${what}`);
        if (!document.title || (!/Alfred/.test(document.title) && !location.pathname.startsWith('/share/'))) found.push(`the title is ${document.title}`);
        for (const el of document.querySelectorAll('a, button, summary')) {
            if (el.checkVisibility() && !(el.getAttribute('aria-label') || el.textContent.trim()) && !el.hasAttribute('aria-hidden')) found.push(el.outerHTML);
        }
        return found;
    });

/** Elements that move although the reader wants no motion. */
export const moves = (page) =>
    page.evaluate(() => {
        const moving = document.getAnimations().map((a) => `${a.constructor.name} ${a.animationName ?? a.transitionProperty}`);
        for (const el of document.querySelectorAll('*')) {
            for (const part of ['', '::before', '::after']) {
                const s = getComputedStyle(el, part);
                const timed = (list) => list.split(',').some((d) => parseFloat(d) > 0);
                if (timed(s.transitionDuration) || (s.animationName !== 'none' && timed(s.animationDuration)) || s.scrollBehavior === 'smooth') moving.push(`${el.tagName}.${el.className}${part} ${s.transitionDuration} ${s.animationName} ${s.scrollBehavior}`);
            }
        }
        return [...new Set(moving)];
    });

/**
 * Controls that the keyboard cannot reach, or reaches without showing it. The order of focus is that of the document
 * when no tabindex is above zero; it must be the order of reading, too: within one row or column nothing goes back.
 */
export async function unreachable(page) {
    await page.keyboard.press('Tab'); // from now on focus is that of the keyboard
    return page.evaluate(() => {
        const found = [];
        const name = (el) => `${el.tagName}.${el.className}#${el.id} ${(el.getAttribute('aria-label') ?? el.textContent.trim()).slice(0, 30)}`;
        const seen = (el) => el.checkVisibility({ opacityProperty: false, visibilityProperty: true }) && !el.closest('[inert], [aria-hidden=true]');
        const controls = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex], [onclick]')].filter((el) => seen(el) && !el.disabled);
        const before = document.activeElement, at = [scrollX, scrollY];
        let last = null;
        for (const el of controls) {
            if (el.tabIndex > 0) found.push(`${name(el)} has tabindex ${el.tabIndex}`);
            if (el.tabIndex < 0) {
                // By arrows, or a place to which links lead
                if (el.matches('button, input, select, summary') && !el.closest('[role=menu], [role=listbox], [role=toolbar], [role=radiogroup]')) found.push(`${name(el)} is not in the order`);
                continue;
            }
            el.focus();
            if (document.activeElement !== el) { found.push(`${name(el)} takes no focus`); continue; }
            // The ring may be on the element or on the box around it.
            const ring = [el, el.parentElement, el.nextElementSibling].some((e) => {
                if (!e) return false;
                const s = getComputedStyle(e);
                return (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1) || (e.matches(':focus-within') && s.boxShadow !== 'none');
            });
            if (!ring) found.push(`${name(el)} shows no focus`);
            const box = el.getBoundingClientRect();
            if (box.width < 1 || box.height < 1) found.push(`${name(el)} has no size`);
            else if (!el.matches('.sr, .sr *')) {
                // Of what is higher than the screen the browser shows any part.
                const high = box.height > innerHeight, down = high ? (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2 : box.top + Math.min(box.height / 2, 20);
                const x = Math.min(Math.max(box.left + Math.min(box.width / 2, 20), 0), innerWidth - 1), y = Math.min(Math.max(down, 0), innerHeight - 1);
                const over = document.elementFromPoint(x, y);
                const same = over && (el.contains(over) || over.contains(el) || over.closest('label')?.control === el || el.nextElementSibling === over);
                if (!same) found.push(`${name(el)} is covered by ${over ? name(over) : 'nothing'} at ${Math.round(x)},${Math.round(y)} of ${innerWidth}x${innerHeight}`);
                if (last && last.el.parentElement === el.parentElement && getComputedStyle(el.parentElement).direction === 'ltr') {
                    const was = last.el.getBoundingClientRect();
                    if (box.bottom <= was.top + 1 || (box.right <= was.left + 1 && box.top < was.bottom && box.bottom > was.top)) found.push(`${name(el)} is read before ${name(last.el)}`);
                }
            }
            last = { el };
        }
        before?.focus?.();
        scrollTo(...at);
        return found;
    });
}

/** Gives elements that are a picture by a background or a mask alone a mark, in the colours of the page. */
const painted = (page) =>
    page.evaluate(() => {
        const clear = (c) => c === 'rgba(0, 0, 0, 0)' || c === 'transparent';
        const ground = (el) => {
            for (let p = el; p; p = p.parentElement) if (!clear(getComputedStyle(p).backgroundColor)) return getComputedStyle(p).backgroundColor;
            return 'rgb(255, 255, 255)';
        };
        window.pictures = [];
        for (const el of document.querySelectorAll('body *')) {
            for (const part of ['', '::before', '::after']) {
                const s = getComputedStyle(el, part);
                if (part ? s.content !== '""' : el.textContent.trim() || el.childElementCount || !el.checkVisibility() || el.matches('svg *, svg, button, input, textarea, select, img, iframe, hr, .scrim')) continue;
                const box = el.getBoundingClientRect();
                if (!part && (box.width < 2 || box.height < 2)) continue;
                if (part && !el.checkVisibility()) continue;
                const under = part ? ground(el) : ground(el.parentElement);
                if (!clear(s.backgroundColor) && s.backgroundColor !== under) window.pictures.push([el, part, s.backgroundColor]);
            }
        }
        return window.pictures.length;
    });

/** Icons, background pictures and marked words that a palette of the system makes invisible. */
export async function lostInForcedColours(page) {
    await painted(page);
    await page.emulateMedia({ forcedColors: 'active' });
    const found = await page.evaluate(() => {
        const clear = (c) => /^rgba\(.*, 0\)$/.test(c) || c === 'transparent';
        const ground = (el) => {
            for (let p = el; p; p = p.parentElement) if (!clear(getComputedStyle(p).backgroundColor)) return getComputedStyle(p).backgroundColor;
            return 'rgb(255, 255, 255)';
        };
        const lost = [];
        for (const [el, part] of window.pictures) {
            const s = getComputedStyle(el, part || undefined);
            const edge = ['Top', 'Right', 'Bottom', 'Left'].some((side) => s[`border${side}Style`] !== 'none' && parseFloat(s[`border${side}Width`]) > 0);
            const under = part ? ground(el) : ground(el.parentElement);
            if (!edge && s.outlineStyle === 'none' && (clear(s.backgroundColor) || s.backgroundColor === under)) lost.push(`${el.tagName}.${el.className}${part} of ${el.parentElement.tagName}.${el.parentElement.className}`);
        }
        for (const el of document.querySelectorAll('svg')) {
            if (!el.checkVisibility()) continue;
            const s = getComputedStyle(el);
            const inks = [s.fill, s.stroke].filter((c) => c !== 'none' && !clear(c));
            if (!inks.some((c) => c !== ground(el))) lost.push(`${el.outerHTML.slice(0, 120)} ${inks} on ${ground(el)}`);
        }
        // A palette replaces the colour of a ground, not its transparency. The text of a mark is for an opaque one.
        for (const el of document.querySelectorAll('mark')) if (el.checkVisibility() && getComputedStyle(el).backgroundColor.startsWith('rgba')) lost.push(`the text of mark in ${el.parentElement.className}`);
        return [...new Set(lost)];
    });
    return found;
}

/** States that look the same as their opposite: the current page, the selected tab, a disabled button. Needs the palette to be set. */
export async function looksTheSame(page, known) {
    const found = [];
    const all = await page.evaluate(() => {
        const states = { '[aria-current]': 'aria-current', '[aria-selected=true]': 'aria-selected', '[aria-pressed=true]': 'aria-pressed', ':is(button, select):disabled': 'disabled', 'input:checked': 'checked' };
        window.looked = [];
        for (const [selector, attribute] of Object.entries(states)) {
            for (const el of document.querySelectorAll(selector)) if (el.checkVisibility({ visibilityProperty: true })) window.looked.push({ el, attribute });
        }
        return window.looked.map(({ el, attribute }) => `${attribute} ${el.tagName}.${el.className}[${el.type ?? ''}] in ${el.parentElement.className}`);
    });
    for (const [at, key] of all.entries()) {
        if (known.has(key)) continue;
        known.add(key);
        const clip = await page.evaluate(async (n) => {
            // The mark may be on the element or on its label, which need not be around it. An element is laid out when it scrolls into view.
            const { el } = window.looked[n];
            for (let i = 0; i < 3; i++) {
                el.scrollIntoView({ block: 'center' });
                await new Promise((done) => requestAnimationFrame(done));
            }
            const boxes = [el, el.closest('label') ?? el].map((e) => e.getBoundingClientRect());
            const edge = (side, of) => of(...boxes.map((box) => box[side]));
            const x = Math.max(0, edge('left', Math.min) - 4), y = Math.max(0, edge('top', Math.min) - 4);
            return { x, y, width: Math.min(edge('right', Math.max) + 4, innerWidth) - x, height: Math.min(edge('bottom', Math.max) + 4, innerHeight) - y };
        }, at);
        const one = await page.screenshot({ clip });
        await page.evaluate((n) => {
            const { el, attribute } = window.looked[n];
            if (attribute === 'checked') el.checked = false;
            else el.removeAttribute(attribute);
        }, at);
        const two = await page.screenshot({ clip });
        const stayed = await page.evaluate((n) => {
            const { el, attribute } = window.looked[n];
            return el.isConnected && !(attribute === 'checked' ? el.checked : el.hasAttribute(attribute));
        }, at);
        if (!stayed) known.delete(key); // the page changed by itself; another one has such an element, too
        else if (one.equals(two)) found.push(`${key} looks like its opposite`);
    }
    return found;
}
