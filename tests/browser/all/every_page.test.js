// Every page of Alfred, in every way to look at it: narrow, wide, zoomed, without motion, with the colours of the system,
// by keyboard, in both languages, and with axe. A page is loaded once for each of two devices, and then measured in all sizes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { everything, missing, withBot } from '../../lib/everything.js';
import { axe, looksTheSame, lostInForcedColours, moves, shifts, staysTooLarge, sticksOut, unnamed, unreachable } from '../lib/look.js';
import { quiet, ready, stage } from '../lib/stage.js';

const { alfred, provider, blank } = await stage(await withBot({ after }));
const { pages } = await everything(alfred, provider);

/** Windows by device. 720 x 450 is 1440 x 900 at a zoom of 200 %, 360 x 225 is it at 400 %. */
const DEVICES = [
    { device: 'a desktop, in English', locale: 'en-GB', sizes: [[1440, 900], [768, 1024], [720, 450]], schemes: ['light', 'dark'] },
    { device: 'a phone, in German', locale: 'de-DE', sizes: [[360, 740], [320, 640], [360, 225]], schemes: ['light', 'dark'], hasTouch: true, isMobile: true },
];

test('the list of pages has every route', () => assert.deepEqual(missing(pages), [], 'pagesOf() in tests/lib/everything.js needs an address of each'));

/** Calls `look` for each page; two at a time, because a page waits for most of its time. */
async function onEveryPage(t, options, look) {
    const found = {};
    const list = [...pages];
    await Promise.all([1, 2].map(async () => {
        const opened = new Map();
        for (let p; (p = list.shift()); ) {
            if (!opened.has(p.as)) opened.set(p.as, await blank(t, { as: p.as, allow: [/status of 404/], ...options }));
            const page = opened.get(p.as);
            await page.goto(p.path);
            if (!p.path.startsWith('/share/')) await ready(page); // a page for strangers has no script
            const note = (what, list) => list.length && (found[`${p.name}, ${what}`] = list);
            await look(page, note, p).catch((e) => note('look', [e.message]));
        }
    }));
    assert.deepEqual(found, {});
}

for (const { device, sizes, schemes, ...options } of DEVICES) {
    test(`every page on ${device}`, async (t) => {
        const known = new Set();
        const [[width, height], ...others] = sizes;
        await onEveryPage(t, { ...options, colorScheme: schemes[0], viewport: { width, height } }, async (page, note, p) => {
            if (p.name === 'conversation') await page.locator('.katex, .hljs-keyword').first().waitFor();
            await quiet(page);
            note('layout shifts', await shifts(page));
            await page.emulateMedia({ reducedMotion: 'reduce' });
            note('reduced motion', await moves(page));
            note('names', await unnamed(page));
            note(`axe, ${schemes[0]}`, await axe(page));
            await page.emulateMedia({ colorScheme: schemes[1] });
            note(`axe, ${schemes[1]}`, await axe(page, { rules: ['color-contrast'] }));
            await page.emulateMedia({ colorScheme: schemes[0] });
            note('keyboard', await unreachable(page));
            note(`${width} px`, await sticksOut(page));
            for (const [w, h] of others) {
                await page.setViewportSize({ width: w, height: h });
                note(`${w} x ${h}`, [...(await sticksOut(page)), ...(h < 480 ? await staysTooLarge(page) : [])]);
            }
            await page.evaluate(() => { document.documentElement.style.fontSize = '125%'; }); // the largest text of the settings
            for (const [w, h] of sizes.filter((s) => s[0] < 400 && s[1] > 480)) {
                await page.setViewportSize({ width: w, height: h });
                note(`${w} x ${h}, larger text`, await sticksOut(page));
            }
            await page.evaluate(() => { document.documentElement.style.fontSize = ''; });
            await page.setViewportSize({ width, height });
            note('forced colours', [...(await lostInForcedColours(page)), ...(await looksTheSame(page, known))]);
            await page.emulateMedia({ forcedColors: null });
            const unfold = () => [...document.querySelectorAll('main details:not([open])')].filter((el) => (el.open = el.dataset.unfolded = true)).length;
            if (await page.evaluate(unfold)) note('all unfolded', [...(await axe(page, { within: '[data-unfolded]' })), ...(await sticksOut(page))]);
            await page.emulateMedia({ reducedMotion: null });
        });
    });
}

/** Page, what opens by Enter, and what is open then. */
const OPENERS = [
    ['conversation', '#sessions-nav .row-more', '.menu'],
    ['conversation', '#account-menu > summary', '#account-menu[open] .account-box'],
    ['conversation', '#session-menu > summary', '.menu'],
    ['conversation', '#options > summary', '#options[open] .sheet'],
    ['conversation', '#gauge > summary', '#gauge[open] .sheet'],
    ['conversation', '[data-act="again-with"]', '.menu'],
    ['conversation', 'article.user .edit > summary', 'article.user .edit[open] textarea'],
    ['conversation', 'article.assistant .edit > summary', 'article.assistant .edit[open] textarea'],
    ['conversation', '.code-open', '#canvas'],
    ['conversation', '.side-tools [data-act="find"]', 'dialog[open]'],
    ['sessions', '#session-list .dots', '.menu'],
];

for (const { device, sizes, schemes, ...options } of DEVICES) {
    test(`what opens by Enter closes by Escape, and gives the focus back: ${device}`, async (t) => {
        const found = {};
        const [[width, height]] = sizes;
        const as = pages.find((p) => p.name === 'conversation').as;
        const page = await blank(t, { as, ...options, viewport: { width, height }, colorScheme: schemes[1], reducedMotion: 'reduce' });
        let shown = null;
        for (const [name, opener, opened] of OPENERS) {
            const what = `${name}: ${opener}`;
            if (shown !== name) {
                await page.goto(pages.find((p) => p.name === name).path);
                await ready(page);
            }
            shown = null; // it may stay only if nothing is open at the end
            const inSide = /sessions-nav|account-menu|side-tools/.test(opener);
            if (inSide && width < 900) await page.locator('.side-open').click();
            const el = page.locator(opener).last();
            await el.focus();
            await page.keyboard.press('Enter');
            await page.locator(opened).first().waitFor().catch(() => { found[what] = 'does not open'; });
            if (found[what]) continue;
            const bad = [...(await axe(page, { within: opened })), ...(await sticksOut(page))];
            await page.keyboard.press('Escape');
            await page.locator(opened).first().waitFor({ state: 'hidden' }).catch(() => bad.push('does not close'));
            // With the search the drawer closes, and its button has the focus.
            const back = opener.includes('find') && width < 900 ? page.locator('.side-open') : el;
            if (!(await back.evaluate((e) => e === document.activeElement))) bad.push(`the focus is on ${await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120))}`);
            if (bad.length) found[what] = bad;
            else if (!(inSide && width < 900)) shown = name;
        }
        assert.deepEqual(found, {});
    });
}
