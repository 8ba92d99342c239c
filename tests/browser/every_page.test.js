// Every page of Alfred, in every way to look at it: narrow, wide, zoomed, without motion, with the colours of the system,
// by keyboard, in both languages, and with axe. A page is loaded once for each of two devices, and then measured in all sizes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { everything, missing, withBot } from '../lib/everything.js';
import { axe, looksTheSame, lostInForcedColours, moves, shifts, staysTooLarge, sticksOut, unnamed, unreachable } from './lib/look.js';
import { quiet, ready, stage } from './lib/stage.js';

const { alfred, provider, context } = await stage(await withBot({ after }));
const { pages } = await everything(alfred, provider);

/** Windows by device. 720 x 450 is 1440 x 900 at a zoom of 200 %, 360 x 225 is it at 400 %. */
const DEVICES = [
    { device: 'a desktop, in English', locale: 'en-GB', sizes: [[1440, 900], [768, 1024], [720, 450]], schemes: ['light', 'dark'] },
    { device: 'a phone, in German', locale: 'de-DE', sizes: [[360, 740], [320, 640], [360, 225]], schemes: ['light', 'dark'], hasTouch: true, isMobile: true },
];

test('the list of pages has every route', () => assert.deepEqual(missing(pages), []));

/** Calls `look` for each page; two at a time, because a page waits for most of its time. */
async function onEveryPage(t, options, look) {
    const found = {};
    const list = [...pages];
    await Promise.all([1, 2].map(async () => {
        const opened = new Map();
        for (let p; (p = list.shift()); ) {
            if (!opened.has(p.as)) opened.set(p.as, await (await context(t, { as: p.as, allow: [/status of 404/], ...options })).newPage());
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
            note(`axe, ${schemes[1]}`, await axe(page, ['color-contrast']));
            await page.emulateMedia({ colorScheme: schemes[0] });
            note('keyboard', await unreachable(page));
            note(`${width} px`, await sticksOut(page));
            for (const [w, h] of others) {
                await page.setViewportSize({ width: w, height: h });
                note(`${w} x ${h}`, [...(await sticksOut(page)), ...(h < 480 ? await staysTooLarge(page) : [])]);
            }
            await page.setViewportSize({ width, height });
            note('forced colours', [...(await lostInForcedColours(page)), ...(await looksTheSame(page, known))]);
            await page.emulateMedia({ forcedColors: null, reducedMotion: null });
        });
    });
}
